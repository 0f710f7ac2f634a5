<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>AboutDialog</name>
    <message>
        <source>Copy debug information</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Debug information</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keepsake</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One person&apos;s long-term memory, on their own machine. MIT licence. Icons: Lucide (ISC).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Version {version}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AccessBar</name>
    <message>
        <source>Allow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Familiar: reads social memories</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Full: reads and writes everything</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inner: reads shared and social, and writes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It says: {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its changes wait in the inbox until you accept them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Public: reads nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refuse</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Review what it writes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trust of the program</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} more wait.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” asks for access to your memory, with {trust} trust.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AccessRequests</name>
    <message>
        <source>Allowed {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refused {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The request of {name} is decided already</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AdviceBar</name>
    <message>
        <source>Choose a search model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dismiss this message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AgentIndicator</name>
    <message>
        <source>Open this agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What an agent does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}: {did}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AgentList</name>
    <message>
        <source>Add an agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect a program</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connected now</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AgentPage</name>
    <message>
        <source>Calls</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Disconnect {title}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>End its access</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide all it wrote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How often it may call</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It has not called yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let it go on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>May call as often as the settings allow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>May call once a second</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>May call {n} times a second</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show what is hidden again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trust</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo all it wrote today</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it did</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it may do</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it writes waits in the inbox until you accept it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in a vault of its own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its access ended on {when}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{rate} % of what it wrote was text that Keepsake had told it; that is not stored again.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AgentView</name>
    <message>
        <source>A question to the agent; empty for what it is told anyway</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Question to the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is nothing to tell it yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the agent would be told</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} of {most} tokens</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Agents</name>
    <message>
        <source>1 call failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 call refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 item changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 item read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 other read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 proposal for the inbox</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 write</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 write that repeated recalled text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Added to a conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Asked how the vault stands</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Asked what it should know</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Asked why something was found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changed a note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Corrected a fact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted a note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Echo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Familiar: sees what is social</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Full: sees everything, private too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In the inbox</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Incognito is off: your agents may read and record.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Incognito is on until {when}: no agent can read or record.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Incognito is on: no agent can read or record.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inner: sees what is shared and social</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last seen {when}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looked at conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looked at its proposals</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looked at notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looked at reflections</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looked at tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looked at the archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looked at the timeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looked up people and things</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Never connected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Public: sees nothing of yours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read a memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remembered a fact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reviewed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revoked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Searched your memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Used schedules</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Used your facts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Used your memories</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wrote a note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{agent} has not called.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{agent}: {counts}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} calls failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} calls refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} items changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} items read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} other reads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} proposals for the inbox</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} searches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} writes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} writes that repeated recalled text</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AgentsPane</name>
    <message>
        <source>Add an agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add an agent by hand</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect a program…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hid what {name} wrote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No agents yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Programs such as Claude Code can use your memories, within limits that you set. You see what each one reads and writes, and can take it back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undid what {name} wrote today</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What {name} wrote shows again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>keepsake agent connect claude-code does it from a terminal.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} has no access any more; what it wrote stays</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AppearancePanel</name>
    <message>
        <source>A field to type in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Example of a field</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Later</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note · edited today</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preview</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Soil and compost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The north bed is too wet for roses: Rosa says to dig in sand before March.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BackupChoice</name>
    <message>
        <source>A damaged database</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backups</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before a restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before an import</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before an update</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cannot be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Made</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore this backup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You asked for it</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BackupsPanel</name>
    <message>
        <source>1 conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A backup waits to be restored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A damaged database</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backups</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before a restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before an import</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before an update</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Call it off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Calling it off…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comes back: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comparing it with what you have now…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Damaged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Goes away: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Goes back to an earlier version: {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It takes the vault&apos;s place when Keepsake is started again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Laying it ready…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Made</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Making a backup…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing comes back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing goes away.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading all of it…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore at the next start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no backup yet. The first one takes a few seconds.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verified</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verify</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What a restore would change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you have now is kept as a backup, so this can be taken back. Settings stay as they are.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whole: messages {messages}, memories {memories}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You asked for it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} memories</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Copy details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dismiss this message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show details</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BaseDialog</name>
    <message>
        <source>Back</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BeliefRow</name>
    <message>
        <source>On {day}, {source}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Since {since}, {source}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{since} to {until}, {source}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BulkActions</name>
    <message>
        <source>Archived {count} notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Merged {count} notes into ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pinned {count} notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpinned {count} notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>also programs that speak for you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>also programs that work for you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only you and programs you trust fully</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} notes are now in the store ‘{store}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{store}: {who}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CadenceForm</name>
    <message>
        <source>At</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At an interval</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cron expression</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Day and time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Day of the month</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every month</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expression</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How often</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On days of the week</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time of day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time zone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>minutes</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChangeView</name>
    <message>
        <source>Now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Proposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You know</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Chip</name>
    <message>
        <source>Remove the tag {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tag {name}, press to remove</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ClashBar</name>
    <message>
        <source>Forget the stored fact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep both</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Now: {text}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the inbox</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the stored fact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored ({when}): {text}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you just wrote may not agree with what is stored</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ClashWatcher</name>
    <message>
        <source>Forgot the stored fact</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Comparing</name>
    <message>
        <source>1 text has no vector by {model} yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every known answer stands where it stood.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Half of the searches took less time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How often the known answer came first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How often the known answer was among the first 10</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How often the known answer was among the first 5</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Instead: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was stopped, so this is of part of the queries.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Known answers that rise: {better}; that fall: {worse}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>MRR</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mean of 1 divided by the place of the known answer: 1 where it is always first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Now: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The query is answered alike.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The questions made from the vault are words of its texts, which favours finding by words; your own searches, below, tell more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>answer first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>answer {now} → {other}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at place {place} on the other side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at the same place on both sides</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>down by {steps}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in top 10</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in top 5</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>made from the vault</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>median time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not among the hits of the other side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not among the hits so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing found on either side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the same on both sides</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>up by {steps}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>you judged its answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{common} of {most} shared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} texts have no vector by {model} yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{moved} moved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{ms} ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{same} of {queries} queries are answered alike; on average {share} of the hits are shared.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{share} of the hits are shared.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ComparisonView</name>
    <message>
        <source>Answers instead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answers now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask questions made from the vault too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Both answer every question alike.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By meaning alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare again to see how that differs from what answered before.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare what answers now with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leaves the words out, so that only the models differ.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing found.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of the comparison</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ranking ‘{name}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Searches to compare, one a line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>See what would change first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch back to it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch to it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The searches above are answered in both ways and shown side by side. Nothing changes until you choose to.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Their answers are known, so they tell which side finds more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use this ranking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} — still being prepared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} answers searches now</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Add</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message to yourself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write to yourself…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ConfidenceCurve</name>
    <message>
        <source>Confidence over time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>now</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ConnectForm</name>
    <message>
        <source>A copy of its configuration from before is in {path}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Also tell it what matters before each answer, and keep its conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect a program</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How much it may see</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Installed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is the agent “{agent}” from now on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its access as the agent “{agent}” has ended; what it wrote stays.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its name here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keepsake adds itself to the program’s configuration. You see the change before it is written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not found on this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is left to change in its configuration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Programs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent “{agent}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These {n} files will change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This will change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trust</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for it to call for the first time…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it writes waits in the inbox until you accept it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write this change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} has connected: all is set up.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} is connected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} is no longer connected</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ConversationTabs</name>
    <message>
        <source>Facts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Parts of the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scratchpad</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What an agent would be told</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CorrectionForm</name>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is right</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Crash report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It names files and functions of the program and nothing you wrote. Nothing was sent anywhere.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DateForms</name>
    <message>
        <source>MMM</source>
        <translation>M月</translation>
    </message>
    <message>
        <source>MMM yyyy</source>
        <translation>yyyy年M月</translation>
    </message>
    <message>
        <source>MMMM yyyy</source>
        <translation>yyyy年M月</translation>
    </message>
    <message>
        <source>d</source>
        <translation>M月d日</translation>
    </message>
    <message>
        <source>d MMM</source>
        <translation>M月d日</translation>
    </message>
    <message>
        <source>d MMM yyyy</source>
        <translation>yyyy年M月d日</translation>
    </message>
    <message>
        <source>d MMMM yyyy</source>
        <translation>yyyy年M月d日</translation>
    </message>
    <message>
        <source>d MMMM yyyy, HH:mm</source>
        <translation>yyyy年M月d日 HH:mm</translation>
    </message>
    <message>
        <source>ddd d MMM</source>
        <translation>M月d日 ddd</translation>
    </message>
    <message>
        <source>dddd, d MMMM</source>
        <translation>M月d日 dddd</translation>
    </message>
    <message>
        <source>dddd, d MMMM yyyy</source>
        <translation>yyyy年M月d日 dddd</translation>
    </message>
    <message>
        <source>yyyy</source>
        <translation>yyyy年</translation>
    </message>
</context>
<context>
    <name>DateMenu</name>
    <message>
        <source>Date to go to</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Dates</name>
    <message>
        <source>Before this year</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This year</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Today</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DayCalendar</name>
    <message>
        <source>Begin a daily note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to today</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Month after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Month before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the daily note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show conversations of this day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show notes of this day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{month}, go to today</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DesktopPanel</name>
    <message>
        <source>Command of quick capture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In your desktop&apos;s settings, under keyboard shortcuts, add a shortcut of your choice with this command:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It starts in the tray, where your agents reach it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It starts in the tray, where your agents reach it. No window opens.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quick capture from anywhere</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start Keepsake when you log in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start at login, autostart, quick capture, global shortcut</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>‘keepsake capture TEXT’ saves a note at once, without a window.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DiagnosticsPanel</name>
    <message>
        <source>Check the vault now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied. It holds versions, counts and errors, and nothing you wrote.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy debug information</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine and database, of these</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Facts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter the log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Milliseconds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the vault&apos;s folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Program loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading all of the vault…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repair</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repairing…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Result of the check</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start-up times</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The vault is sound.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The vault is sound. Everything in it was read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Vault open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Window filled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Window on the screen</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DialogRegistry</name>
    <message>
        <source>Keep running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep running?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings can change this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Should Keepsake keep running in the tray when its window is closed?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Should Keepsake keep running, hidden, when its window is closed?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start Keepsake again to see the window. Settings can change this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your agents can then go on using it, and quick capture stays at hand.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Document</name>
    <message>
        <source>Add a tag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Links and history</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preview</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Title</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write and preview side by side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write in Markdown. [[ links to a note, # adds a tag, a picture or file dropped here is attached.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} words</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>EditorController</name>
    <message>
        <source>Editing…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep both</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep mine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not saved: changed elsewhere</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not saved: {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore this version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Somebody else</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take theirs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What has changed since the version of {when} by {who}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} (my version)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{who} changed this note while you were writing. Nothing is lost: lines with + are yours, lines with − are theirs.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Engine</name>
    <message>
        <source>API key variable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address of an &apos;openai-compatible&apos; embedding service.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address of the service, such as http://localhost:11434/v1 for Ollama.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After turn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents that get a vault of their own, separated by commas; the person&apos;s vault then has nothing of them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents whose conversations are not stored, separated by commas.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Appends that may wait for agents that do not.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attempts for one answer, where the service is busy or out of reach.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back the vault up before each import.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back the vault up once a day.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Boosted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring the summaries of a conversation up to date once it falls quiet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Budget</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Burst</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Calls a second that an agent may make in the long run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Calls that an agent may make at once after a rest.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Calls that the ledger keeps at most. Beyond, the oldest of whoever made most of them leave first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Candidates that words and meaning each give to a recipe, except &apos;learned&apos;.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Capture clients</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Capture min turn messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Capture watch seconds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Care for the database at night, and verify the latest backup.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Characters of a run&apos;s output shown in its summary.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Characters of a tool&apos;s answer that the model reads.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clients whose transcripts are followed, separated by commas.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Closing the window keeps Keepsake running: in the tray, or hidden where there is none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colours of the window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compress and archive old observations.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compress similar old observations, archive idle ones, and clean up the archive.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Condensed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confidence below which a fact is set aside; that can be undone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confidence left to a fact that a newer one contradicts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Consolidate a conversation when the next one begins.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Consolidation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Constant of the recipe &apos;rrf&apos;: the larger, the less the first places count.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context index</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context index limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context index max tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context index recent days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context max facts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context max tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context recent max tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context recent messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context recent sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context reflection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context reflection max tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context relevant max tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context relevant messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context relevant similarity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context salient importance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context salient max tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context salient messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context sessions max tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Contrast of the colours: as the system asks for, or always high.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cost in a calendar month beyond which nothing is asked; 0 for no limit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cost of one run of a goal at most, in the currency of the prices.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Daily backups that are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Days after which an observation goes to the archive.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Days after which calls leave the ledger.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Days after which similar observations become one digest.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Days in the archive after which an observation is deleted; notes never are.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Days it looks back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Days of which the memory index names everything first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Days since the last one without which none is written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Days that a proposal of an agent waits for you before it expires.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decay</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decay max share</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decay max share month</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decay threshold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decay time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Depth</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw lasting facts from conversations that have ended.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Embedding API key variable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Embedding base address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Embedding batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Embedding dimensions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Embedding model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Embedding model folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Embedding send private</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Emergency retain</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enrichment limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enrichment max entities</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enrichment time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Entries</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Environment variable that holds the key of a remote embedding service, in capital letters; never the key itself. Empty for the key in the system&apos;s keyring.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Environment variable that holds the key, in capital letters; never the key itself. Empty for the key in the system&apos;s keyring.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every hours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exporting to {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Extract facts from conversations that have ended.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Facts of other conversations in an agent&apos;s context.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Facts of the past days without which none is written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failures in a row after which a schedule pauses.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failures to pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fast model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fetch a fastembed model from the network when it is not on this machine.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fetching {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder of an offline fastembed model; empty for its own cache.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder of that model&apos;s files; empty for its own cache.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow the transcripts that coding agents keep on this computer; conversations from then on are taken in.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forgetting for ever</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Friday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Give agents an index of the memories they may see.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Give agents the latest weekly reflection.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Goal: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Goals answer characters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Goals max turns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>High</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hours between two searches for conversations to consolidate.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Housekeeping</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Housekeeping time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How words and meaning are weighed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Importance from which a message counts as important.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Importance from which the recipe &apos;tri&apos; takes a message as salient.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Important messages in an agent&apos;s context.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Important turns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Importing {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Index vectors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Indexing for search by meaning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep a log of what the engine does, never of content.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep the database quick, small and sound, and verify the latest backup.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep the text of agents&apos; searches in the ledger. When off, only a keyed hash of it, which nobody can read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys that differ from the usual ones, as a JSON object of actions and keys.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language of the window; &apos;system&apos; is that of the computer, where Keepsake speaks it, else English.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Latest messages in an agent&apos;s context.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Latest messages that the recipe &apos;tri&apos; takes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Latest turns of this conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Learned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Length of the vectors a remote model is asked for; 0 for its own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let facts that are not used lose confidence, and set aside those that faded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let facts that are not used lose confidence.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let reads go on while something is written; off, for file systems that cannot share memory, is far slower.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lexical weight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines of the memory index.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make vectors in the background, for search by meaning.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Making a backup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Max history</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Max output tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Megabytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memories and messages searched in one run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memories candidate similarity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memories conflict confidence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memories decay rate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memories duplicate similarity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memories it looks at.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memories reconcile seconds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory index</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Messages consolidated in one step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Messages of a conversation that agents are given.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Messages of each conversation in use that are held in memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Messages that a compaction leaves as they are.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Messages that a turn must have for that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Messages that an emergency leaves.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Messages without which nothing is condensed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Milliseconds to wait while another program holds the database.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Min interval</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Minimum seconds between two runs of a schedule.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model of fastembed that reads the first results again and puts them in order; empty for none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Monday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Monthly backups that are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of a quicker model for small work; the other one when empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of the model as the service calls it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name or folder of the spaCy pipeline; empty for the best installed one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Names up to which a memory or message has few.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ner batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ner spacy pipeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is sent: no language model is configured.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Number of similar observations that make a digest.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Older files of the trace that are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On switch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Poll</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preparing search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preparing search by meaning with {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Price of a million tokens that the model reads, in your currency.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Price of a million tokens that the model writes, in your currency.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quiet seconds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>RRF k</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reads that run side by side.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recent conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recognising names</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Record the calls of your own programs too, such as the window&apos;s.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reflection day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reflection days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reflection limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reflection min days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reflection min facts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reflection time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Related turns of other conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Relevant memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Relevant messages in an agent&apos;s context.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Relevant messages that the recipe &apos;tri&apos; takes at most.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reranker</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reranker folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Results shown at once.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retain recent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retention</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retention archive after days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retention compress after days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retention compression min cluster size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retention delete archive after days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retention max rows per run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retention time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rows that each stage of one run changes at most.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs of a schedule that are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Salient messages that the recipe &apos;tri&apos; takes at most.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saturday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search for names</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search memories and messages with few names again, and propose merges of entities.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search texts with few names again, and propose to merge entities that may be one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seconds after which a read is stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seconds between two checks for due schedules.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seconds between two looks at the transcripts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seconds that a model may take to judge a new memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seconds that one answer may take.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seconds that one run of a goal takes at most.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seconds without a turn after which a conversation counts as quiet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send conversations and private notes too to a remote embedding service; else they are found by words only.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send private texts to a service that is not on this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of its confidence a new fact loses in a day without use.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of meaning in the recipe &apos;weighted&apos;.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of the budget above which older messages are condensed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of the budget that messages take at most once older ones are condensed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of the facts that one run sets aside at most.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of the facts that the runs of 30 days set aside at most.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of words in common from which a model judges two memories.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of words in common from which two facts count as the same.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of words in the recipe &apos;weighted&apos;.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show changes at once, without movement or flashes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Similarity above which a message is relevant.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Similarity above which the recipe &apos;tri&apos; takes a message as relevant.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size at which a file of the trace is set aside for a new one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size of text and controls, in percent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Store busy timeout</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Store keys and passwords in transcripts as they are; otherwise a mark stands in their place.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Store read limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Store readers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Store wal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summaries of recent conversations in a fully trusted agent&apos;s context.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary characters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary min turns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary trigger</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sunday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>System</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take memories from conversations after each turn, where there is a language model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Texts of every store may be sent to {name}, private ones too (llm.send_private).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Texts of every store may be sent, to this machine only.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Texts of the stores shared and social may be sent to {name}; private ones are not.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Texts searched for names in one step at most.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Texts turned into vectors at once.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The day it is written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thursday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time at which remaining conversations are consolidated.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Timeout</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens of a conversation that agents are given back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens of an agent&apos;s context, unless it asks for others.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens that important messages take at most.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens that one answer may have.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens that relevant messages take at most.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens that the latest messages take at most.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens that the memory index takes at most.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens that the weekly reflection takes at most.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens that these facts take at most.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens that these summaries take at most.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tri</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tri importance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tri recent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tri relevant</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tri salient</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tri similarity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tuesday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Turns of a language model that one run of a goal takes at most.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use a language model or spaCy to find names, if available.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Vector</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Vector weight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wait</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wednesday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weekly backups that are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weekly insight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weekly reflection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weighted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What stands for the older messages of a long conversation: a list of them, one sentence each; a summary by the language model, or the list where there is none; or nothing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What turns text into vectors: &apos;static&apos; (built in), &apos;hashed&apos; (for tests), &apos;fastembed:&lt;model name&gt;&apos;, or a remote service: &apos;openai:&apos;, &apos;voyage:&apos;, &apos;cohere:&apos; or &apos;openai-compatible:&apos; with a model name. What is searched for is sent to a remote service too.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When it is written on that day.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When that is done each night, unless its schedule was moved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When that is done each night.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When that is done, unless its schedule was moved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whether goals wait while the connection is paid by volume, a day at most, or run on it too.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whether heavy work waits for mains power, a day at most, or runs on battery too.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>While you write, show quietly what you already know about it, and what a new text may contradict.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Who answers where a language model helps: nobody, or a service that speaks OpenAI&apos;s protocol.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Working turns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a reflection on the week.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write behind queue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write what the week brought: who and what is new, what changed, what was promised, and what faded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>copies</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>facts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>items</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memories</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>texts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>turns</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>EntityActions</name>
    <message>
        <source>Changed ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Merged {count} names into ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Merged ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Related ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Renamed to ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Split off ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Took back a relation of ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>EntityField</name>
    <message>
        <source>Names that fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{type}, 1 mention</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{type}, {count} mentions</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>EntityForm</name>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>EntityPage</name>
    <message>
        <source>1 mention</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Also called</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click a name to see what is known of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw around</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Merge</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Notes and facts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other names in the same texts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Page of the chosen name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>People in the same texts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Relate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Relations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Split</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take back: {words}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>once together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} mentions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} times together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} {predicate} this</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{predicate} {name}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ErrorReporter</name>
    <message>
        <source>It happened {n} more times.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Something went wrong inside Keepsake ({name}). What you wrote is kept.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FacetFilter</name>
    <message>
        <source>Agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Said by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FactCard</name>
    <message>
        <source>A message without words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confirm: it is certain and never fades</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Correct it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open it in Notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>People and things in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show this message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is right</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>confirmed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>said {n} times</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} % certain</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FactPanel</name>
    <message>
        <source>Confidence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confirm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confirmed the fact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Corrected the fact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Correct…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Held true over time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is right: it stays certain and never fades</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It no longer holds: another fact took its place.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pinned the fact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpinned the fact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {n} months</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {n} weeks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {n} years</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{percent} certain now. If nobody uses it, it fades on {day}, {span} from now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{percent} certain. Even without use it hardly fades.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{percent} certain. It has faded; the next night may set it aside.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{percent} certain. It never fades.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{percent} certain. While it is pinned it does not fade.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FactsTab</name>
    <message>
        <source>Confirmed ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Corrected ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw facts from it now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keepsake reads conversations when they have come to rest, and keeps what lasts: each fact with the message that says so.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No facts were drawn from it yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>confirm a fact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>correct a fact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>delete a fact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} drawn from this conversation. A line below each shows the message that says so.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FieldIcons</name>
    <message>
        <source>Clear</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Find in this conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next match</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop finding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no match</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} of {m}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Frame</name>
    <message>
        <source>About Keepsake</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command palette…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy link to this place</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Jump to…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Menu</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Newest notice</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next part of the window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Normal text size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous part</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quick capture…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search everything</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show or hide the inspector</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test the language model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme: dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme: light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme: like the system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Work</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>GoalLimitsForm</name>
    <message>
        <source>Cost at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It may read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Turns at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as in the settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>everything, private too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing of mine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what is shared and social</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what is social</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>GraphCanvas</name>
    <message>
        <source>Graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} names. Arrow keys go to neighbours, Enter opens the page.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}, {type}, {mentions} mentions, {links} links</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>GraphPane</name>
    <message>
        <source>Arrange again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Arrange the graph again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring everything into sight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring the whole graph into sight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw around it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw the graph around this name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find a name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Graph of all names</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Imported conversations are read for names, too.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keepsake recognises names in your conversations and notes as they come in, and draws who and what belongs together. Write about somebody, and they appear here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Merge all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Merge into another…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Merge this name into another</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No people or things are known yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin or unpin this name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Relate this name to another</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Relate…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename this name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as data (GraphML)…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as drawing (SVG)…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as picture (PNG)…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the graph as a drawing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the graph as a picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the graph as data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search for it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select with the lasso</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show names as a list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Split this name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Split…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom into the graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom out of the graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} names selected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{shown} of {all} names shown · {links} links</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>GraphToolbar</name>
    <message>
        <source>1 step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All names</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Around a name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Around {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring everything into sight (0)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colour by group</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colour by type</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Data (GraphML)…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw around names to select them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drawing (SVG)…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find a name in the graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find a name…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How far from the middle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many names at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Picture (PNG)…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the graph as a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show only names that match</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the names as a list, too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What colours mean</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} names</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} steps</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>GraphWriter</name>
    <message>
        <source>Saved {name}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HelpDialog</name>
    <message>
        <source>Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Help page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Help pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The help pages are missing from this installation.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HitMenu</name>
    <message>
        <source>Add tags…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied the text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open in its conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open its conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the page of ‘{name}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin or unpin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pinned ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tagged ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags, separated by commas:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This message is no longer there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpinned ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why this was found</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HitModel</name>
    <message>
        <source>The known answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the known answer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ImportDialog</name>
    <message>
        <source>An export of ChatGPT or Claude, chats of a messenger, notes of Obsidian, Notion, Joplin, Evernote or Apple, or documents such as PDF and Word. Nothing leaves this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring your conversations and notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy problems</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Importing {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Or drop it on this window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Problems</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This could not be imported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was imported so far stays. Import it again to continue.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Inbox</name>
    <message>
        <source>Accepted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Account</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Archive: {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Call {operation}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Category</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change: {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confirm: {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Content</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete: {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expired</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Facts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Merge: {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New: {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other names</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename: {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore: {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Title</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{words} (and {n} more)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>InboxPane</name>
    <message>
        <source>Accept the proposal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Both are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From now on this is accepted without asking: {kind} of {agent}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From now on this is refused: {kind} of {agent}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It could not be done; it still waits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept both</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing waits for you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One job ran</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open Agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reject the proposal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored the new fact beside the old one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is nothing left to undo.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What agents want to write appears here when you review them, and so does what contradicts something that you pinned or confirmed. Nothing is stored before you accept it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} jobs ran</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>IncognitoBar</name>
    <message>
        <source>For 1 hour</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Incognito</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Incognito for 1 hour</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Turn incognito off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Turn incognito on</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>IncognitoIndicator</name>
    <message>
        <source>Incognito</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{state} Click to end it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>KeyField</name>
    <message>
        <source>A key is kept in {place}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Asking the keyring…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a service</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is kept in the keyring of this machine, never in the settings or the vault.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is taken from {place}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key of a remote service</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key of the service</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paste the key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Service of the key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no key yet. It will be kept in {place}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>KnownRow</name>
    <message>
        <source>No hints for this text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You already know</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You already know: {what} ({when})</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LanguageModelPanel</name>
    <message>
        <source>Asking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key of the service</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Result of the test</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of the monthly limit that is spent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test the language model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This month</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the language model was asked for this month</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{cost} of at most {cap} spent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{cost} spent; there is no limit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} answered in {seconds} seconds.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <source>Around {name} {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide {words}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Legend</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select the group: {words}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show {words}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MarkdownEditor</name>
    <message>
        <source>Attach a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Completions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That text is too long to put into a note. Import it as a file instead.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MarkdownView</name>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a web page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the page of ‘{name}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This link leads out of Keepsake. Open it in your browser?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This text has {count} characters, so it is shown as written: the first {part}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not shown, it is not in the attachments folder</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MentionSection</name>
    <message>
        <source>Link it in ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Linked it in ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Named without a link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MergeForm</name>
    <message>
        <source>All names and mentions of ‘{name}’ will mean the one you choose.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Merge</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Merge into</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Merge into…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MissingPane</name>
    <message>
        <source>This installation is incomplete: {reason}. Installing Keepsake again repairs it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This part could not be loaded</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelRow</name>
    <message>
        <source>Answered before; kept until {until}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answers searches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Being prepared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Give up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Given up before it was complete; kept until {until}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on with it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of {model}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ready; the old one answers until you switch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch to it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a remote service</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{made} of {texts} texts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} numbers each</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelsDialog</name>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Searches are ranked by ‘{name}’ from now on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The earlier model answers searches again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model {model} is not on this machine.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The new model answers as soon as its last texts are in</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MonthSheet</name>
    <message>
        <source>Calendar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>conversations: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>daily note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>notes: {count}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NameModel</name>
    <message>
        <source>Links</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mentions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NameTable</name>
    <message>
        <source>Names in the graph</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NewAgentForm</name>
    <message>
        <source>Add</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add an agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An agent is a program that you let use your memories. It gets a token, with which it shows who it is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put it into the variable KEEPSAKE_TOKEN of the program. It is not shown again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Such as claude-code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The token of {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trust</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it writes waits in the inbox until you accept it</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NewNotes</name>
    <message>
        <source>Began ‘{title}’ from its template</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New daily notes begin with this template</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New note from a template</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no templates yet. Give a note the tag #template to make it one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Title:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} (daily note)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NightPage</name>
    <message>
        <source>Details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details of {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keepsake did this by itself in the past day. You can take back any of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is nothing left to undo.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undid what one job did</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undid what {n} jobs did</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo the night</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>While you were away</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what changed since stays</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NoteActions</name>
    <message>
        <source>Add tags…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete {count} notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted {count} notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Merge into one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pinned ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restored {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tagged {count} notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tagged ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags for {count} notes, separated by commas:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags, separated by commas:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpinned ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Who may see it…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Who may see them…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} notes selected</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NoteAttachments</name>
    <message>
        <source>Another note was opened before the link was written. Add it there: {link}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another program will open this file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open an attachment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That picture has too many pixels to be attached. Make it smaller and try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That picture is damaged, so it was not attached.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This note cannot be changed, so nothing can be attached to it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} files are too many at once. Attach at most {most}, or import their folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>‘{name}’ cannot be opened. {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>‘{name}’ was not attached. {why}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NoteEditing</name>
    <message>
        <source>No note is behind this link. It may have been deleted or not imported.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Renamed; the links in one other note follow.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Renamed; the links in {count} other notes follow.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rename the note</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NoteFacets</name>
    <message>
        <source>Clear</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Facets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Marked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>People and things</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save this filter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved filters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a name</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NoteInspector</name>
    <message>
        <source>About</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Category</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare with this version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Happened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>History</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Linked from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Links to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mentioned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the conversation it comes from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} (not written yet)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what}, {who}, {when}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NoteList</name>
    <message>
        <source>By title</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter by words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last changed first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Longest unchanged first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Newest first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No note fits this filter.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show deleted notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show or hide the facets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The trash is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pinned</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NoteOrganising</name>
    <message>
        <source>Calendar of days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Empty the trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Merge the selected notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New note from a template</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New note from this</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save this filter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use for the daily note</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NotesPane</name>
    <message>
        <source>Add a tag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attach a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+N begins a note, Ctrl+D opens today&apos;s.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its text, its links and its history appear here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New note. It is kept once you write something.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next marked word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No notes yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Notes you delete wait here until you restore them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin or unpin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous marked word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show deleted notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show or hide facets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The trash is empty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Today&apos;s note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write and preview</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write the first one, or import a folder of Markdown files. What agents learn about you appears here too, for you to read, correct and delete.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>OnThisDay</name>
    <message>
        <source>A month ago</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A year ago</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On this day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{ago}: {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} months ago</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} years ago</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>OpeningAdviser</name>
    <message>
        <source>A change to your memories was cut off, and taking it back needs a folder that can be changed. Free some space, or copy the folder to another place and open it there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A model that your settings name is not on this computer. Safe mode starts without it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another Keepsake (process {number}) has your memories open and does not answer. Close it, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another Keepsake has your memories open and does not answer. Close it, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keepsake may not open or change {place}: your account lacks the permission, or the disk cannot be written. Give your account access, then try again, or copy the folder to another place.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memories were being rescued into {folder}, and that did not finish. Rescue them again, or delete it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading your memories took too long. Try again, or check the file that holds them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The backup that was to be restored is damaged, so nothing was replaced. It was put aside as {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The disk with your memories is full. Free some space, then try again. Nothing that was saved is lost.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file that holds your memories is damaged. Nothing was changed in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file with your memories is missing or empty in {folder}, although it was in use before.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The folder of your memories</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The keyring of your desktop does not answer. Unlock it, then try again, or start in safe mode.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your desktop has no keyring for the keys that your settings name. Safe mode starts without them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your memories are from an older Keepsake and have to be brought up to date. That needs free space and a folder that can be changed: copy the folder to such a place, then open it there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your memories could not be brought up to date for this version of Keepsake. Nothing was changed. What they hold can be rescued into a new folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your memories could not be read from the disk. Try again; if that does not help, check the file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your memories were last opened by a newer Keepsake. Update Keepsake to open them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{place} cannot be opened. Check that it is there and that it is yours, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{place} holds the data of another program. Nothing was changed in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{place} is a file. Your memories are kept in a folder; open that instead.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>OutlineSection</name>
    <message>
        <source>Outline</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Palette</name>
    <message>
        <source>Command or title</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Create note ‘{text}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Email address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Organization</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Person</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Place</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search everything for ‘{text}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search or jump to a note or conversation…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Suggestions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type a command, title, tag or name…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Web address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>↑ ↓ choose   ·   Enter open   ·   Esc close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Panes</name>
    <message>
        <source>Agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inbox</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Status</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PictureCache</name>
    <message>
        <source>it leads out of the attachments folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the file is not there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the picture is damaged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the picture is too large to be shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this note has too many large pictures to show them all</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PrepareForm</name>
    <message>
        <source>Choose its folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fetch it and try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fetching lets Keepsake get the files of models from the network. No text of yours is sent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fetching {model} was stopped. What came of it is kept; prepare it again to go on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder of {model}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For English, the built-in model is the best choice measured so far: in conversations, all-MiniLM-L6-v2 found 84.4 % of what was sought among ten results, the built-in model 85.8 %, and it is faster. A larger model helped with scientific documents (0.741 against 0.707, NDCG@10) and may help with other languages.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its vectors are made in the background while the old model answers; the old ones are kept for a week after the switch. A service on the network gets to see what is searched for and what is not private.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let me compare before it answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of a model, such as static or openai:text-embedding-3-small</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of the model to prepare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening {model}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prepare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prepare another model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of opening the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Program</name>
    <message>
        <source>Connected again. What you typed is being saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keepsake now runs in this window. What you typed is being saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept as a note.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The Keepsake that had your memories open has ended. This window is opening them itself; what you type meanwhile is kept and saved then.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The sample vault could not be opened.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your memories cannot be opened yet: {reason} What you typed is kept here; trying again.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ProposalList</name>
    <message>
        <source>Contradiction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing waits for you.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Proposals</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Proposals shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>While you were away</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ProposalPage</name>
    <message>
        <source>Accept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accept as edited</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Always accept from {agent}: {kind}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It expires on {when}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its reason: {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep both</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keepsake</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Never accept from {agent}: {kind}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reject</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This touches something that you pinned or confirmed: what you know is at the left.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What this would change was changed since. Look at it again before you accept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your reason: {note}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{agent} proposed this on {when}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>… and {n} more changes</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QueryChips</name>
    <message>
        <source>about</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>before {day}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from {day}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not {name}: {value}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not {word}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>said by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{word}… (any ending)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QueryList</name>
    <message>
        <source>Queries</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QuickCapture</name>
    <message>
        <source>Enter saves  ·  Ctrl+Enter new line  ·  Esc hides and keeps the text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quick capture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What do you want to remember?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What to remember</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>capture</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QuickControls</name>
    <message>
        <source>Incognito for 1 hour</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Incognito: no agent reads or records</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not all of what can be run or paused is shown. {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause for 1 hour</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause until I resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause until tomorrow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume scheduled work</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run now: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scheduled work goes on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scheduled work is paused for 1 hour</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scheduled work is paused until tomorrow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scheduled work is paused until you resume it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo the night: what jobs did in the past day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>private agents reading recording stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>upkeep consolidation decay take back last night</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} goes on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>‘{name}’ runs</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ReadingPane</name>
    <message>
        <source>Add tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No note is called ‘{title}’ yet.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RecentSearches</name>
    <message>
        <source>&quot;exact words&quot; tag:garden</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Everything one can type</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For example</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recent searches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved searches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a question in your own words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kind:note after:&quot;last week&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>role:user -weather plan*</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the newest notes since then</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>these words side by side, in what has the tag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what you said of plan, plans, planning… but not of weather</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>when did we talk about the lake</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RelateForm</name>
    <message>
        <source>Relate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Related to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Say how ‘{name}’ is related to another name, such as ‘works at’.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To whom or what…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What joins them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>works at, lives in, sister of…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RenameForm</name>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The old name stays an alias, so that texts still find it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Who or what it is, in a sentence</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Report</name>
    <message>
        <source> (repaired)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 attachment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apple Notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At least {made}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ChatGPT export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Claude export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Evernote notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>HTML page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Imported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Joplin export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keepsake export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out 1 text that looks as if it held a key or a password</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out {n} texts that look as if they held a key or a password</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Markdown notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing new</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Notion export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PDF document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was imported so far stays. Import it again to continue.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Word document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in {span}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} attachments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} conversations and notes are there already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} left out that may hold a key or a password</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} problems, each listed below; everything else went in.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} problems:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} updated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} were there already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>… and {n} more</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ResultExport</name>
    <message>
        <source>CSV, for spreadsheets (*.csv)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export the results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exported 1 result to {file}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exported the first {count} of {all} results to {file}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exported {count} results to {file}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>JSON Lines, for programs (*.jsonl)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Markdown, to read (*.md)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ResultList</name>
    <message>
        <source>Results</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ResultModel</name>
    <message>
        <source>Untitled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title}, 1 result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title}, {count} results</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ResultSummary</name>
    <message>
        <source>Results: the first {count} of {all}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Results: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by words, meaning follows…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found by {legs}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>meaning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>names</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>newest first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} of them only near in meaning</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RunChart</name>
    <message>
        <source>Latest runs. {parts}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RunHistory</name>
    <message>
        <source>1 turn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It has not run yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output of the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo this run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cost {cost}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} turns</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SavedFilters</name>
    <message>
        <source>Another filter is called ‘{name}’ already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Removed the filter ‘{name}’. Its notes stay.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename the filter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save this filter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved the filter ‘{name}’</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SavedSearchList</name>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move down (Alt+Down)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move up (Alt+Up)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename (F2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved searches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Schedule</name>
    <message>
        <source>Done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Done for good</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Due now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every hour</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every minute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every {n} days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every {n} hours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every {n} minutes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every {n} seconds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Missed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Once, on {when}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Planned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switched off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>today {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tomorrow {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>under a second</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} h</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ScheduleEditor</name>
    <message>
        <source>A language model pursues the goal with your memories, where you have set one up. Without one it waits until an agent that you allowed takes it on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Goal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New schedule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tell me</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The beginning of the goal, if you leave this empty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is to be done, such as: Summarise what I learned about Rust this week</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>after each run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>never</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only when it fails</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{words}. Next: {times}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ScheduleList</name>
    <message>
        <source>Filter by words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter schedules</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Goal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New schedule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No schedule fits this filter.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Schedules</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ScheduleNotifier</name>
    <message>
        <source>{text} There are {count} more notes about schedules; the pane Schedule shows all runs.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SchedulePage</name>
    <message>
        <source>Before it runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last run: {last}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next: {times}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of {n} facts that can fade, these would be gone if nobody used them: {parts}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show what it would do now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{days} days: {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>… and {n} more</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SchedulePane</name>
    <message>
        <source>Changed ‘{name}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a schedule to see when it runs and what it did, or set a goal of your own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Created ‘{name}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted ‘{name}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Everything is paused until you resume it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Everything is paused until {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For an hour</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It waits until a language model is set up, or an agent takes it on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>List</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New schedule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next run: {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing chosen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run the chosen schedule now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Running: {names}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switched off ‘{name}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switched on ‘{name}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The week after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The week before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is nothing of this run left to undo.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This week</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undid the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Until tomorrow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Week</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>undo of the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>‘{name}’ runs</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ScratchpadTab</name>
    <message>
        <source>Clear</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is noted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scratchpad</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the agent notes for itself during this conversation, one item a line. You can change it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} of {most} items; the longest has {length} of {room} characters</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SearchBox</name>
    <message>
        <source>Search operators</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SearchHistory</name>
    <message>
        <source>Delete this saved search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted the saved search ‘{name}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save this search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved the search ‘{name}’</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SearchPane</name>
    <message>
        <source>Copied 1 result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied {count} results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy results as Markdown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export all results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export all results…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Facets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Group results in another way</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next marked word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous marked word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save this search or delete it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search conversations and notes…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search everything</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search without operators</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show more results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show or hide facets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show or hide the facets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Still searching: the index is busy, or the vault is large. The results by words stay.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try fewer or other words, or take operators out.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type a search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why not …?</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SearchPanel</name>
    <message>
        <source>Search models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What turns texts into meaning, and how results are ranked. A change shows what it does first.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Section</name>
    <message>
        <source>folded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>open</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SelectionSummary</name>
    <message>
        <source>Clear the selection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>and {count} more</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SessionActions</name>
    <message>
        <source>Condense all but the latest messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete {count} conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted {count} conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw facts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw facts from it now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw facts from {count} conversations now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export as JSONL…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export as Markdown…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Renamed to ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarise older messages now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rename conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} conversations selected</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SessionHeader</name>
    <message>
        <source>Delete this conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find in this conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to a date</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to the first message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to the last message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More to do with this conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Title of the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>facts not drawn yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} messages</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SessionList</name>
    <message>
        <source>1 fact drawn from it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By title</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter by title or agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Headings for days and agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Longest first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New conversation with yourself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Newest first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No conversation fits this filter.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Oldest first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only those whose facts are not drawn yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Order and filters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Without an agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>facts are not drawn yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what came since is not read yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} facts drawn from it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title}, {agent}, {count} messages, {when}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SessionWork</name>
    <message>
        <source>Condensing all but its latest messages…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drawing facts from it…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drawn from it: {facts}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exported {n} messages to {path}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exporting it…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Facts were drawn from it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is short enough: there is nothing to condense.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing new to remember was found.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Somebody else summarised it meanwhile; that summary stands.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarising its older messages…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wait a moment: {work}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draw facts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>summarise</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} known ones confirmed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} messages of ‘{title}’ stand in its summary now; the last {rest} stay in full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} new facts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} older ones changed</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SessionsPane</name>
    <message>
        <source>Choose a conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Condense all but the latest messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as quotation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy link to message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy selection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+N begins a conversation with yourself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw facts from it now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw facts from this conversation now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export this conversation as JSONL</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export this conversation as Markdown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find in conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import conversations…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import what you said to ChatGPT, Claude or another program, connect an agent, or begin one with yourself. Everything stays on this machine.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is kept once you write the first message.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New conversation with yourself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next match</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No conversations yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the page of ‘{name}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarise its older messages now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was said in it appears here. Ctrl+F finds words in it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingField</name>
    <message>
        <source>From {low} to {high}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset ‘{name}’ to the default</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set from outside for this run ({source}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Takes effect at the next start.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingSection</name>
    <message>
        <source>Advanced settings ({n})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide advanced settings</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>Address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents whose conversations are not stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents with a vault of their own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back up before each import</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back up every day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backups</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Care for the database at night</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changes show at once, in the whole window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a line, then press its new keys.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Condense and archive old observations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Contrast</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copies of all you keep here, in the folder of the vault.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Daily backups kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Days that a proposal waits for you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Desktop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Diagnostics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find facts in conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find more names and links</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find names more accurately</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow the conversations of coding agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For when something is wrong: nothing here shows what you wrote.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Goals on a connection paid by volume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Heavy work on battery</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hints while you write</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How Keepsake fits into this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How conversations are summarised and memories are made of them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How much agents may do and are told. Their access is set in the Agents pane.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How texts are found by their words and by their meaning.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep a log of what Keepsake does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep passwords and keys found in conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep running when the window is closed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Length of what an agent is told, in tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let unused facts fade</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Limits of what runs at set times.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Monthly backups kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most it may cost in a month</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most that one run of a goal may cost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Older messages of a long conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Optional: it summarises, finds facts and pursues goals.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Price of what it reads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Price of what it writes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Private texts may go to a language model elsewhere</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Record what agents search for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Record your own calls too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reduced motion</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Results shown at once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Schedules and goals</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search models may be downloaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seconds that one run of a goal may take</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Service</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size of text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take memories from conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Upkeep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weekly backups kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is done by itself, mostly at night. The Schedule pane shows when.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What may leave this computer, what is taken in, and what is recorded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a reflection on the week</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>No setting has these words.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sections</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ShortcutEditor</name>
    <message>
        <source>Choose an action above</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New keys for ‘{name}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset this one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search by action or key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These keys already do {names}. They will be taken away there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use these keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{keys} alone types or moves something. Hold Ctrl or Alt with it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>Menu</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Panes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title}: {n} waiting</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SplitForm</name>
    <message>
        <source>Choose the names that mean somebody or something else.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its name; the first of those chosen when empty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of the second one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Split</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type of the second one</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StartPage</name>
    <message>
        <source>Bringing your memories up to date for this version of Keepsake: step {step} of {steps}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check the file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keepsake</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Making a backup, before your memories are brought up to date for this version of Keepsake.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open another vault…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening the vault</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening {vault}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rescue what can be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore a backup…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restoring the backup that you chose.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start in safe mode</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The vault could not be opened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no backup that could be restored.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use what was rescued</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is there now is kept beside the backups, so this can be taken back.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <source>1 agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Idle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Idle — next: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read-only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Working</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {span} left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>index complete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>indexing {n} pieces</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recognising names in {n} texts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{done} of {total}{unit}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{h} h {m} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} MB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} memories</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{rate}/s</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StatusEntries</name>
    <message>
        <source>1 program waits to be let in.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 request to {hosts} since {since}, at {last}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 thing could be better.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An earlier backup was read back and is whole ({when}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backup read back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Complete: there is nothing to search yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Complete: {n} pieces of text can be found by words and by meaning.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It has not been checked yet. A check reads everything and changes nothing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is due now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is switched off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is the only one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was checked and is sound ({when}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next: {when}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No agent is connected now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No backup has been read back yet. Verifying proves that one can be restored.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No remote service is set up; everything is computed here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None is set up, so nothing is spent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not run yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing has left this computer since Keepsake was started ({when}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open settings…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Please look at this</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Privacy settings…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remote services</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search index</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The backup that was read back ({when}) is damaged: {problem}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The language model runs on this computer, and so does the search.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The last check ({when}) found {n} errors. Repair the vault, or restore a backup.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The last one is of {when} ({size}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The newest backup was read back and is whole ({when}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The vault takes {size}; {free} of {disk} are free.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no backup yet. One is made each day once something changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Vault</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verify</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your settings let Keepsake use {hosts}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{names} is connected now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} are connected now: {names}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} pieces of text wait for the index.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} private ones are found by their words only.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} programs wait to be let in.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} requests to {hosts} since {since}, the last {last}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} texts wait to be read for names.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} things could be better.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{spent} of {cap} spent this month.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{spent} spent this month; there is no limit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{state}, {when}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source> (and {n} more)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> (paused)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel: {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No vault is open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause: {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume: {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Status: privacy and safety</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for {what}…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StatusPane</name>
    <message>
        <source>All is well; nothing needs you.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check the vault</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Needs a look</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One thing needs a look.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Safety</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Space and spending</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Status</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What runs by itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} things need a look.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StatusRow</name>
    <message>
        <source>One moment…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StatusUpdater</name>
    <message>
        <source>the vault to answer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SummaryTab</name>
    <message>
        <source>Condense all but the latest messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It stands for the messages up to number {n} of {last}. Version {epoch}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Long conversations are condensed by themselves; agents are then given this summary.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No summary yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Somebody else wrote it meanwhile; this is theirs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarise now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TagEdit</name>
    <message>
        <source>A tag needs a letter or a number.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a tag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept as #{tag}: a tag has no blanks or signs in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Known tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is room for {count} tags. Remove one first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This looks like a sentence. A tag is a word such as garden or garden/roses.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TimeSlider</name>
    <message>
        <source>Play how the graph grew</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the graph as of a day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Today</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TimelineStrip</name>
    <message>
        <source>Results by month</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{month}: 1 text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{month}: {count} texts</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Toast</name>
    <message>
        <source>Dismiss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo: {text}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Toaster</name>
    <message>
        <source>Notices</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>Capture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search or jump</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search or jump to a note or conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search or jump to…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This page has no inspector</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Link: {words}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TranscriptView</name>
    <message>
        <source>Called {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show more ({count} more characters)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Transcript</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>important</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} answered</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TrashBar</name>
    <message>
        <source>Empty the trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Empty trash…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Erase for ever</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Erase the note in the trash for ever?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Erase the {count} notes in the trash for ever?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Erased {count} from the trash for ever</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In the trash: {count}. It stays until you empty it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The trash is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Their text, history and search entries are removed from this vault. Nothing can undo this.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message>
        <source> (paused)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A program asks for access</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Allow {name}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let it go on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open Keepsake</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refuse {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scheduled work is paused · {status}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} (connected)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} (paused)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} asks for access to your memory.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>UndoStack</name>
    <message>
        <source>Redo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redo {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redoing {count} changes. This may take some seconds.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redone: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undoing {count} changes. This may take some seconds.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undone: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>undoing {what}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>VaultRescue</name>
    <message>
        <source>Another Keepsake could not be started.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copying what can be read into a new folder. This can take minutes; closing the window stops it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking for backups…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open another vault</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the whole file. Closing the window stops it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rescued {sessions} conversations, {messages} messages, {memories} notes and facts into {folder}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file is sound: {sessions} conversations, {messages} messages, {memories} notes and facts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verifying the copy, then restoring it. Closing the window before that is done changes nothing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} could not be read.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>VersionDiff</name>
    <message>
        <source>Close the comparison</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Differences</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The words are the same; title or tags differ.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>WeekView</name>
    <message>
        <source>Week</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} runs this week. {current}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>WelcomeDialog</name>
    <message>
        <source>A backup is made every day, and what you, an agent or a job changed can be undone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A memory of your own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents read your memory only after you allow them, and you can pause them at any time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All of it lies in one folder on this machine. Nothing is sent away unless you set that up.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An export of ChatGPT or Claude, or a folder of Markdown notes. You see first what will be made.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring things in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Closing the window can leave Keepsake in the tray, where your agents still reach it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Closing the window can leave Keepsake running, hidden. Start it again to see the window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How it works for you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keepsake keeps your conversations, notes and facts, and finds them again by words and meaning.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look at a sample vault</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Or start empty: Quick capture in the File menu saves a thought as a note.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>See backups</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Skip</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step {n} of {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The sample vault opens in a window of its own and leaves yours as it is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your vault: {folder}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>WhyNotDialog</name>
    <message>
        <source>Choose what you expected among the results of ‘{query}’.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conversations and memories</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search that way</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is nothing with these words or this title in the vault.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is about the message of the conversation that fits best.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This search shows it: {query}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why not …?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words of it, or its title…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>WhyPanel</name>
    <message>
        <source>A filled bar lifted the result, an outlined one lowered it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How it was found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Importance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mentions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Newness</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next marked word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other names</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous marked word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text of the result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What counted, and how much</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What else counted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>place {rank}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{m} marked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} of {m}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Window</name>
    <message>
        <source>Drop to import</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keepsake</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keepsake (safe mode)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the window is in safe mode: another Keepsake has your memories open. Quit that one for all of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Safe mode: schedules, models and search by meaning are off, and the appearance is the default one. Settings that you change count from the next start.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>WindowActions</name>
    <message>
        <source>Created ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keepsake ended unexpectedly on {time}. What was saved is kept. Copy the details if you want to report it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Link copied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No language model is set up. The settings llm.* name one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a note, conversation or search first; this place has no link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>create ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} answered in {seconds} seconds. This month it cost {cost}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{program}, {time}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>A message of several sentences</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A question came before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Archived</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As in the settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Best match overall</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Condensed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confirmed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Date</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted from the archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Digest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Digests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>E-mail address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>E-mail addresses</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Facts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follows a person</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Found because it {reasons}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hashtag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hashtags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How new it is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How new the conversation is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How results are grouped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How results are ranked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import ({origin})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It does not say {lacking}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is a note or fact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is a question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is about who hears it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is about who says it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is in the archive, which searches leave out. Add is:archived.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is no longer there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is not ready to be searched yet, or has no words of its own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It says a number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It says when</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It says {words}, but not {lacking}, and others fit better.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It says {words}, but so many others do that it did not come among the best.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It shares no word with your search, and others are nearer in meaning.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was deleted. Restore it from the trash, and searches find it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was found, but only as number {place}; the first {limit} are shown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was found: it is number {place} of the results.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its conversation is like the best ones</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its conversation is the newest of those</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its conversation was deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Judged by the reading model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Length</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Length of the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Length of the question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Meaning around it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Meaning before words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Meaning of the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Meaning of the message after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Meaning of the message before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mention</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mentions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mentions what you name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Merged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most of your words in one of its messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Names</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Names in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Observation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Observations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One list, best first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the meaning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only your words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Organization</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Organizations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other messages of its conversation came first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other names</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>People</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Person</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Place</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Place by meaning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Place by words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Places</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Private</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Projects</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read from the history</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reflection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reflections</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Renamed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Said again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Said by a person</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Said by someone you name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Said by whom you name first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Said soon after the time named</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Said to someone you name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of your words around it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of your words in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of your words in the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of your words in the message before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of your words two messages later</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Social</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Some nearest, some important, some latest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>System</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The date fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The message before asks about your words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Web address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Web addresses</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What words, meaning and names agree on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whether texts are chat or long</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words and meaning alike</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words and meaning, newer and repeated first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words around it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words of the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words of the message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words of the message after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words of the message before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words of the passage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words of the person in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words of the whole conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words side by side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words, for its length</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your search leaves it out because of {operators}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your search rules it out by {words}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>comes from {agent}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>has your words in its title or around it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is a {kind}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is about {names}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is among the newest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is from {month}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is important</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is near in meaning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is pinned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is tagged {tags}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mentions what you name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>more of your words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>says {words}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stands beside what fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stands in ‘{title}’</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>was said often</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{parts} and {last}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>_TitleField</name>
    <message>
        <source>Title</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
