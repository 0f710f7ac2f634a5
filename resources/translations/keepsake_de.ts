<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de">
<context>
    <name>AboutDialog</name>
    <message>
        <source>Copy debug information</source>
        <translation>Diagnosedaten kopieren</translation>
    </message>
    <message>
        <source>Debug information</source>
        <translation>Diagnosedaten</translation>
    </message>
    <message>
        <source>Keepsake</source>
        <translation>Keepsake</translation>
    </message>
    <message>
        <source>One person&apos;s long-term memory, on their own machine. MIT licence. Icons: Lucide (ISC).</source>
        <translation>Das Langzeitgedächtnis einer Person auf ihrem eigenen Rechner. MIT-Lizenz. Symbole: Lucide (ISC).</translation>
    </message>
    <message>
        <source>Version {version}</source>
        <translation>Version {version}</translation>
    </message>
</context>
<context>
    <name>AccessBar</name>
    <message>
        <source>1 more waits.</source>
        <translation>1 weitere wartet.</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>Erlauben</translation>
    </message>
    <message>
        <source>Familiar: reads social memories</source>
        <translation>Bekannt: liest soziale Erinnerungen</translation>
    </message>
    <message>
        <source>Full: reads and writes everything</source>
        <translation>Voll: liest und schreibt alles</translation>
    </message>
    <message>
        <source>Inner: reads shared and social, and writes</source>
        <translation>Vertraut: liest Geteiltes und Soziales, und schreibt</translation>
    </message>
    <message>
        <source>It says: {reason}</source>
        <translation>Es sagt: {reason}</translation>
    </message>
    <message>
        <source>Its changes wait in the inbox until you accept them.</source>
        <translation>Seine Änderungen warten im Eingang, bis du sie annimmst.</translation>
    </message>
    <message>
        <source>Public: reads nothing</source>
        <translation>Öffentlich: liest nichts</translation>
    </message>
    <message>
        <source>Refuse</source>
        <translation>Ablehnen</translation>
    </message>
    <message>
        <source>Review what it writes</source>
        <translation>Prüfen, was es schreibt</translation>
    </message>
    <message>
        <source>Trust of the program</source>
        <translation>Vertrauen in das Programm</translation>
    </message>
    <message>
        <source>{n} more wait.</source>
        <translation>{n} weitere warten.</translation>
    </message>
    <message>
        <source>“{name}” asks for access to your memory, with {trust} trust.</source>
        <translation>„{name}“ bittet um Zugriff auf dein Gedächtnis (Vertrauen: {trust}).</translation>
    </message>
    <message>
        <source>“{name}” has access already and asks for a new token. Is this the same program? Then allow it: its trust stays, and the token it had ends.</source>
        <translation>„{name}“ hat bereits Zugang und bittet um ein neues Token. Ist es dasselbe Programm? Dann erlaube es: Sein Vertrauen bleibt, und das bisherige Token endet.</translation>
    </message>
</context>
<context>
    <name>AccessRequests</name>
    <message>
        <source>Allowed {name}</source>
        <translation>{name} erlaubt</translation>
    </message>
    <message>
        <source>Refused {name}</source>
        <translation>{name} abgelehnt</translation>
    </message>
    <message>
        <source>The request of {name} is decided already</source>
        <translation>Über die Anfrage von {name} ist schon entschieden</translation>
    </message>
</context>
<context>
    <name>ActRow</name>
    <message>
        <source>Do again</source>
        <translation>Erneut ausführen</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Undo both…</source>
        <translation>Beides rückgängig machen …</translation>
    </message>
    <message>
        <source>Undone</source>
        <translation>Rückgängig gemacht</translation>
    </message>
    <message>
        <source>Undone in part</source>
        <translation>Teilweise rückgängig gemacht</translation>
    </message>
</context>
<context>
    <name>Activity</name>
    <message>
        <source>Condensing and archiving old observations</source>
        <translation>Alte Beobachtungen werden verdichtet und archiviert</translation>
    </message>
    <message>
        <source>Drawing facts from conversations that have ended</source>
        <translation>Aus beendeten Unterhaltungen werden Fakten gezogen</translation>
    </message>
    <message>
        <source>Getting search ready</source>
        <translation>Die Suche wird vorbereitet</translation>
    </message>
    <message>
        <source>Indexing your texts for search by meaning</source>
        <translation>Deine Texte werden für die Suche nach Bedeutung erfasst</translation>
    </message>
    <message>
        <source>Letting facts that nobody used fade a little</source>
        <translation>Unbenutzte Fakten verblassen ein wenig</translation>
    </message>
    <message>
        <source>Looking again for names in texts that have few</source>
        <translation>In Texten mit wenigen Namen wird noch einmal nach Namen gesucht</translation>
    </message>
    <message>
        <source>Recognising names in your texts</source>
        <translation>In deinen Texten werden Namen erkannt</translation>
    </message>
    <message>
        <source>Removing what is to be forgotten for ever</source>
        <translation>Was für immer vergessen werden soll, wird entfernt</translation>
    </message>
    <message>
        <source>Tidying the database and checking the latest backup</source>
        <translation>Die Datenbank wird aufgeräumt und die letzte Sicherung geprüft</translation>
    </message>
    <message>
        <source>Working on the goal ‘{name}’</source>
        <translation>Arbeit am Ziel „{name}“</translation>
    </message>
    <message>
        <source>Writing down what the week brought</source>
        <translation>Es wird aufgeschrieben, was die Woche gebracht hat</translation>
    </message>
    <message>
        <source>{doing} — next: {coming}</source>
        <translation>{doing} – als Nächstes: {coming}</translation>
    </message>
</context>
<context>
    <name>Acts</name>
    <message>
        <source>Keepsake, by itself</source>
        <translation>Keepsake, von selbst</translation>
    </message>
    <message>
        <source>The mirrored folder</source>
        <translation>Der gespiegelte Ordner</translation>
    </message>
    <message>
        <source>Undo both</source>
        <translation>Beides rückgängig machen</translation>
    </message>
    <message>
        <source>Undo both?</source>
        <translation>Beides rückgängig machen?</translation>
    </message>
    <message>
        <source>Undo both? Each is an entry of the history and can be done again there.</source>
        <translation>Beides rückgängig machen? Jedes ist ein Eintrag im Verlauf und lässt sich dort wiederholen.</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Du</translation>
    </message>
    <message>
        <source>‘{what}’ cannot be undone by itself.</source>
        <translation>‚{what}‘ lässt sich nicht allein rückgängig machen.</translation>
    </message>
</context>
<context>
    <name>AgentIndicator</name>
    <message>
        <source>Open this agent</source>
        <translation>Diesen Agenten öffnen</translation>
    </message>
    <message>
        <source>What an agent does</source>
        <translation>Was ein Agent tut</translation>
    </message>
    <message>
        <source>{name}: {did}</source>
        <translation>{name}: {did}</translation>
    </message>
</context>
<context>
    <name>AgentList</name>
    <message>
        <source>Add an agent</source>
        <translation>Agent hinzufügen</translation>
    </message>
    <message>
        <source>Agents</source>
        <translation>Agenten</translation>
    </message>
    <message>
        <source>Connect a program</source>
        <translation>Programm verbinden</translation>
    </message>
    <message>
        <source>Connected now</source>
        <translation>Gerade verbunden</translation>
    </message>
</context>
<context>
    <name>AgentPage</name>
    <message>
        <source>Calls</source>
        <translation>Aufrufe</translation>
    </message>
    <message>
        <source>Disconnect {title}…</source>
        <translation>{title} trennen …</translation>
    </message>
    <message>
        <source>End its access</source>
        <translation>Zugriff beenden</translation>
    </message>
    <message>
        <source>Hide all it wrote</source>
        <translation>Alles von ihm ausblenden</translation>
    </message>
    <message>
        <source>How often it may call</source>
        <translation>Wie oft er aufrufen darf</translation>
    </message>
    <message>
        <source>It has not called yet.</source>
        <translation>Er hat noch nichts aufgerufen.</translation>
    </message>
    <message>
        <source>Let it go on</source>
        <translation>Fortfahren lassen</translation>
    </message>
    <message>
        <source>May call as often as the settings allow</source>
        <translation>Darf so oft aufrufen, wie die Einstellungen erlauben</translation>
    </message>
    <message>
        <source>May call once a second</source>
        <translation>Darf einmal pro Sekunde aufrufen</translation>
    </message>
    <message>
        <source>May call {n} times a second</source>
        <translation>Darf {n}-mal pro Sekunde aufrufen</translation>
    </message>
    <message>
        <source>New token</source>
        <translation>Neues Token</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Show what is hidden again</source>
        <translation>Ausgeblendetes wieder zeigen</translation>
    </message>
    <message>
        <source>Trust</source>
        <translation>Vertrauen</translation>
    </message>
    <message>
        <source>Undo all it wrote today</source>
        <translation>Heute Geschriebenes zurücknehmen</translation>
    </message>
    <message>
        <source>What it did</source>
        <translation>Was er getan hat</translation>
    </message>
    <message>
        <source>What it may do</source>
        <translation>Was er darf</translation>
    </message>
    <message>
        <source>What it writes waits in the inbox until you accept it</source>
        <translation>Was er schreibt, wartet im Eingang, bis du es annimmst</translation>
    </message>
    <message>
        <source>in a vault of its own</source>
        <translation>in einem eigenen Tresor</translation>
    </message>
    <message>
        <source>its access ended on {when}</source>
        <translation>sein Zugriff endete {when}</translation>
    </message>
    <message>
        <source>{n} read</source>
        <translation>{n} gelesen</translation>
    </message>
    <message>
        <source>{n} written</source>
        <translation>{n} geschrieben</translation>
    </message>
    <message>
        <source>{rate} % of what it wrote was text that Keepsake had told it; that is not stored again.</source>
        <translation>{rate} % von dem, was er schrieb, war Text, den Keepsake ihm genannt hatte; der wird nicht noch einmal gespeichert.</translation>
    </message>
</context>
<context>
    <name>AgentView</name>
    <message>
        <source>A question to the agent; empty for what it is told anyway</source>
        <translation>Eine Frage an den Agenten; leer für das, was er ohnehin erfährt</translation>
    </message>
    <message>
        <source>Question to the agent</source>
        <translation>Frage an den Agenten</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>There is nothing to tell it yet.</source>
        <translation>Es gibt noch nichts, was er erfahren könnte.</translation>
    </message>
    <message>
        <source>Tokens used</source>
        <translation>Verwendete Tokens</translation>
    </message>
    <message>
        <source>What the agent would be told</source>
        <translation>Was der Agent erfahren würde</translation>
    </message>
    <message>
        <source>{n} of {most} tokens</source>
        <translation>{n} von {most} Tokens</translation>
    </message>
</context>
<context>
    <name>Agents</name>
    <message>
        <source>1 call failed</source>
        <translation>1 Aufruf gescheitert</translation>
    </message>
    <message>
        <source>1 call refused</source>
        <translation>1 Aufruf abgelehnt</translation>
    </message>
    <message>
        <source>1 item changed</source>
        <translation>1 Eintrag geändert</translation>
    </message>
    <message>
        <source>1 item read</source>
        <translation>1 Eintrag gelesen</translation>
    </message>
    <message>
        <source>1 other read</source>
        <translation>1 anderer Lesezugriff</translation>
    </message>
    <message>
        <source>1 proposal for the inbox</source>
        <translation>1 Vorschlag für den Eingang</translation>
    </message>
    <message>
        <source>1 search</source>
        <translation>1 Suche</translation>
    </message>
    <message>
        <source>1 write</source>
        <translation>1 Schreibvorgang</translation>
    </message>
    <message>
        <source>1 write that repeated recalled text</source>
        <translation>1 Schreibvorgang, der abgerufenen Text wiederholte</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>Angenommen</translation>
    </message>
    <message>
        <source>Echo</source>
        <translation>Echo</translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>Abgelaufen</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Gescheitert</translation>
    </message>
    <message>
        <source>Familiar: sees what is social</source>
        <translation>Bekannt: sieht Soziales</translation>
    </message>
    <message>
        <source>Full: sees everything, private too</source>
        <translation>Voll: sieht alles, auch Privates</translation>
    </message>
    <message>
        <source>In the inbox</source>
        <translation>Im Eingang</translation>
    </message>
    <message>
        <source>Incognito is off: your agents may read and record.</source>
        <translation>Inkognito ist aus: Deine Agenten dürfen lesen und aufzeichnen.</translation>
    </message>
    <message>
        <source>Incognito is on until {when}: no agent can read or record.</source>
        <translation>Inkognito ist an bis {when}: Kein Agent kann lesen oder aufzeichnen.</translation>
    </message>
    <message>
        <source>Incognito is on: no agent can read or record.</source>
        <translation>Inkognito ist an: Kein Agent kann lesen oder aufzeichnen.</translation>
    </message>
    <message>
        <source>Inner: sees what is shared and social</source>
        <translation>Vertraut: sieht Geteiltes und Soziales</translation>
    </message>
    <message>
        <source>Its proposal in the inbox</source>
        <translation>Der Vorschlag im Eingang</translation>
    </message>
    <message>
        <source>Last seen {when}</source>
        <translation>Zuletzt gesehen {when}</translation>
    </message>
    <message>
        <source>Never connected</source>
        <translation>Nie verbunden</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>Proposed</source>
        <translation>Vorgeschlagen</translation>
    </message>
    <message>
        <source>Public: sees nothing of yours</source>
        <translation>Öffentlich: sieht nichts von dir</translation>
    </message>
    <message>
        <source>Refused</source>
        <translation>Abgelehnt</translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation>Abgelehnt</translation>
    </message>
    <message>
        <source>Reviewed</source>
        <translation>Geprüft</translation>
    </message>
    <message>
        <source>Revoked</source>
        <translation>Widerrufen</translation>
    </message>
    <message>
        <source>{agent} has not called.</source>
        <translation>{agent} hat nichts aufgerufen.</translation>
    </message>
    <message>
        <source>{agent}: {counts}.</source>
        <translation>{agent}: {counts}.</translation>
    </message>
    <message>
        <source>{n} calls failed</source>
        <translation>{n} Aufrufe gescheitert</translation>
    </message>
    <message>
        <source>{n} calls refused</source>
        <translation>{n} Aufrufe abgelehnt</translation>
    </message>
    <message>
        <source>{n} different items read</source>
        <translation>{n} verschiedene Einträge gelesen</translation>
    </message>
    <message>
        <source>{n} items changed</source>
        <translation>{n} Einträge geändert</translation>
    </message>
    <message>
        <source>{n} other reads</source>
        <translation>{n} andere Lesezugriffe</translation>
    </message>
    <message>
        <source>{n} proposals for the inbox</source>
        <translation>{n} Vorschläge für den Eingang</translation>
    </message>
    <message>
        <source>{n} searches</source>
        <translation>{n} Suchen</translation>
    </message>
    <message>
        <source>{n} writes</source>
        <translation>{n} Schreibvorgänge</translation>
    </message>
    <message>
        <source>{n} writes that repeated recalled text</source>
        <translation>{n} Schreibvorgänge, die abgerufenen Text wiederholten</translation>
    </message>
</context>
<context>
    <name>AgentsPane</name>
    <message>
        <source>Add an agent</source>
        <translation>Agent hinzufügen</translation>
    </message>
    <message>
        <source>Add an agent by hand</source>
        <translation>Agent von Hand hinzufügen</translation>
    </message>
    <message>
        <source>Connect a program…</source>
        <translation>Programm verbinden …</translation>
    </message>
    <message>
        <source>Hid what {name} wrote</source>
        <translation>Ausgeblendet, was {name} geschrieben hat</translation>
    </message>
    <message>
        <source>No agents yet</source>
        <translation>Noch keine Agenten</translation>
    </message>
    <message>
        <source>Nothing of this call can be shown: it named no item, or all are gone.</source>
        <translation>Von diesem Aufruf lässt sich nichts zeigen: Er nannte keinen Eintrag, oder alle sind weg.</translation>
    </message>
    <message>
        <source>Programs such as Claude Code can use your memories, within limits that you set. You see what each one reads and writes, and can take it back.</source>
        <translation>Programme wie Claude Code können deine Erinnerungen nutzen, in Grenzen, die du setzt. Du siehst, was jedes liest und schreibt, und kannst es zurücknehmen.</translation>
    </message>
    <message>
        <source>Undid what {name} wrote today</source>
        <translation>Zurückgenommen, was {name} heute geschrieben hat</translation>
    </message>
    <message>
        <source>What {name} wrote shows again</source>
        <translation>Was {name} geschrieben hat, ist wieder zu sehen</translation>
    </message>
    <message>
        <source>keepsake agent connect claude-code does it from a terminal.</source>
        <translation>keepsake agent connect claude-code tut es im Terminal.</translation>
    </message>
    <message>
        <source>{name} has no access any more; what it wrote stays</source>
        <translation>{name} hat keinen Zugriff mehr; was geschrieben wurde, bleibt</translation>
    </message>
</context>
<context>
    <name>AppearancePanel</name>
    <message>
        <source>A field to type in</source>
        <translation>Ein Feld zum Tippen</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Example of a field</source>
        <translation>Beispiel eines Feldes</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Später</translation>
    </message>
    <message>
        <source>Note · edited today</source>
        <translation>Notiz · heute bearbeitet</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Soil and compost</source>
        <translation>Boden und Kompost</translation>
    </message>
    <message>
        <source>The north bed is too wet for roses: Rosa says to dig in sand before March.</source>
        <translation>Das Nordbeet ist zu nass für Rosen: Rosa sagt, vor März Sand untergraben.</translation>
    </message>
</context>
<context>
    <name>AttachmentOpener</name>
    <message>
        <source>Another program will open this file.</source>
        <translation>Ein anderes Programm wird diese Datei öffnen.</translation>
    </message>
    <message>
        <source>It is decrypted for that, until Keepsake is closed or locked.</source>
        <translation>Dafür wird sie entschlüsselt, bis Keepsake geschlossen oder gesperrt wird.</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open an attachment</source>
        <translation>Anhang öffnen</translation>
    </message>
    <message>
        <source>‘{name}’ cannot be opened. {why}</source>
        <translation>„{name}“ kann nicht geöffnet werden. {why}</translation>
    </message>
</context>
<context>
    <name>BackupChoice</name>
    <message>
        <source>A damaged database</source>
        <translation>Eine beschädigte Datenbank</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>Sicherungen</translation>
    </message>
    <message>
        <source>Before a restore</source>
        <translation>Vor einer Wiederherstellung</translation>
    </message>
    <message>
        <source>Before an import</source>
        <translation>Vor einem Import</translation>
    </message>
    <message>
        <source>Before an update</source>
        <translation>Vor einem Update</translation>
    </message>
    <message>
        <source>Cannot be read</source>
        <translation>Nicht lesbar</translation>
    </message>
    <message>
        <source>Every day</source>
        <translation>Jeden Tag</translation>
    </message>
    <message>
        <source>Made</source>
        <translation>Erstellt</translation>
    </message>
    <message>
        <source>Restore this backup</source>
        <translation>Diese Sicherung wiederherstellen</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Unbekannt</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>You asked for it</source>
        <translation>Von dir gewünscht</translation>
    </message>
</context>
<context>
    <name>BackupsPanel</name>
    <message>
        <source>1 conversation</source>
        <translation>1 Unterhaltung</translation>
    </message>
    <message>
        <source>1 memory</source>
        <translation>1 Erinnerung</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 Nachricht</translation>
    </message>
    <message>
        <source>A backup waits to be restored</source>
        <translation>Eine Sicherung wartet auf die Wiederherstellung</translation>
    </message>
    <message>
        <source>A damaged database</source>
        <translation>Eine beschädigte Datenbank</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>Jetzt sichern</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>Sicherungen</translation>
    </message>
    <message>
        <source>Before a restore</source>
        <translation>Vor einer Wiederherstellung</translation>
    </message>
    <message>
        <source>Before an import</source>
        <translation>Vor einem Import</translation>
    </message>
    <message>
        <source>Before an update</source>
        <translation>Vor einem Update</translation>
    </message>
    <message>
        <source>Call it off</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Calling it off…</source>
        <translation>Wird abgebrochen …</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Comes back: {what}</source>
        <translation>Kommt zurück: {what}</translation>
    </message>
    <message>
        <source>Comparing it with what you have now…</source>
        <translation>Vergleich mit dem jetzigen Stand …</translation>
    </message>
    <message>
        <source>Damaged</source>
        <translation>Beschädigt</translation>
    </message>
    <message>
        <source>Every day</source>
        <translation>Jeden Tag</translation>
    </message>
    <message>
        <source>Goes away: {what}</source>
        <translation>Fällt weg: {what}</translation>
    </message>
    <message>
        <source>Goes back to an earlier version: {n}</source>
        <translation>Auf einen früheren Stand zurückgesetzt: {n}</translation>
    </message>
    <message>
        <source>It takes the vault&apos;s place when Keepsake is started again.</source>
        <translation>Sie tritt an die Stelle des Tresors, wenn Keepsake neu gestartet wird.</translation>
    </message>
    <message>
        <source>Laying it ready…</source>
        <translation>Wird bereitgelegt …</translation>
    </message>
    <message>
        <source>Made</source>
        <translation>Erstellt</translation>
    </message>
    <message>
        <source>Making a backup…</source>
        <translation>Sicherung wird erstellt …</translation>
    </message>
    <message>
        <source>Nothing comes back.</source>
        <translation>Nichts kommt zurück.</translation>
    </message>
    <message>
        <source>Nothing goes away.</source>
        <translation>Nichts fällt weg.</translation>
    </message>
    <message>
        <source>Open the folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Reading all of it…</source>
        <translation>Alles wird gelesen …</translation>
    </message>
    <message>
        <source>Restore at the next start</source>
        <translation>Beim nächsten Start wiederherstellen</translation>
    </message>
    <message>
        <source>Restore…</source>
        <translation>Wiederherstellen …</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>There is no backup yet. The first one takes a few seconds.</source>
        <translation>Es gibt noch keine Sicherung. Die erste dauert ein paar Sekunden.</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Unbekannt</translation>
    </message>
    <message>
        <source>Verified</source>
        <translation>Überprüft</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>Überprüfen</translation>
    </message>
    <message>
        <source>What a restore would change</source>
        <translation>Was eine Wiederherstellung ändern würde</translation>
    </message>
    <message>
        <source>What you have now is kept as a backup, so this can be taken back. Settings stay as they are.</source>
        <translation>Der jetzige Stand wird als Sicherung behalten, du kannst also zurück. Die Einstellungen bleiben, wie sie sind.</translation>
    </message>
    <message>
        <source>Whole: messages {messages}, memories {memories}</source>
        <translation>Unversehrt: Nachrichten {messages}, Erinnerungen {memories}</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>You asked for it</source>
        <translation>Von dir gewünscht</translation>
    </message>
    <message>
        <source>{n} conversations</source>
        <translation>{n} Unterhaltungen</translation>
    </message>
    <message>
        <source>{n} memories</source>
        <translation>{n} Erinnerungen</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} Nachrichten</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Copy details</source>
        <translation>Details kopieren</translation>
    </message>
    <message>
        <source>Dismiss this message</source>
        <translation>Diese Meldung schließen</translation>
    </message>
    <message>
        <source>Show details</source>
        <translation>Details zeigen</translation>
    </message>
</context>
<context>
    <name>BaseDialog</name>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
</context>
<context>
    <name>BeliefRow</name>
    <message>
        <source>On {day}, {source}</source>
        <translation>Am {day}, {source}</translation>
    </message>
    <message>
        <source>Since {since}, {source}</source>
        <translation>Seit {since}, {source}</translation>
    </message>
    <message>
        <source>{since} to {until}, {source}</source>
        <translation>{since} bis {until}, {source}</translation>
    </message>
</context>
<context>
    <name>BulkActions</name>
    <message>
        <source>1 note is in no project now</source>
        <translation>1 Notiz gehört jetzt zu keinem Projekt</translation>
    </message>
    <message>
        <source>1 note is in the project ‘{project}’ now</source>
        <translation>1 Notiz gehört jetzt zum Projekt „{project}“</translation>
    </message>
    <message>
        <source>1 note is now in the store ‘{store}’</source>
        <translation>1 Notiz ist jetzt im Bereich „{store}“</translation>
    </message>
    <message>
        <source>Archived 1 note</source>
        <translation>1 Notiz archiviert</translation>
    </message>
    <message>
        <source>Archived {n} notes</source>
        <translation>{n} Notizen archiviert</translation>
    </message>
    <message>
        <source>Merged {count} notes into ‘{title}’</source>
        <translation>{count} Notizen zu „{title}“ zusammengeführt</translation>
    </message>
    <message>
        <source>Pinned 1 note</source>
        <translation>1 Notiz angeheftet</translation>
    </message>
    <message>
        <source>Pinned {n} notes</source>
        <translation>{n} Notizen angeheftet</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Put the notes into this project; leave it empty for none:</source>
        <translation>Die Notizen diesem Projekt zuordnen; leer lassen für keines:</translation>
    </message>
    <message>
        <source>Unpinned 1 note</source>
        <translation>1 Notiz gelöst</translation>
    </message>
    <message>
        <source>Unpinned {n} notes</source>
        <translation>{n} Notizen gelöst</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Ohne Titel</translation>
    </message>
    <message>
        <source>also programs that speak for you</source>
        <translation>auch Programme, die für dich sprechen</translation>
    </message>
    <message>
        <source>also programs that work for you</source>
        <translation>auch Programme, die für dich arbeiten</translation>
    </message>
    <message>
        <source>only you and programs you trust fully</source>
        <translation>nur du und Programme, denen du voll vertraust</translation>
    </message>
    <message>
        <source>{n} notes are in no project now</source>
        <translation>{n} Notizen gehören jetzt zu keinem Projekt</translation>
    </message>
    <message>
        <source>{n} notes are in the project ‘{project}’ now</source>
        <translation>{n} Notizen gehören jetzt zum Projekt „{project}“</translation>
    </message>
    <message>
        <source>{n} notes are now in the store ‘{store}’</source>
        <translation>{n} Notizen sind jetzt im Bereich „{store}“</translation>
    </message>
    <message>
        <source>{store}: {who}</source>
        <translation>{store}: {who}</translation>
    </message>
</context>
<context>
    <name>CadenceForm</name>
    <message>
        <source>At</source>
        <translation>Um</translation>
    </message>
    <message>
        <source>At an interval</source>
        <translation>In Abständen</translation>
    </message>
    <message>
        <source>Cron expression</source>
        <translation>Cron-Ausdruck</translation>
    </message>
    <message>
        <source>Day and time</source>
        <translation>Tag und Uhrzeit</translation>
    </message>
    <message>
        <source>Day of the month</source>
        <translation>Tag des Monats</translation>
    </message>
    <message>
        <source>Every</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>Every day</source>
        <translation>Jeden Tag</translation>
    </message>
    <message>
        <source>Every month</source>
        <translation>Jeden Monat</translation>
    </message>
    <message>
        <source>Expression</source>
        <translation>Ausdruck</translation>
    </message>
    <message>
        <source>How often</source>
        <translation>Wie oft</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>On</source>
        <translation>Am</translation>
    </message>
    <message>
        <source>On days of the week</source>
        <translation>An Wochentagen</translation>
    </message>
    <message>
        <source>Once</source>
        <translation>Einmal</translation>
    </message>
    <message>
        <source>Time of day</source>
        <translation>Uhrzeit</translation>
    </message>
    <message>
        <source>Time zone</source>
        <translation>Zeitzone</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>Einheit</translation>
    </message>
    <message>
        <source>days</source>
        <translation>Tage</translation>
    </message>
    <message>
        <source>hours</source>
        <translation>Stunden</translation>
    </message>
    <message>
        <source>minutes</source>
        <translation>Minuten</translation>
    </message>
</context>
<context>
    <name>CapsuleSheet</name>
    <message>
        <source>1 memory</source>
        <translation>1 Erinnerung</translation>
    </message>
    <message>
        <source>1 memory goes in</source>
        <translation>1 Erinnerung kommt hinein</translation>
    </message>
    <message>
        <source>1 year</source>
        <translation>1 Jahr</translation>
    </message>
    <message>
        <source>A capsule is a file with notes and facts of your choice for another person or agent. It is signed, so that they see if somebody changed it, and can be imported until the day you choose. It is not encrypted: everybody who has the file can read it.</source>
        <translation>Eine Kapsel ist eine Datei mit Notizen und Fakten deiner Wahl für eine andere Person oder einen Agenten. Sie ist signiert, damit Änderungen auffallen, und lässt sich bis zu dem Tag importieren, den du wählst. Sie ist nicht verschlüsselt: Wer die Datei hat, kann sie lesen.</translation>
    </message>
    <message>
        <source>A capsule that is there is replaced.</source>
        <translation>Eine vorhandene Kapsel wird ersetzt.</translation>
    </message>
    <message>
        <source>About other people</source>
        <translation>Über andere Menschen</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>Can be imported for</source>
        <translation>Importierbar für</translation>
    </message>
    <message>
        <source>Capsules (*.capsule)</source>
        <translation>Kapseln (*.capsule)</translation>
    </message>
    <message>
        <source>Choose where to write the file</source>
        <translation>Wählen, wohin die Datei geschrieben wird</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy your key</source>
        <translation>Deinen Schlüssel kopieren</translation>
    </message>
    <message>
        <source>Facts alone</source>
        <translation>Nur Fakten</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>For</source>
        <translation>Für</translation>
    </message>
    <message>
        <source>How many go in</source>
        <translation>Wie viele hineinkommen</translation>
    </message>
    <message>
        <source>In their title or text.</source>
        <translation>In Titel oder Text.</translation>
    </message>
    <message>
        <source>Make a capsule</source>
        <translation>Eine Kapsel erstellen</translation>
    </message>
    <message>
        <source>Make the capsule</source>
        <translation>Kapsel erstellen</translation>
    </message>
    <message>
        <source>Notes alone</source>
        <translation>Nur Notizen</translation>
    </message>
    <message>
        <source>Notes and facts</source>
        <translation>Notizen und Fakten</translation>
    </message>
    <message>
        <source>Notes or facts</source>
        <translation>Notizen oder Fakten</translation>
    </message>
    <message>
        <source>Nothing goes in</source>
        <translation>Nichts kommt hinein</translation>
    </message>
    <message>
        <source>Private</source>
        <translation>Privat</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Shared with your agents</source>
        <translation>Mit deinen Agenten geteilt</translation>
    </message>
    <message>
        <source>So that they know whom it is from.</source>
        <translation>Damit sie wissen, von wem sie ist.</translation>
    </message>
    <message>
        <source>Tags that they have</source>
        <translation>Schlagwörter, die sie haben</translation>
    </message>
    <message>
        <source>Tell it to the receiver in another way, such as by telephone. Then they know that it is yours.</source>
        <translation>Sag ihn dem Empfänger auf anderem Weg, etwa am Telefon. Dann weiß er, dass es deiner ist.</translation>
    </message>
    <message>
        <source>The name of the person or agent, for them to see.</source>
        <translation>Der Name der Person oder des Agenten, für sie sichtbar.</translation>
    </message>
    <message>
        <source>Until {day}.</source>
        <translation>Bis {day}.</translation>
    </message>
    <message>
        <source>Who may see them now</source>
        <translation>Wer sie jetzt sehen darf</translation>
    </message>
    <message>
        <source>With all of these tags</source>
        <translation>Mit all diesen Schlagwörtern</translation>
    </message>
    <message>
        <source>With these words</source>
        <translation>Mit diesen Wörtern</translation>
    </message>
    <message>
        <source>Words that they contain</source>
        <translation>Wörter, die sie enthalten</translation>
    </message>
    <message>
        <source>Wrote {name} with {memories}. It can be imported until {day}.</source>
        <translation>{name} mit {memories} geschrieben. Die Kapsel lässt sich bis {day} importieren.</translation>
    </message>
    <message>
        <source>Your key</source>
        <translation>Dein Schlüssel</translation>
    </message>
    <message>
        <source>Your key in short</source>
        <translation>Dein Schlüssel in Kurzform</translation>
    </message>
    <message>
        <source>Your name</source>
        <translation>Dein Name</translation>
    </message>
    <message>
        <source>{n} days</source>
        <translation>{n} Tage</translation>
    </message>
    <message>
        <source>{n} memories</source>
        <translation>{n} Erinnerungen</translation>
    </message>
    <message>
        <source>{n} memories go in</source>
        <translation>{n} Erinnerungen kommen hinein</translation>
    </message>
</context>
<context>
    <name>ChangeView</name>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>Proposed</source>
        <translation>Vorgeschlagen</translation>
    </message>
    <message>
        <source>You know</source>
        <translation>Du weißt</translation>
    </message>
</context>
<context>
    <name>Chip</name>
    <message>
        <source>Remove the tag {name}</source>
        <translation>Schlagwort {name} entfernen</translation>
    </message>
    <message>
        <source>Tag {name}, press to remove</source>
        <translation>Schlagwort {name}, zum Entfernen drücken</translation>
    </message>
</context>
<context>
    <name>ClashBar</name>
    <message>
        <source>Forget the stored fact</source>
        <translation>Gespeicherten Fakt vergessen</translation>
    </message>
    <message>
        <source>Keep both</source>
        <translation>Beide behalten</translation>
    </message>
    <message>
        <source>Now: {text}</source>
        <translation>Jetzt: {text}</translation>
    </message>
    <message>
        <source>Open the inbox</source>
        <translation>Eingang öffnen</translation>
    </message>
    <message>
        <source>Open the stored fact</source>
        <translation>Gespeicherten Fakt öffnen</translation>
    </message>
    <message>
        <source>Stored ({when}): {text}</source>
        <translation>Gespeichert ({when}): {text}</translation>
    </message>
    <message>
        <source>What you just wrote may not agree with what is stored</source>
        <translation>Was du gerade geschrieben hast, passt vielleicht nicht zu dem, was gespeichert ist</translation>
    </message>
</context>
<context>
    <name>ClashWatcher</name>
    <message>
        <source>Forgot the stored fact</source>
        <translation>Gespeicherten Fakt vergessen</translation>
    </message>
</context>
<context>
    <name>ComparisonPanel</name>
    <message>
        <source>Asking both models the same questions…</source>
        <translation>Beide Modelle werden dasselbe gefragt …</translation>
    </message>
    <message>
        <source>It was stopped, so this is of part of the questions.</source>
        <translation>Es wurde angehalten, darum gilt dies nur für einen Teil der Fragen.</translation>
    </message>
    <message>
        <source>Progress of the comparison</source>
        <translation>Fortschritt des Vergleichs</translation>
    </message>
    <message>
        <source>Questions answered by words alone because {model} failed: {failed}.</source>
        <translation>Fragen, die nur über Wörter beantwortet wurden, weil {model} ausfiel: {failed}.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Texts without a vector by {model}: {count}.</source>
        <translation>Texte ohne Vektor von {model}: {count}.</translation>
    </message>
    <message>
        <source>{now} finds {found} of {questions} known answers among its first ten results, {other} finds {others}. The questions are made from your own texts.</source>
        <translation>{now} findet {found} von {questions} bekannten Antworten unter den ersten zehn Treffern, {other} findet {others}. Die Fragen sind aus deinen eigenen Texten gemacht.</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Message to yourself</source>
        <translation>Nachricht an dich selbst</translation>
    </message>
    <message>
        <source>Write to yourself…</source>
        <translation>Schreib dir selbst …</translation>
    </message>
</context>
<context>
    <name>ConfidenceCurve</name>
    <message>
        <source>Confidence over time</source>
        <translation>Sicherheit im Lauf der Zeit</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
</context>
<context>
    <name>ConnectForm</name>
    <message>
        <source>A copy of its configuration from before is in {path}.</source>
        <translation>Eine Kopie seiner früheren Konfiguration liegt in {path}.</translation>
    </message>
    <message>
        <source>Also tell it what matters before each answer, and keep its conversations</source>
        <translation>Ihm vor jeder Antwort auch sagen, was zählt, und seine Unterhaltungen behalten</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Connect a program</source>
        <translation>Programm verbinden</translation>
    </message>
    <message>
        <source>Connected</source>
        <translation>Verbunden</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>Trennen</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>How much it may see</source>
        <translation>Wie viel es sehen darf</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>Installiert</translation>
    </message>
    <message>
        <source>It is the agent “{agent}” from now on.</source>
        <translation>Es ist ab jetzt der Agent „{agent}“.</translation>
    </message>
    <message>
        <source>Its access as the agent “{agent}” has ended; what it wrote stays.</source>
        <translation>Sein Zugriff als Agent „{agent}“ ist beendet; was es geschrieben hat, bleibt.</translation>
    </message>
    <message>
        <source>Its name here</source>
        <translation>Sein Name hier</translation>
    </message>
    <message>
        <source>Keepsake adds itself to the program’s configuration. You see the change before it is written.</source>
        <translation>Keepsake trägt sich in die Konfiguration des Programms ein. Du siehst die Änderung, bevor sie geschrieben wird.</translation>
    </message>
    <message>
        <source>Name of the agent</source>
        <translation>Name des Agenten</translation>
    </message>
    <message>
        <source>Not found on this computer</source>
        <translation>Auf diesem Rechner nicht gefunden</translation>
    </message>
    <message>
        <source>Nothing is left to change in its configuration</source>
        <translation>In seiner Konfiguration ist nichts mehr zu ändern</translation>
    </message>
    <message>
        <source>Programs</source>
        <translation>Programme</translation>
    </message>
    <message>
        <source>The agent “{agent}”</source>
        <translation>Der Agent „{agent}“</translation>
    </message>
    <message>
        <source>These {n} files will change</source>
        <translation>Diese {n} Dateien ändern sich</translation>
    </message>
    <message>
        <source>This will change</source>
        <translation>Das ändert sich</translation>
    </message>
    <message>
        <source>Trust</source>
        <translation>Vertrauen</translation>
    </message>
    <message>
        <source>Waiting for it to call for the first time…</source>
        <translation>Wartet auf den ersten Aufruf …</translation>
    </message>
    <message>
        <source>What it writes waits in the inbox until you accept it</source>
        <translation>Was er schreibt, wartet im Eingang, bis du es annimmst</translation>
    </message>
    <message>
        <source>Write this change</source>
        <translation>Diese Änderung schreiben</translation>
    </message>
    <message>
        <source>{title} has connected: all is set up.</source>
        <translation>{title} hat sich verbunden: Alles ist eingerichtet.</translation>
    </message>
    <message>
        <source>{title} is connected</source>
        <translation>{title} ist verbunden</translation>
    </message>
    <message>
        <source>{title} is no longer connected</source>
        <translation>{title} ist nicht mehr verbunden</translation>
    </message>
    <message>
        <source>{title} is not on this computer. Install it first; then it can be connected here.</source>
        <translation>{title} ist nicht auf diesem Computer. Installiere es zuerst, dann lässt es sich hier verbinden.</translation>
    </message>
</context>
<context>
    <name>ConversationTabs</name>
    <message>
        <source>Facts</source>
        <translation>Fakten</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Nachrichten</translation>
    </message>
    <message>
        <source>Parts of the conversation</source>
        <translation>Teile der Unterhaltung</translation>
    </message>
    <message>
        <source>Scratchpad</source>
        <translation>Notizzettel</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>What an agent would be told</source>
        <translation>Sicht des Agenten</translation>
    </message>
</context>
<context>
    <name>CorrectionForm</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>What is right</source>
        <translation>Was richtig ist</translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Crash report</source>
        <translation>Absturzbericht</translation>
    </message>
    <message>
        <source>It names files and functions of the program and nothing you wrote. Nothing was sent anywhere.</source>
        <translation>Er nennt Dateien und Funktionen des Programms und nichts, was du geschrieben hast. Nichts wurde irgendwohin gesendet.</translation>
    </message>
</context>
<context>
    <name>CutOffCard</name>
    <message>
        <source>Go on…</source>
        <translation>Fortsetzen…</translation>
    </message>
    <message>
        <source>It began on {day}. What it brought in so far is there; going on adds the rest, nothing twice.</source>
        <translation>Er begann am {day}. Was er bisher brachte, ist da; Fortsetzen fügt den Rest hinzu, nichts doppelt.</translation>
    </message>
    <message>
        <source>Leave it as it is</source>
        <translation>So lassen</translation>
    </message>
    <message>
        <source>The import of {name} was cut off</source>
        <translation>Der Import von {name} wurde abgebrochen</translation>
    </message>
</context>
<context>
    <name>CutOffImports</name>
    <message>
        <source>The import of {name} was cut off. Open Import to go on; nothing is added twice.</source>
        <translation>Der Import von {name} wurde abgebrochen. Öffne „Importieren“, um fortzusetzen; nichts kommt doppelt hinzu.</translation>
    </message>
</context>
<context>
    <name>DateForms</name>
    <message>
        <source>MMM</source>
        <translation>MMM</translation>
    </message>
    <message>
        <source>MMM yyyy</source>
        <translation>MMM yyyy</translation>
    </message>
    <message>
        <source>MMMM yyyy</source>
        <translation>MMMM yyyy</translation>
    </message>
    <message>
        <source>d</source>
        <translation>d.</translation>
    </message>
    <message>
        <source>d MMM</source>
        <translation>d. MMM</translation>
    </message>
    <message>
        <source>d MMM yyyy</source>
        <translation>d. MMM yyyy</translation>
    </message>
    <message>
        <source>d MMMM yyyy</source>
        <translation>d. MMMM yyyy</translation>
    </message>
    <message>
        <source>d MMMM yyyy, HH:mm</source>
        <translation>d. MMMM yyyy, HH:mm</translation>
    </message>
    <message>
        <source>ddd d MMM</source>
        <translation>ddd d. MMM</translation>
    </message>
    <message>
        <source>dddd, d MMMM</source>
        <translation>dddd, d. MMMM</translation>
    </message>
    <message>
        <source>dddd, d MMMM yyyy</source>
        <translation>dddd, d. MMMM yyyy</translation>
    </message>
    <message>
        <source>yyyy</source>
        <translation>yyyy</translation>
    </message>
</context>
<context>
    <name>DateMenu</name>
    <message>
        <source>Date to go to</source>
        <translation>Datum, zu dem es geht</translation>
    </message>
</context>
<context>
    <name>Dates</name>
    <message>
        <source>Before this year</source>
        <translation>Vor diesem Jahr</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>Letzte 30 Tage</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>Letzte 7 Tage</translation>
    </message>
    <message>
        <source>This year</source>
        <translation>Dieses Jahr</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Gestern</translation>
    </message>
</context>
<context>
    <name>DayCalendar</name>
    <message>
        <source>Begin a daily note</source>
        <translation>Tagesnotiz beginnen</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Unterhaltungen</translation>
    </message>
    <message>
        <source>Go to today</source>
        <translation>Zu heute gehen</translation>
    </message>
    <message>
        <source>Month after</source>
        <translation>Nächster Monat</translation>
    </message>
    <message>
        <source>Month before</source>
        <translation>Voriger Monat</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>Open the daily note</source>
        <translation>Tagesnotiz öffnen</translation>
    </message>
    <message>
        <source>Show conversations of this day</source>
        <translation>Unterhaltungen dieses Tages zeigen</translation>
    </message>
    <message>
        <source>Show notes of this day</source>
        <translation>Notizen dieses Tages zeigen</translation>
    </message>
    <message>
        <source>{month}, go to today</source>
        <translation>{month}, zu heute gehen</translation>
    </message>
</context>
<context>
    <name>DecryptionForm</name>
    <message>
        <source>Decrypt them</source>
        <translation>Entschlüsseln</translation>
    </message>
    <message>
        <source>Keep them encrypted</source>
        <translation>Verschlüsselt lassen</translation>
    </message>
</context>
<context>
    <name>DesktopPanel</name>
    <message>
        <source>Command of quick capture</source>
        <translation>Befehl der Schnellerfassung</translation>
    </message>
    <message>
        <source>It starts in the tray, where your agents reach it.</source>
        <translation>Es startet im Infobereich, wo deine Agenten es erreichen.</translation>
    </message>
    <message>
        <source>It starts in the tray, where your agents reach it. No window opens.</source>
        <translation>Es startet im Infobereich, wo deine Agenten es erreichen. Es öffnet sich kein Fenster.</translation>
    </message>
    <message>
        <source>Quick capture by a command</source>
        <translation>Schnellerfassung mit einem Befehl</translation>
    </message>
    <message>
        <source>Start Keepsake when you log in</source>
        <translation>Keepsake beim Anmelden starten</translation>
    </message>
    <message>
        <source>Start at login, autostart, quick capture, global shortcut</source>
        <translation>Beim Anmelden starten, Autostart, Schnellerfassung, globales Tastenkürzel</translation>
    </message>
    <message>
        <source>Where your desktop grants no shortcuts to programs, add one in its settings with this command:</source>
        <translation>Wo dein Desktop Programmen keine Tastenkürzel gewährt, füge in seinen Einstellungen eines mit diesem Befehl hinzu:</translation>
    </message>
    <message>
        <source>‘keepsake capture TEXT’ saves a note at once, without a window.</source>
        <translation>„keepsake capture TEXT“ speichert sofort eine Notiz, ohne Fenster.</translation>
    </message>
</context>
<context>
    <name>DeviceForm</name>
    <message>
        <source>A PostgreSQL database, a WebDAV folder such as one of Nextcloud, or S3 storage, each with its login. The help page shows what the address of each looks like.</source>
        <translation>Eine PostgreSQL-Datenbank, ein WebDAV-Ordner wie einer von Nextcloud oder S3-Speicher, jeweils mit den Zugangsdaten. Die Hilfeseite zeigt, wie die Adresse von jedem aussieht.</translation>
    </message>
    <message>
        <source>A folder, or postgresql://…, https://… or s3://… with the login</source>
        <translation>Ein Ordner, oder postgresql://…, https://… oder s3://… mit den Zugangsdaten</translation>
    </message>
    <message>
        <source>Add a machine</source>
        <translation>Einen Rechner hinzufügen</translation>
    </message>
    <message>
        <source>Add a machine until {time}</source>
        <translation>Rechner hinzufügen bis {time}</translation>
    </message>
    <message>
        <source>Another name for this machine</source>
        <translation>Ein anderer Name für diesen Rechner</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Choose the folder where your machines meet</source>
        <translation>Wähle den Ordner, in dem sich deine Rechner treffen</translation>
    </message>
    <message>
        <source>Choose the folder…</source>
        <translation>Ordner wählen …</translation>
    </message>
    <message>
        <source>Copy the words</source>
        <translation>Wörter kopieren</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>From the other machine, in their order</source>
        <translation>Vom anderen Rechner, in ihrer Reihenfolge</translation>
    </message>
    <message>
        <source>Invitation (*.{suffix})</source>
        <translation>Einladung (*.{suffix})</translation>
    </message>
    <message>
        <source>It reads nothing that is written from now on. What it has already, it keeps: nobody can erase it from afar. If it was stolen, change the password of the server or folder too.</source>
        <translation>Er liest nichts mehr, was ab jetzt geschrieben wird. Was er schon hat, behält er: Aus der Ferne kann es niemand löschen. Wurde er gestohlen, ändere auch das Passwort des Servers oder Ordners.</translation>
    </message>
    <message>
        <source>Join</source>
        <translation>Beitreten</translation>
    </message>
    <message>
        <source>Join your other machines</source>
        <translation>Deinen anderen Rechnern beitreten</translation>
    </message>
    <message>
        <source>Name of the machine</source>
        <translation>Name des Rechners</translation>
    </message>
    <message>
        <source>On a machine that shares already, choose “Add a machine…”, and type its twelve words here. Name the folder where it is on this machine, or the same server, which you can take from the file that was saved there.</source>
        <translation>Wähle auf einem Rechner, der schon teilt, „Rechner hinzufügen …“ und tippe dessen zwölf Wörter hier ein. Nenne den Ordner, wo er auf diesem Rechner liegt, oder denselben Server, den du aus der dort gesicherten Datei übernehmen kannst.</translation>
    </message>
    <message>
        <source>On the new machine, choose “Join my other machines…” and type these words. They count once, and end when Keepsake is closed here. Then come back here and let it in.</source>
        <translation>Wähle auf dem neuen Rechner „Meinen anderen Rechnern beitreten …“ und tippe diese Wörter ein. Sie gelten einmal und enden, wenn Keepsake hier geschlossen wird. Komm dann hierher zurück und lass ihn herein.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove {machine}?</source>
        <translation>{machine} entfernen?</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Save the address</source>
        <translation>Adresse sichern</translation>
    </message>
    <message>
        <source>Save the address as a file…</source>
        <translation>Adresse als Datei sichern …</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Teilen</translation>
    </message>
    <message>
        <source>Share through a server</source>
        <translation>Über einen Server teilen</translation>
    </message>
    <message>
        <source>Stop sharing</source>
        <translation>Nicht mehr teilen</translation>
    </message>
    <message>
        <source>Stop sharing from this machine?</source>
        <translation>Von diesem Rechner nicht mehr teilen?</translation>
    </message>
    <message>
        <source>Such as laptop</source>
        <translation>Zum Beispiel Laptop</translation>
    </message>
    <message>
        <source>Take the address from a file</source>
        <translation>Adresse aus einer Datei übernehmen</translation>
    </message>
    <message>
        <source>Take the address from a file…</source>
        <translation>Adresse aus einer Datei übernehmen …</translation>
    </message>
    <message>
        <source>The ten minutes of these words are over. Choose “Add a machine…” for others.</source>
        <translation>Die zehn Minuten dieser Wörter sind vorbei. Wähle „Rechner hinzufügen …“ für andere.</translation>
    </message>
    <message>
        <source>This machine and the others keep all that they have. You can join again at any time.</source>
        <translation>Dieser Rechner und die anderen behalten alles, was sie haben. Du kannst jederzeit wieder beitreten.</translation>
    </message>
    <message>
        <source>Twelve words</source>
        <translation>Zwölf Wörter</translation>
    </message>
    <message>
        <source>Where they meet</source>
        <translation>Wo sie sich treffen</translation>
    </message>
    <message>
        <source>Words of the invitation</source>
        <translation>Wörter der Einladung</translation>
    </message>
</context>
<context>
    <name>DevicesPanel</name>
    <message>
        <source>1 change behind</source>
        <translation>1 Änderung zurück</translation>
    </message>
    <message>
        <source>1 memory or conversation that is here is gone there. If you did that, let it go here too.</source>
        <translation>1 Erinnerung oder Unterhaltung, die hier ist, ist dort verschwunden. Wenn du das warst, lass sie auch hier gehen.</translation>
    </message>
    <message>
        <source>Add a machine…</source>
        <translation>Rechner hinzufügen …</translation>
    </message>
    <message>
        <source>All was exchanged at {time}.</source>
        <translation>Alles wurde um {time} ausgetauscht.</translation>
    </message>
    <message>
        <source>All your machines have forgotten what was erased for ever.</source>
        <translation>Alle deine Rechner haben vergessen, was endgültig gelöscht wurde.</translation>
    </message>
    <message>
        <source>Exchange now</source>
        <translation>Jetzt austauschen</translation>
    </message>
    <message>
        <source>Exchanging…</source>
        <translation>Austausch läuft …</translation>
    </message>
    <message>
        <source>Has 1 thing still to erase</source>
        <translation>Muss noch 1 Sache löschen</translation>
    </message>
    <message>
        <source>Has all that is here</source>
        <translation>Hat alles, was hier ist</translation>
    </message>
    <message>
        <source>Has {n} things still to erase</source>
        <translation>Muss noch {n} Sachen löschen</translation>
    </message>
    <message>
        <source>Heard of</source>
        <translation>Zuletzt gehört</translation>
    </message>
    <message>
        <source>If you typed the words there yourself, let it in. It then holds your whole memory.</source>
        <translation>Wenn du selbst die Wörter dort eingetippt hast, lass ihn herein. Er hat dann dein ganzes Gedächtnis.</translation>
    </message>
    <message>
        <source>Join my other machines…</source>
        <translation>Meinen anderen Rechnern beitreten …</translation>
    </message>
    <message>
        <source>Leaving…</source>
        <translation>Wird beendet …</translation>
    </message>
    <message>
        <source>Let it in</source>
        <translation>Hereinlassen</translation>
    </message>
    <message>
        <source>Letting it in…</source>
        <translation>Wird hereingelassen …</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>Making the words…</source>
        <translation>Wörter werden erzeugt …</translation>
    </message>
    <message>
        <source>Much was removed on another machine</source>
        <translation>Auf einem anderen Rechner wurde viel entfernt</translation>
    </message>
    <message>
        <source>Not heard of yet</source>
        <translation>Noch nichts gehört</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>Nicht jetzt</translation>
    </message>
    <message>
        <source>Nothing was exchanged yet since Keepsake was started.</source>
        <translation>Seit dem Start von Keepsake wurde noch nichts ausgetauscht.</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Paused: nothing is exchanged. What you write goes out when you resume.</source>
        <translation>Angehalten: Nichts wird ausgetauscht. Was du schreibst, geht hinaus, sobald du fortsetzt.</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Refuse</source>
        <translation>Abweisen</translation>
    </message>
    <message>
        <source>Remove it here too</source>
        <translation>Auch hier entfernen</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>Entfernen …</translation>
    </message>
    <message>
        <source>Removing it…</source>
        <translation>Wird entfernt …</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>Umbenennen …</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Runs 1 schedule for all</source>
        <translation>Führt 1 Zeitplan für alle aus</translation>
    </message>
    <message>
        <source>Runs {n} schedules for all</source>
        <translation>Führt {n} Zeitpläne für alle aus</translation>
    </message>
    <message>
        <source>Share through a folder…</source>
        <translation>Über einen Ordner teilen …</translation>
    </message>
    <message>
        <source>Share through a server…</source>
        <translation>Über einen Server teilen …</translation>
    </message>
    <message>
        <source>Sharing…</source>
        <translation>Wird geteilt …</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Stand</translation>
    </message>
    <message>
        <source>Stop sharing…</source>
        <translation>Nicht mehr teilen …</translation>
    </message>
    <message>
        <source>Waiting until the other machine lets this one in…</source>
        <translation>Wartet, bis der andere Rechner diesen hereinlässt …</translation>
    </message>
    <message>
        <source>Your machines meet at {place}.</source>
        <translation>Deine Rechner treffen sich hier: {place}.</translation>
    </message>
    <message>
        <source>Your memory lives on this machine alone. Each of your machines can hold all of it, work without a network, and meet the others through a folder that a program such as Syncthing or Dropbox keeps the same everywhere, or through a server. What lies there is sealed: only your machines can read it.</source>
        <translation>Dein Gedächtnis lebt allein auf diesem Rechner. Jeder deiner Rechner kann alles davon haben, ohne Netz arbeiten und die anderen über einen Ordner treffen, den ein Programm wie Syncthing oder Dropbox überall gleich hält, oder über einen Server. Was dort liegt, ist versiegelt: Nur deine Rechner können es lesen.</translation>
    </message>
    <message>
        <source>{name} (this machine)</source>
        <translation>{name} (dieser Rechner)</translation>
    </message>
    <message>
        <source>{name} asks to come in</source>
        <translation>{name} möchte dazukommen</translation>
    </message>
    <message>
        <source>{n} changes behind</source>
        <translation>{n} Änderungen zurück</translation>
    </message>
    <message>
        <source>{n} memories and conversations that are here are gone there. If you did that, let them go here too; until then, all stays here.</source>
        <translation>{n} Erinnerungen und Unterhaltungen, die hier sind, sind dort verschwunden. Wenn du das warst, lass sie auch hier gehen; bis dahin bleibt hier alles.</translation>
    </message>
</context>
<context>
    <name>DiagnosticsPanel</name>
    <message>
        <source>Check the vault now</source>
        <translation>Tresor jetzt prüfen</translation>
    </message>
    <message>
        <source>Copied. It holds versions, counts and errors, and nothing you wrote.</source>
        <translation>Kopiert. Es sind Versionen, Anzahlen und Fehler, und nichts, was du geschrieben hast.</translation>
    </message>
    <message>
        <source>Copy debug information</source>
        <translation>Diagnosedaten kopieren</translation>
    </message>
    <message>
        <source>Engine and database, of these</source>
        <translation>Davon Engine und Datenbank</translation>
    </message>
    <message>
        <source>Facts</source>
        <translation>Fakten</translation>
    </message>
    <message>
        <source>Filter the log</source>
        <translation>Protokoll filtern</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Milliseconds</source>
        <translation>Millisekunden</translation>
    </message>
    <message>
        <source>Open the vault&apos;s folder</source>
        <translation>Ordner des Tresors öffnen</translation>
    </message>
    <message>
        <source>Program loaded</source>
        <translation>Programm geladen</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Reading all of the vault…</source>
        <translation>Der ganze Tresor wird gelesen …</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>Reparieren</translation>
    </message>
    <message>
        <source>Repairing…</source>
        <translation>Wird repariert …</translation>
    </message>
    <message>
        <source>Result of the check</source>
        <translation>Ergebnis der Prüfung</translation>
    </message>
    <message>
        <source>Start-up times</source>
        <translation>Startzeiten</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>The vault is sound.</source>
        <translation>Der Tresor ist in Ordnung.</translation>
    </message>
    <message>
        <source>The vault is sound. Everything in it was read.</source>
        <translation>Der Tresor ist in Ordnung. Alles darin wurde gelesen.</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Vault open</source>
        <translation>Tresor geöffnet</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Window filled</source>
        <translation>Fenster gefüllt</translation>
    </message>
    <message>
        <source>Window on the screen</source>
        <translation>Fenster auf dem Bildschirm</translation>
    </message>
</context>
<context>
    <name>DialogRegistry</name>
    <message>
        <source>Keep running</source>
        <translation>Weiterlaufen</translation>
    </message>
    <message>
        <source>Keep running?</source>
        <translation>Weiterlaufen?</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Settings can change this.</source>
        <translation>In den Einstellungen lässt sich das ändern.</translation>
    </message>
    <message>
        <source>Should Keepsake keep running in the tray when its window is closed?</source>
        <translation>Soll Keepsake im Infobereich weiterlaufen, wenn sein Fenster geschlossen wird?</translation>
    </message>
    <message>
        <source>Should Keepsake keep running, hidden, when its window is closed?</source>
        <translation>Soll Keepsake verborgen weiterlaufen, wenn sein Fenster geschlossen wird?</translation>
    </message>
    <message>
        <source>Start Keepsake again to see the window. Settings can change this.</source>
        <translation>Starte Keepsake noch einmal, um das Fenster zu sehen. In den Einstellungen lässt sich das ändern.</translation>
    </message>
    <message>
        <source>Your agents can then go on using it, and quick capture stays at hand.</source>
        <translation>Deine Agenten können es dann weiter benutzen, und die Schnellerfassung bleibt zur Hand.</translation>
    </message>
</context>
<context>
    <name>Document</name>
    <message>
        <source>1 word</source>
        <translation>1 Wort</translation>
    </message>
    <message>
        <source>Add a tag</source>
        <translation>Schlagwort hinzufügen</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Links and history</source>
        <translation>Links und Verlauf</translation>
    </message>
    <message>
        <source>More to do with this note</source>
        <translation>Mehr zu dieser Notiz</translation>
    </message>
    <message>
        <source>New note</source>
        <translation>Neue Notiz</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Lesen</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>Titel</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>Schreiben</translation>
    </message>
    <message>
        <source>Write and preview side by side</source>
        <translation>Schreiben und Vorschau nebeneinander</translation>
    </message>
    <message>
        <source>Write in Markdown. [[ links to a note, # adds a tag, a picture or file dropped here is attached.</source>
        <translation>Schreib in Markdown. [[ verlinkt eine Notiz, # fügt ein Schlagwort hinzu, hierher gezogene Bilder und Dateien werden angehängt.</translation>
    </message>
    <message>
        <source>deleted</source>
        <translation>gelöscht</translation>
    </message>
    <message>
        <source>{n} words</source>
        <translation>{n} Wörter</translation>
    </message>
</context>
<context>
    <name>EditorController</name>
    <message>
        <source>Editing…</source>
        <translation>Wird bearbeitet …</translation>
    </message>
    <message>
        <source>Keep both</source>
        <translation>Beide behalten</translation>
    </message>
    <message>
        <source>Keep mine</source>
        <translation>Meine behalten</translation>
    </message>
    <message>
        <source>Not saved: changed elsewhere</source>
        <translation>Nicht gespeichert: anderswo geändert</translation>
    </message>
    <message>
        <source>Not saved: {why}</source>
        <translation>Nicht gespeichert: {why}</translation>
    </message>
    <message>
        <source>Restore this version</source>
        <translation>Diese Fassung wiederherstellen</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Gespeichert</translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation>Wird gespeichert …</translation>
    </message>
    <message>
        <source>Somebody else</source>
        <translation>Jemand anderes</translation>
    </message>
    <message>
        <source>Take theirs</source>
        <translation>Andere übernehmen</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Ohne Titel</translation>
    </message>
    <message>
        <source>What has changed since the version of {when} by {who}</source>
        <translation>Was sich seit der Fassung vom {when} von {who} geändert hat</translation>
    </message>
    <message>
        <source>{title} (my version)</source>
        <translation>{title} (meine Fassung)</translation>
    </message>
    <message>
        <source>{who} changed this note while you were writing. Nothing is lost: lines with + are yours, lines with − are theirs.</source>
        <translation>{who} hat diese Notiz geändert, während du geschrieben hast. Nichts ist verloren: Zeilen mit + sind deine, Zeilen mit − die anderen.</translation>
    </message>
</context>
<context>
    <name>EmptyState</name>
    <message>
        <source>Loading…</source>
        <translation>Wird geladen …</translation>
    </message>
    <message>
        <source>This could not be loaded</source>
        <translation>Das ließ sich nicht laden</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal versuchen</translation>
    </message>
</context>
<context>
    <name>EncryptionPanel</name>
    <message>
        <source>Anyone who is logged in to this account can then open your memories. A lock still asks for it.</source>
        <translation>Wer in diesem Konto angemeldet ist, kann dann deine Erinnerungen öffnen. Nach dem Sperren wird sie weiterhin verlangt.</translation>
    </message>
    <message>
        <source>Call it off</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Ändern</translation>
    </message>
    <message>
        <source>Change the passphrase</source>
        <translation>Passphrase ändern</translation>
    </message>
    <message>
        <source>Change the passphrase…</source>
        <translation>Passphrase ändern…</translation>
    </message>
    <message>
        <source>Choose a passphrase</source>
        <translation>Eine Passphrase wählen</translation>
    </message>
    <message>
        <source>Decrypt and restart</source>
        <translation>Entschlüsseln und neu starten</translation>
    </message>
    <message>
        <source>Decrypt your memories</source>
        <translation>Erinnerungen entschlüsseln</translation>
    </message>
    <message>
        <source>Decrypt…</source>
        <translation>Entschlüsseln…</translation>
    </message>
    <message>
        <source>Encrypt and restart</source>
        <translation>Verschlüsseln und neu starten</translation>
    </message>
    <message>
        <source>Encrypt…</source>
        <translation>Verschlüsseln…</translation>
    </message>
    <message>
        <source>I know that nobody can bring a forgotten passphrase back.</source>
        <translation>Ich weiß, dass niemand eine vergessene Passphrase zurückbringen kann.</translation>
    </message>
    <message>
        <source>It counts at once. Older copies of the folder still open with the old one.</source>
        <translation>Sie gilt sofort. Ältere Kopien des Ordners öffnen sich weiterhin mit der alten.</translation>
    </message>
    <message>
        <source>Keep the key in the keyring</source>
        <translation>Schlüssel im Schlüsselbund ablegen</translation>
    </message>
    <message>
        <source>Keepsake starts again and decrypts every file. Anyone who can read this disk can then read them.</source>
        <translation>Keepsake startet neu und entschlüsselt jede Datei. Wer diese Festplatte lesen kann, kann sie dann lesen.</translation>
    </message>
    <message>
        <source>Lock now</source>
        <translation>Jetzt sperren</translation>
    </message>
    <message>
        <source>New passphrase</source>
        <translation>Neue Passphrase</translation>
    </message>
    <message>
        <source>Open without the passphrase</source>
        <translation>Ohne Passphrase öffnen</translation>
    </message>
    <message>
        <source>Open without the passphrase on this account, with the system&apos;s keyring</source>
        <translation>In diesem Konto ohne Passphrase öffnen, mit dem Schlüsselbund des Systems</translation>
    </message>
    <message>
        <source>Passphrase</source>
        <translation>Passphrase</translation>
    </message>
    <message>
        <source>Restart now</source>
        <translation>Jetzt neu starten</translation>
    </message>
    <message>
        <source>The same again</source>
        <translation>Noch einmal dieselbe</translation>
    </message>
    <message>
        <source>Write it down where only you find it. Keepsake then starts again and encrypts every file, for which the disk needs room for a second copy of the largest one for a while.</source>
        <translation>Schreib sie auf, wo nur du sie findest. Keepsake startet dann neu und verschlüsselt jede Datei; eine Zeit lang braucht die Festplatte Platz für eine zweite Kopie der größten.</translation>
    </message>
    <message>
        <source>Your memories are encrypted: the database, attachments, backups and caches. While Keepsake is locked, no schedule runs and no agent gets in.</source>
        <translation>Deine Erinnerungen sind verschlüsselt: Datenbank, Anhänge, Sicherungen und Zwischenspeicher. Solange Keepsake gesperrt ist, läuft kein Zeitplan und kein Agent kommt herein.</translation>
    </message>
    <message>
        <source>Your memories are not encrypted, and this installation of Keepsake cannot encrypt them. The help says how to install it with encryption.</source>
        <translation>Deine Erinnerungen sind nicht verschlüsselt, und dieses Keepsake kann sie nicht verschlüsseln. Die Hilfe sagt, wie man es mit Verschlüsselung installiert.</translation>
    </message>
    <message>
        <source>Your memories are not encrypted: anyone who can read this disk can read them. With a passphrase, the database, attachments, backups and caches are encrypted.</source>
        <translation>Deine Erinnerungen sind nicht verschlüsselt: Wer diese Festplatte lesen kann, kann sie lesen. Mit einer Passphrase werden Datenbank, Anhänge, Sicherungen und Zwischenspeicher verschlüsselt.</translation>
    </message>
    <message>
        <source>Your memories will be decrypted when Keepsake starts again.</source>
        <translation>Deine Erinnerungen werden entschlüsselt, wenn Keepsake das nächste Mal startet.</translation>
    </message>
    <message>
        <source>Your memories will be encrypted when Keepsake starts again. It then asks for the passphrase.</source>
        <translation>Deine Erinnerungen werden verschlüsselt, wenn Keepsake das nächste Mal startet. Es fragt dann nach der Passphrase.</translation>
    </message>
</context>
<context>
    <name>Engine</name>
    <message>
        <source>#{tag} stands in the text of a note, where &apos;{new}&apos; cannot. Choose a name without blanks and punctuation.</source>
        <translation>#{tag} steht im Text einer Notiz, wo „{new}“ nicht stehen kann. Wähle einen Namen ohne Leer- und Satzzeichen.</translation>
    </message>
    <message>
        <source>&apos;before&apos; must be later than &apos;after&apos;, by 62 days at most.</source>
        <translation>„before“ muss später als „after“ sein, höchstens 62 Tage.</translation>
    </message>
    <message>
        <source>&apos;channel&apos; may have at most {max_name_characters} characters.</source>
        <translation>„channel“ darf höchstens {max_name_characters} Zeichen haben.</translation>
    </message>
    <message>
        <source>&apos;data&apos; must be the bytes of a file in base64.</source>
        <translation>„data“ müssen die Bytes einer Datei in Base64 sein.</translation>
    </message>
    <message>
        <source>&apos;importance&apos; must be between 0 and 1.</source>
        <translation>„importance“ muss zwischen 0 und 1 liegen.</translation>
    </message>
    <message>
        <source>&apos;key&apos; must have 1 to {most} ordinary characters, without control characters.</source>
        <translation>„key“ muss 1 bis {most} gewöhnliche Zeichen haben, keine Steuerzeichen.</translation>
    </message>
    <message>
        <source>&apos;limit&apos; must be 1 to {most}, &apos;offset&apos; 0 or more, &apos;per_session&apos; 1 or more.</source>
        <translation>„limit“ muss 1 bis {most} sein, „offset“ mindestens 0, „per_session“ mindestens 1.</translation>
    </message>
    <message>
        <source>&apos;limit&apos; must be 1 to {most}, &apos;per_session&apos; 1 or more.</source>
        <translation>„limit“ muss 1 bis {most} sein, „per_session“ mindestens 1.</translation>
    </message>
    <message>
        <source>&apos;llm.base_url&apos; is no address.</source>
        <translation>„llm.base_url“ ist keine Adresse.</translation>
    </message>
    <message>
        <source>&apos;offset&apos; is 0 or more, &apos;length&apos; from 1 to {most}.</source>
        <translation>„offset“ ist mindestens 0, „length“ 1 bis {most}.</translation>
    </message>
    <message>
        <source>&apos;path&apos; must name the transcript, in 1 to {most} ordinary characters.</source>
        <translation>„path“ muss die Mitschrift nennen, mit 1 bis {most} gewöhnlichen Zeichen.</translation>
    </message>
    <message>
        <source>&apos;query_embedding&apos; must be {dimensions} finite numbers, not all 0, by the model of the index.</source>
        <translation>„query_embedding“ muss aus {dimensions} endlichen Zahlen bestehen, nicht alle 0, vom Modell des Index.</translation>
    </message>
    <message>
        <source>&apos;questions&apos; must be from 1 to {most}.</source>
        <translation>„questions“ muss zwischen 1 und {most} liegen.</translation>
    </message>
    <message>
        <source>&apos;status&apos; must be succeeded or failed.</source>
        <translation>„status“ muss „succeeded“ oder „failed“ sein.</translation>
    </message>
    <message>
        <source>&apos;upper_seq&apos; must be from 0 to {last_seq}, the last message.</source>
        <translation>„upper_seq“ muss zwischen 0 und {last_seq} liegen, der Nummer der letzten Nachricht.</translation>
    </message>
    <message>
        <source>&apos;weight&apos; must be a positive number.</source>
        <translation>„weight“ muss eine positive Zahl sein.</translation>
    </message>
    <message>
        <source>&apos;{clean}&apos; is a name of Keepsake&apos;s own. Choose another for the agent.</source>
        <translation>„{clean}“ ist ein Name, den Keepsake selbst verwendet. Wähle einen anderen für den Agenten.</translation>
    </message>
    <message>
        <source>&apos;{field}&apos; is no time. Write it like one of these: {examples}.</source>
        <translation>„{field}“ ist keine Zeitangabe. Schreibe sie wie eine von diesen: {examples}.</translation>
    </message>
    <message>
        <source>&apos;{field}&apos; must have 1 to {max_name_characters} ordinary characters.</source>
        <translation>„{field}“ muss 1 bis {max_name_characters} gewöhnliche Zeichen haben.</translation>
    </message>
    <message>
        <source>&apos;{field}&apos; must not contain control characters. Leave them out.</source>
        <translation>„{field}“ darf keine Steuerzeichen enthalten. Lass sie weg.</translation>
    </message>
    <message>
        <source>&apos;{imported}&apos; is not a type of entities.</source>
        <translation>„{imported}“ ist keine Art von Namen.</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; is not a table, so nothing can be added to it.</source>
        <translation>„{key}“ ist keine Tabelle, deshalb lässt sich dort nichts einfügen.</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; is not one of its names.</source>
        <translation>„{key}“ ist keiner seiner Namen.</translation>
    </message>
    <message>
        <source>&apos;{longest}&apos; would be longer than the {max_tag_length} characters of a tag. Choose a shorter name.</source>
        <translation>„{longest}“ wäre länger als die {max_tag_length} Zeichen eines Schlagworts. Wähle einen kürzeren Namen.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; and &apos;{other}&apos; are both 0, so the recipe &apos;weighted&apos; puts nothing before anything.</source>
        <translation>„{name}“ und „{other}“ sind beide 0, also ordnet das Rezept „weighted“ nichts.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; and &apos;{other}&apos; come to {total}, not to 1; only their ratio counts.</source>
        <translation>„{name}“ und „{other}“ ergeben {total} statt 1; es zählt nur ihr Verhältnis.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; cannot be proposed in a database. Read its tables there.</source>
        <translation>„{name}“ lässt sich in einer Datenbank nicht vorschlagen. Dort werden die Tabellen gelesen.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has access already. If this is the same program, which needs a new token, allow it with &apos;replace_token&apos; (on the command line --replace-token): it keeps its trust, and the token so far ends. Refuse it if it is another program.</source>
        <translation>„{name}“ hat schon Zugriff. Ist es dasselbe Programm und braucht ein neues Token, dann erlaube es mit „replace_token“ (auf der Befehlszeile --replace-token): Es behält seine Vertrauensstufe, und das bisherige Token endet. Ist es ein anderes Programm, dann lehne es ab.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no effect on a model of this machine.</source>
        <translation>„{name}“ wirkt nicht auf ein Modell dieses Rechners.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no effect, as both prices are 0 and so nothing is counted as cost.</source>
        <translation>„{name}“ wirkt nicht, denn beide Preise sind 0 und so zählt nichts als Kosten.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; in {file} has a value, but is a section.</source>
        <translation>„{name}“ in {file} hat einen Wert, ist aber ein Abschnitt.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is above &apos;{other}&apos;: an emergency would leave more messages than a usual compaction.</source>
        <translation>„{name}“ liegt über „{other}“: Im Notfall blieben mehr Nachrichten als bei einer gewöhnlichen Verdichtung.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is below &apos;{other}&apos;, so no reflection is ever written.</source>
        <translation>„{name}“ liegt unter „{other}“, also wird nie ein Rückblick geschrieben.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is below &apos;{other}&apos;, so nothing is ever compressed.</source>
        <translation>„{name}“ liegt unter „{other}“, also wird nie etwas komprimiert.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is below &apos;{other}&apos;, so one run may take the budget of the whole month.</source>
        <translation>„{name}“ liegt unter „{other}“, also kann ein Lauf das Budget des ganzen Monats verbrauchen.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is below &apos;{other}&apos;: some messages that a compaction leaves are never given to agents.</source>
        <translation>„{name}“ liegt unter „{other}“: Manche Nachrichten, die eine Verdichtung übrig lässt, bekommen Agenten nie.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is empty, but &apos;{compatible}&apos; needs it.</source>
        <translation>„{name}“ ist leer, aber „{compatible}“ braucht es.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is empty, so no language model is asked.</source>
        <translation>„{name}“ ist leer, also wird kein Sprachmodell gefragt.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is for the person&apos;s own programs, not for agents.</source>
        <translation>„{name}“ ist den eigenen Programmen der Person vorbehalten, nicht Agenten.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is no address.</source>
        <translation>„{name}“ ist keine Adresse.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is no whole path, so it means another folder wherever Keepsake starts.</source>
        <translation>„{name}“ ist kein vollständiger Pfad und meint daher je nachdem, wo Keepsake startet, einen anderen Ordner.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not above &apos;{other}&apos;: observations are archived before they are compressed.</source>
        <translation>„{name}“ liegt nicht über „{other}“: Beobachtungen werden archiviert, bevor sie komprimiert sind.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not above &apos;{other}&apos;: the archive would be emptied as fast as it fills.</source>
        <translation>„{name}“ liegt nicht über „{other}“: Das Archiv würde so schnell geleert, wie es sich füllt.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not below &apos;{other}&apos;, so condensing would begin again as soon as it ends.</source>
        <translation>„{name}“ liegt nicht unter „{other}“, also begänne das Verdichten gleich wieder.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not below &apos;{other}&apos;: a fact that a newer one contradicts is set aside at once.</source>
        <translation>„{name}“ liegt nicht unter „{other}“: Ein Fakt, dem ein neuerer widerspricht, wird sofort beiseitegelegt.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is set by {where} and cannot be changed here.</source>
        <translation>„{name}“ ist durch {where} festgelegt und lässt sich hier nicht ändern.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; must be from {least} to {most}.</source>
        <translation>„{name}“ muss zwischen {least} und {most} liegen.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; must be {allowed}{but}.</source>
        <translation>„{name}“ muss {allowed} sein{but}.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; names a provider that Keepsake does not know.</source>
        <translation>„{name}“ nennt einen Anbieter, den Keepsake nicht kennt.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; names no folder of this machine.</source>
        <translation>„{name}“ nennt keinen Ordner dieses Rechners.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; names the provider &apos;{provider}&apos; but no model.</source>
        <translation>„{name}“ nennt den Anbieter „{provider}“, aber kein Modell.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; needs {needed} trust; {agent} has {held}.</source>
        <translation>„{name}“ verlangt Vertrauen der Stufe {needed}; {agent} hat {held}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be removed: {strerror}.</source>
        <translation>„{path}“ lässt sich nicht entfernen: {strerror}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be written: {strerror}.</source>
        <translation>„{path}“ lässt sich nicht schreiben: {strerror}.</translation>
    </message>
    <message>
        <source>&apos;{provider}&apos; takes no model name.</source>
        <translation>„{provider}“ nimmt keinen Modellnamen.</translation>
    </message>
    <message>
        <source>&apos;{section}&apos; in {path} is not a section. Correct it there, then set &apos;{name}&apos; again.</source>
        <translation>„{section}“ in {path} ist kein Abschnitt. Berichtige das dort und setze „{name}“ dann noch einmal.</translation>
    </message>
    <message>
        <source>, not {shown}</source>
        <translation>, nicht {shown}</translation>
    </message>
    <message>
        <source>-on: cannot be searched, so nothing matches; use before: or after: instead.</source>
        <translation>-on: lässt sich nicht suchen, also passt nichts; nimm stattdessen before: oder after:.</translation>
    </message>
    <message>
        <source>1 Markdown file</source>
        <translation>1 Markdown-Datei</translation>
    </message>
    <message>
        <source>1 agent or conversation stores mostly what is deleted or rejected.</source>
        <translation>1 Agent oder Gespräch speichert meist, was gelöscht oder abgelehnt wird.</translation>
    </message>
    <message>
        <source>1 agent tries to store again what it has just recalled.</source>
        <translation>1 Agent will wieder speichern, was er gerade abgerufen hat.</translation>
    </message>
    <message>
        <source>1 attached file that no note shows was left out.</source>
        <translation>1 angehängte Datei, die keine Notiz zeigt, blieb weg.</translation>
    </message>
    <message>
        <source>1 call was lost.</source>
        <translation>1 Aufruf ging verloren.</translation>
    </message>
    <message>
        <source>1 conversation</source>
        <translation>1 Unterhaltung</translation>
    </message>
    <message>
        <source>1 conversation waits for it.</source>
        <translation>1 Unterhaltung wartet darauf.</translation>
    </message>
    <message>
        <source>1 conversation waits for the language model: {why}</source>
        <translation>1 Unterhaltung wartet auf das Sprachmodell: {why}</translation>
    </message>
    <message>
        <source>1 day</source>
        <translation>1 Tag</translation>
    </message>
    <message>
        <source>1 digest</source>
        <translation>1 Zusammenfassung</translation>
    </message>
    <message>
        <source>1 encrypted passage was left out. Decrypt the text in Evernote, and export the note again.</source>
        <translation>1 verschlüsselte Passage blieb weg. Entschlüssele den Text in Evernote, und exportiere die Notiz noch einmal.</translation>
    </message>
    <message>
        <source>1 entity is mentioned nowhere.</source>
        <translation>1 Name wird nirgends erwähnt.</translation>
    </message>
    <message>
        <source>1 entry of another Google product was left out.</source>
        <translation>1 Eintrag eines anderen Google-Produkts blieb weg.</translation>
    </message>
    <message>
        <source>1 fact</source>
        <translation>1 Fakt</translation>
    </message>
    <message>
        <source>1 fact contradicts others of the same category and key.</source>
        <translation>1 Fakt widerspricht anderen derselben Kategorie und desselben Schlüssels.</translation>
    </message>
    <message>
        <source>1 fact is stale.</source>
        <translation>1 Fakt ist veraltet.</translation>
    </message>
    <message>
        <source>1 faded fact is kept for now, because a run and a month may set aside only a share of the facts.</source>
        <translation>1 verblasster Fakt bleibt vorerst, weil ein Lauf und ein Monat nur einen Teil der Fakten beiseitelegen dürfen.</translation>
    </message>
    <message>
        <source>1 file</source>
        <translation>1 Datei</translation>
    </message>
    <message>
        <source>1 file of the archive is none of Joplin&apos;s and was left out.</source>
        <translation>1 Datei des Archivs stammt nicht von Joplin und blieb weg.</translation>
    </message>
    <message>
        <source>1 file that belongs to no note was left out.</source>
        <translation>1 Datei, die zu keiner Notiz gehört, blieb weg.</translation>
    </message>
    <message>
        <source>1 file that is no ENEX was left out.</source>
        <translation>1 Datei, die kein ENEX ist, blieb weg.</translation>
    </message>
    <message>
        <source>1 file that is not Markdown was left out ({kinds}).</source>
        <translation>1 Datei, die kein Markdown ist, blieb weg ({kinds}).</translation>
    </message>
    <message>
        <source>1 file that no page shows was left out.</source>
        <translation>1 Datei, die keine Seite zeigt, blieb weg.</translation>
    </message>
    <message>
        <source>1 hidden folder was left out ({names}).</source>
        <translation>1 verborgener Ordner blieb weg ({names}).</translation>
    </message>
    <message>
        <source>1 inbox rule</source>
        <translation>1 Regel des Eingangs</translation>
    </message>
    <message>
        <source>1 memory</source>
        <translation>1 Erinnerung</translation>
    </message>
    <message>
        <source>1 memory or message has a password or key in clear.</source>
        <translation>1 Erinnerung oder Nachricht enthält ein Passwort oder einen Schlüssel im Klartext.</translation>
    </message>
    <message>
        <source>1 memory says nothing beyond another one.</source>
        <translation>1 Erinnerung sagt nichts, was nicht schon eine andere sagt.</translation>
    </message>
    <message>
        <source>1 mention of a person or thing stands in texts that are gone.</source>
        <translation>1 Erwähnung einer Person oder Sache steht in Texten, die es nicht mehr gibt.</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 Nachricht</translation>
    </message>
    <message>
        <source>1 message cannot be found by search.</source>
        <translation>1 Nachricht lässt sich durch Suche nicht finden.</translation>
    </message>
    <message>
        <source>1 message could not be stored in the background. The last reason: {last}</source>
        <translation>1 Nachricht ließ sich im Hintergrund nicht speichern. Der letzte Grund: {last}</translation>
    </message>
    <message>
        <source>1 message has no date; the time of the import stands in its place.</source>
        <translation>1 Nachricht hat kein Datum; an seiner Stelle steht die Zeit des Imports.</translation>
    </message>
    <message>
        <source>1 more file holds words and was left out.</source>
        <translation>1 weitere Datei enthält Text und blieb weg.</translation>
    </message>
    <message>
        <source>1 more line begins with a date and a time and was read as part of a message.</source>
        <translation>1 weitere Zeile beginnt mit Datum und Uhrzeit und wurde als Teil einer Nachricht gelesen.</translation>
    </message>
    <message>
        <source>1 name</source>
        <translation>1 Name</translation>
    </message>
    <message>
        <source>1 new fact</source>
        <translation>1 neuer Fakt</translation>
    </message>
    <message>
        <source>1 note</source>
        <translation>1 Notiz</translation>
    </message>
    <message>
        <source>1 note cannot be found by search.</source>
        <translation>1 Notiz lässt sich durch Suche nicht finden.</translation>
    </message>
    <message>
        <source>1 observation</source>
        <translation>1 Beobachtung</translation>
    </message>
    <message>
        <source>1 observation into one digest</source>
        <translation>1 Beobachtung in eine Zusammenfassung</translation>
    </message>
    <message>
        <source>1 of its observations is no text and was left out.</source>
        <translation>1 seiner Beobachtungen ist kein Text und blieb weg.</translation>
    </message>
    <message>
        <source>1 page has no text, such as scanned pages.</source>
        <translation>1 Seite hat keinen Text, wie gescannte Seiten.</translation>
    </message>
    <message>
        <source>1 picture was left out.</source>
        <translation>1 Bild blieb weg.</translation>
    </message>
    <message>
        <source>1 place in it was not valid UTF-8 and was replaced with �.</source>
        <translation>1 Stelle darin war kein gültiges UTF-8 und wurde durch � ersetzt.</translation>
    </message>
    <message>
        <source>1 private text is not sent to the embedding service and found by words only; the setting embedding.send_private changes that.</source>
        <translation>1 privater Text wird nicht an den Embedding-Dienst gesendet und nur über Wörter gefunden; die Einstellung embedding.send_private ändert das.</translation>
    </message>
    <message>
        <source>1 proposal</source>
        <translation>1 Vorschlag</translation>
    </message>
    <message>
        <source>1 reflection</source>
        <translation>1 Rückblick</translation>
    </message>
    <message>
        <source>1 saved search</source>
        <translation>1 gespeicherte Suche</translation>
    </message>
    <message>
        <source>1 schedule</source>
        <translation>1 Zeitplan</translation>
    </message>
    <message>
        <source>1 search entry belongs to nothing.</source>
        <translation>1 Sucheintrag gehört zu nichts.</translation>
    </message>
    <message>
        <source>1 search entry has no vector and waits for none.</source>
        <translation>1 Sucheintrag hat keinen Vektor und wartet auf keinen.</translation>
    </message>
    <message>
        <source>1 search entry lacks its number of words, which search ranks by.</source>
        <translation>1 Sucheintrag fehlt die Wortzahl, nach der die Suche ordnet.</translation>
    </message>
    <message>
        <source>1 sentence without sources left out.</source>
        <translation>1 Satz ohne Quellen wurde weggelassen.</translation>
    </message>
    <message>
        <source>1 session lacks the note of how far it is.</source>
        <translation>1 Unterhaltung fehlt der Vermerk, wie weit sie ist.</translation>
    </message>
    <message>
        <source>1 text</source>
        <translation>1 Text</translation>
    </message>
    <message>
        <source>1 text is not yet indexed for search by meaning.</source>
        <translation>1 Text ist noch nicht für die Suche nach Bedeutung erfasst.</translation>
    </message>
    <message>
        <source>1 text that is gone waits to be read for names.</source>
        <translation>1 Text, den es nicht mehr gibt, wartet noch auf das Erkennen von Namen.</translation>
    </message>
    <message>
        <source>1 transcript</source>
        <translation>1 Mitschrift</translation>
    </message>
    <message>
        <source>1 vector belongs to nothing.</source>
        <translation>1 Vektor gehört zu nichts.</translation>
    </message>
    <message>
        <source>1 view of a database was left out; the whole tables hold their rows.</source>
        <translation>1 Ansicht einer Datenbank blieb weg; die ganzen Tabellen enthalten ihre Zeilen.</translation>
    </message>
    <message>
        <source>1 was set aside.</source>
        <translation>1 wurde beiseitegelegt.</translation>
    </message>
    <message>
        <source>1 would be set aside.</source>
        <translation>1 würde beiseitegelegt.</translation>
    </message>
    <message>
        <source>1 {things} was left out ({names}).</source>
        <translation>1 {things} blieb weg ({names}).</translation>
    </message>
    <message>
        <source>A backup waits to be restored.</source>
        <translation>Eine Sicherung wartet auf die Wiederherstellung.</translation>
    </message>
    <message>
        <source>A backup waits to take the vault&apos;s place at the next start.</source>
        <translation>Eine Sicherung wartet darauf, beim nächsten Start an die Stelle des Tresors zu treten.</translation>
    </message>
    <message>
        <source>A built-in schedule cannot be deleted. Pause it instead.</source>
        <translation>Ein eingebauter Zeitplan lässt sich nicht löschen. Schalte ihn stattdessen aus.</translation>
    </message>
    <message>
        <source>A capsule can be valid for 1 to {most} days.</source>
        <translation>Eine Kapsel kann 1 bis {most} Tage gültig sein.</translation>
    </message>
    <message>
        <source>A capsule holds memories; something else in it was left out.</source>
        <translation>Eine Kapsel enthält Erinnerungen; etwas anderes darin blieb weg.</translation>
    </message>
    <message>
        <source>A change to this vault was cut off, and undoing it needs a folder that can be written. Free some space, make the folder writable, or copy it to a place that is.</source>
        <translation>Eine Änderung an diesem Tresor wurde abgebrochen; um sie zurückzunehmen, muss der Ordner beschreibbar sein. Schaffe Platz, mach den Ordner beschreibbar, oder kopiere ihn an einen beschreibbaren Ort.</translation>
    </message>
    <message>
        <source>A confidence lies between 0 and 1.</source>
        <translation>Eine Gewissheit liegt zwischen 0 und 1.</translation>
    </message>
    <message>
        <source>A conversation that was left could not be consolidated: {why}</source>
        <translation>Eine verlassene Unterhaltung ließ sich nicht auswerten: {why}</translation>
    </message>
    <message>
        <source>A cron expression has five fields: minute, hour, day of month, month, day of week.</source>
        <translation>Ein Cron-Ausdruck hat fünf Felder: Minute, Stunde, Tag des Monats, Monat, Wochentag.</translation>
    </message>
    <message>
        <source>A decryption of these memories was requested, and not from this account of this computer. Nothing was decrypted. &apos;keepsake encryption decrypt&apos; has them decrypted, &apos;keepsake encryption encrypt&apos; keeps them encrypted; both ask for the passphrase.</source>
        <translation>Eine Entschlüsselung dieser Erinnerungen wurde verlangt, aber nicht aus diesem Konto dieses Rechners. Nichts wurde entschlüsselt. „keepsake encryption decrypt“ lässt sie entschlüsseln, „keepsake encryption encrypt“ lässt sie verschlüsselt; beide fragen nach der Passphrase.</translation>
    </message>
    <message>
        <source>A draft may have at most {max_bytes} characters.</source>
        <translation>Ein Entwurf darf höchstens {max_bytes} Zeichen haben.</translation>
    </message>
    <message>
        <source>A fact cannot stand against itself; name two.</source>
        <translation>Ein Fakt kann sich nicht selbst widersprechen; nenne zwei.</translation>
    </message>
    <message>
        <source>A fact that is set needs a key.</source>
        <translation>Ein Fakt, der gesetzt wird, braucht einen Schlüssel.</translation>
    </message>
    <message>
        <source>A fact with a key needs a category too: give &apos;category&apos;, or leave &apos;key&apos; out.</source>
        <translation>Ein Fakt mit Schlüssel braucht auch eine Kategorie: Gib „category“ an, oder lass „key“ weg.</translation>
    </message>
    <message>
        <source>A file comes from a machine that is not in the list of your machines here. If you have just added one, wait until all files are copied; otherwise remove the file.</source>
        <translation>Eine Datei stammt von einem Rechner, der hier nicht in der Liste deiner Rechner steht. Wenn du gerade einen hinzugefügt hast, warte, bis alle Dateien kopiert sind; sonst entferne die Datei.</translation>
    </message>
    <message>
        <source>A file in the folder belongs to another vault. Move it away.</source>
        <translation>Eine Datei im Ordner gehört zu einem anderen Tresor. Leg sie woanders ab.</translation>
    </message>
    <message>
        <source>A file in the folder stands in the place of another. Put it back, or remove it.</source>
        <translation>Eine Datei im Ordner steht am Platz einer anderen. Leg sie zurück oder entferne sie.</translation>
    </message>
    <message>
        <source>A file of another machine is missing, or one stands twice. Wait until the folder is complete.</source>
        <translation>Eine Datei eines anderen Rechners fehlt, oder eine steht doppelt. Warte, bis der Ordner vollständig ist.</translation>
    </message>
    <message>
        <source>A file of this type cannot be attached; pack it into a zip file first.</source>
        <translation>Eine Datei dieser Art lässt sich nicht anhängen; pack sie zuerst in eine ZIP-Datei.</translation>
    </message>
    <message>
        <source>A file that another machine left is damaged. Keepsake there writes it anew if the file is removed.</source>
        <translation>Eine Datei, die ein anderer Rechner abgelegt hat, ist beschädigt. Keepsake schreibt sie dort neu, wenn du sie entfernst.</translation>
    </message>
    <message>
        <source>A file that it shows ({name}) is not in the archive.</source>
        <translation>Eine Datei, die sie zeigt ({name}), ist nicht im Archiv.</translation>
    </message>
    <message>
        <source>A folder cannot be moved into itself.</source>
        <translation>Ein Ordner kann nicht in sich selbst verschoben werden.</translation>
    </message>
    <message>
        <source>A goal cannot have more trust than {agent} has.</source>
        <translation>Ein Ziel kann nicht mehr Vertrauen haben als {agent}.</translation>
    </message>
    <message>
        <source>A goal has 1 to {max_goal} characters.</source>
        <translation>Ein Ziel hat 1 bis {max_goal} Zeichen.</translation>
    </message>
    <message>
        <source>A judged query has 1 to {most} characters.</source>
        <translation>Eine bewertete Suche hat 1 bis {most} Zeichen.</translation>
    </message>
    <message>
        <source>A key of {service} belongs to its address; set {section}.base_url first.</source>
        <translation>Ein Schlüssel für {service} gehört zu dessen Adresse; stelle zuerst {section}.base_url ein.</translation>
    </message>
    <message>
        <source>A language model reads them; which facts it finds shows after the run.</source>
        <translation>Ein Sprachmodell liest sie; welche Fakten es findet, zeigt sich nach dem Lauf.</translation>
    </message>
    <message>
        <source>A later change was undone before that ({last}) and can be done again.</source>
        <translation>Zuvor wurde eine spätere Änderung rückgängig gemacht ({last}); sie lässt sich wiederherstellen.</translation>
    </message>
    <message>
        <source>A lease lasts up to {most} seconds.</source>
        <translation>Eine Frist dauert höchstens {most} Sekunden.</translation>
    </message>
    <message>
        <source>A link in the folder of notes leads out of it; nothing is written there.</source>
        <translation>Eine Verknüpfung im Notizordner führt aus ihm hinaus; dorthin wird nichts geschrieben.</translation>
    </message>
    <message>
        <source>A list can be narrowed to at most {max_tags} tags at once.</source>
        <translation>Eine Liste lässt sich auf höchstens {max_tags} Schlagwörter zugleich einschränken.</translation>
    </message>
    <message>
        <source>A log that is not this database&apos;s, or an older one of it, lay beside it and was set aside as {name}. The database is whole without it.</source>
        <translation>Ein Protokoll, das nicht zu dieser Datenbank gehört oder älter ist, lag daneben und wurde als {name} beiseitegelegt. Die Datenbank ist ohne es vollständig.</translation>
    </message>
    <message>
        <source>A mark stands in place of each.</source>
        <translation>An der Stelle jeder steht ein Vermerk.</translation>
    </message>
    <message>
        <source>A memory holds at most {max_bytes} MB of text; this one has {size} MB. Split it into several notes.</source>
        <translation>Eine Erinnerung fasst höchstens {max_bytes} MB Text; diese hat {size} MB. Teile sie auf mehrere Notizen auf.</translation>
    </message>
    <message>
        <source>A memory names at most {max_related} of each thing it relates to.</source>
        <translation>Eine Erinnerung nennt von allem, worauf sie sich bezieht, je höchstens {max_related}.</translation>
    </message>
    <message>
        <source>A memory names at most {max_related} sources.</source>
        <translation>Eine Erinnerung nennt höchstens {max_related} Quellen.</translation>
    </message>
    <message>
        <source>A memory&apos;s id must not be empty; leave it out to get a new one.</source>
        <translation>Die Kennung einer Erinnerung darf nicht leer sein; lass sie weg, um eine neue zu bekommen.</translation>
    </message>
    <message>
        <source>A memory&apos;s kind is one of {names}.</source>
        <translation>Eine Erinnerung hat eine dieser Arten: {names}.</translation>
    </message>
    <message>
        <source>A memory&apos;s store is one of {names}.</source>
        <translation>Eine Erinnerung liegt in einem dieser Bereiche: {names}.</translation>
    </message>
    <message>
        <source>A memory&apos;s {field} has at most {max_name} characters.</source>
        <translation>Dieses Feld einer Erinnerung ({field}) hat höchstens {max_name} Zeichen.</translation>
    </message>
    <message>
        <source>A memory&apos;s {field} must not contain control characters. Leave them out.</source>
        <translation>Dieses Feld einer Erinnerung ({field}) darf keine Steuerzeichen enthalten. Lass sie weg.</translation>
    </message>
    <message>
        <source>A message has more than {allowed} and was left out.</source>
        <translation>Eine Nachricht hat mehr als {allowed} und blieb weg.</translation>
    </message>
    <message>
        <source>A message is too long and was left out.</source>
        <translation>Eine Nachricht ist zu lang und blieb weg.</translation>
    </message>
    <message>
        <source>A message may have at most 128 million characters.</source>
        <translation>Eine Nachricht darf höchstens 128 Millionen Zeichen haben.</translation>
    </message>
    <message>
        <source>A message&apos;s number is at most {max_seq}.</source>
        <translation>Eine Nachricht hat höchstens die Nummer {max_seq}.</translation>
    </message>
    <message>
        <source>A message&apos;s predecessor is missing from the file; the messages before it are not there.</source>
        <translation>Der Vorgänger einer Nachricht fehlt in der Datei; die Nachrichten davor sind nicht da.</translation>
    </message>
    <message>
        <source>A name must have 1 to {max_name} characters.</source>
        <translation>Ein Name muss 1 bis {max_name} Zeichen haben.</translation>
    </message>
    <message>
        <source>A name must have 1 to {most} characters.</source>
        <translation>Ein Name muss 1 bis {most} Zeichen haben.</translation>
    </message>
    <message>
        <source>A number is too large: whole numbers have at most 64 bits.</source>
        <translation>Eine Zahl ist zu groß: Ganze Zahlen haben höchstens 64 Bit.</translation>
    </message>
    <message>
        <source>A part has whole lines, and ends behind its start.</source>
        <translation>Ein Abschnitt besteht aus ganzen Zeilen und endet nach seinem Anfang.</translation>
    </message>
    <message>
        <source>A part of this path is a file, so nothing can lie in it.</source>
        <translation>Ein Teil dieses Pfads ist eine Datei, in der nichts liegen kann.</translation>
    </message>
    <message>
        <source>A passphrase does not begin or end with a space.</source>
        <translation>Eine Passphrase beginnt und endet nicht mit einem Leerzeichen.</translation>
    </message>
    <message>
        <source>A passphrase has at least {least} characters; several words are better than one.</source>
        <translation>Eine Passphrase hat mindestens {least} Zeichen; mehrere Wörter sind besser als eines.</translation>
    </message>
    <message>
        <source>A passphrase has at most {most} characters.</source>
        <translation>Eine Passphrase hat höchstens {most} Zeichen.</translation>
    </message>
    <message>
        <source>A passphrase is one line without control characters.</source>
        <translation>Eine Passphrase ist eine einzige Zeile ohne Steuerzeichen.</translation>
    </message>
    <message>
        <source>A path is made of names with &apos;/&apos; between them, such as projects/plan.md.</source>
        <translation>Ein Pfad besteht aus Namen mit „/“ dazwischen, etwa projects/plan.md.</translation>
    </message>
    <message>
        <source>A prompt that was taken back out of the queue was left out.</source>
        <translation>Eine Eingabe, die aus der Warteschlange zurückgenommen wurde, blieb weg.</translation>
    </message>
    <message>
        <source>A reader still held an older state of the vault; the next start of Keepsake finishes this.</source>
        <translation>Ein lesendes Programm hielt noch einen älteren Stand des Tresors; der nächste Start von Keepsake schließt dies ab.</translation>
    </message>
    <message>
        <source>A role {shown} is unknown.</source>
        <translation>Eine Rolle {shown} ist unbekannt.</translation>
    </message>
    <message>
        <source>A row of its {table} points to nothing in {parent}.</source>
        <translation>Eine Zeile ihrer Tabelle {table} verweist auf nichts in {parent}.</translation>
    </message>
    <message>
        <source>A row of {table} points to nothing in {parent}.</source>
        <translation>Eine Zeile von {table} verweist auf nichts in {parent}.</translation>
    </message>
    <message>
        <source>A run takes 1 to {max_turns} turns.</source>
        <translation>Ein Lauf hat 1 bis {max_turns} Runden.</translation>
    </message>
    <message>
        <source>A schedule that runs once needs its time.</source>
        <translation>Ein Zeitplan, der einmal läuft, braucht seine Zeit.</translation>
    </message>
    <message>
        <source>A schema&apos;s name has 1 to 40 lower-case letters, digits and underscores.</source>
        <translation>Der Name eines Schemas hat 1 bis 40 Kleinbuchstaben, Ziffern und Unterstriche.</translation>
    </message>
    <message>
        <source>A scratchpad has at most {max_items} items, not {count}. Join or drop some.</source>
        <translation>Ein Notizzettel hat höchstens {max_items} Einträge, nicht {count}. Fasse einige zusammen, oder lass welche weg.</translation>
    </message>
    <message>
        <source>A search to save has 1 to {max_query} characters.</source>
        <translation>Eine Suche zum Speichern hat 1 bis {max_query} Zeichen.</translation>
    </message>
    <message>
        <source>A source&apos;s kind is one of {names}.</source>
        <translation>Eine Quelle hat eine dieser Arten: {names}.</translation>
    </message>
    <message>
        <source>A summary has at most {max_summary_characters} characters.</source>
        <translation>Eine Zusammenfassung hat höchstens {max_summary_characters} Zeichen.</translation>
    </message>
    <message>
        <source>A tag needs a name: letters or digits, at most 64 of them.</source>
        <translation>Ein Schlagwort braucht einen Namen: Buchstaben oder Ziffern, höchstens 64.</translation>
    </message>
    <message>
        <source>A text holds half a character (a lone surrogate). Send it as proper Unicode.</source>
        <translation>Ein Text enthält ein halbes Zeichen (ein einzelnes Surrogat). Sende ihn als korrektes Unicode.</translation>
    </message>
    <message>
        <source>A title has at most {max_title} characters; this one has {count}. Move the rest into the text.</source>
        <translation>Ein Titel hat höchstens {max_title} Zeichen; dieser hat {count}. Setze den Rest in den Text.</translation>
    </message>
    <message>
        <source>A value needs a name.</source>
        <translation>Ein Wert braucht einen Namen.</translation>
    </message>
    <message>
        <source>API key variable</source>
        <translation>Variable des API-Schlüssels</translation>
    </message>
    <message>
        <source>About 1 message is still to be searched. Ask again to go on.</source>
        <translation>Etwa 1 Nachricht ist noch zu durchsuchen. Frag noch einmal, um fortzufahren.</translation>
    </message>
    <message>
        <source>About {count} messages are still to be searched. Ask again to go on.</source>
        <translation>Etwa {count} Nachrichten sind noch zu durchsuchen. Frag noch einmal, um fortzufahren.</translation>
    </message>
    <message>
        <source>About {foreign} of what is written here is in words that the built-in model does not know well, so search by meaning finds less of it. A multilingual model, such as &apos;fastembed:sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2&apos;, would suit this vault better.</source>
        <translation>Rund {foreign} des hier Geschriebenen steht in Wörtern, die das eingebaute Modell wenig kennt; die Suche nach Bedeutung findet davon weniger. Ein mehrsprachiges Modell wie „fastembed:sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2“ passt besser zu diesem Tresor.</translation>
    </message>
    <message>
        <source>Accepted {items}</source>
        <translation>Angenommen: {items}</translation>
    </message>
    <message>
        <source>Accepted {items}, proposed by {agent}</source>
        <translation>Angenommen: {items}, vorgeschlagen von {agent}</translation>
    </message>
    <message>
        <source>Added to a conversation</source>
        <translation>Hat eine Unterhaltung ergänzt</translation>
    </message>
    <message>
        <source>Address of an &apos;openai-compatible&apos; embedding service.</source>
        <translation>Adresse eines Einbettungsdienstes, der „openai-compatible“ ist.</translation>
    </message>
    <message>
        <source>Address of the service, such as http://localhost:11434/v1 for Ollama.</source>
        <translation>Adresse des Dienstes, etwa http://localhost:11434/v1 für Ollama.</translation>
    </message>
    <message>
        <source>After a turn, {part}: {why}</source>
        <translation>Nach einem Gesprächsbeitrag: {part}: {why}</translation>
    </message>
    <message>
        <source>After turn</source>
        <translation>Nach jeder Runde</translation>
    </message>
    <message>
        <source>Agents that get a vault of their own, separated by commas; the person&apos;s vault then has nothing of them.</source>
        <translation>Agenten, die einen eigenen Tresor bekommen, durch Kommas getrennt; im Tresor der Person steht dann nichts von ihnen.</translation>
    </message>
    <message>
        <source>Agents whose conversations are not stored, separated by commas.</source>
        <translation>Agenten, deren Unterhaltungen nicht gespeichert werden, durch Kommas getrennt.</translation>
    </message>
    <message>
        <source>All conversations and memories and the first attachment were read, and no other attachment.</source>
        <translation>Alle Unterhaltungen und Erinnerungen und der erste Anhang wurden gelesen, sonst kein Anhang.</translation>
    </message>
    <message>
        <source>All conversations and memories and the first {count} attachments were read, and no other attachment.</source>
        <translation>Alle Unterhaltungen und Erinnerungen und die ersten {count} Anhänge wurden gelesen, sonst kein Anhang.</translation>
    </message>
    <message>
        <source>All schedules are paused until {time} UTC.</source>
        <translation>Alle Zeitpläne ruhen bis {time} UTC.</translation>
    </message>
    <message>
        <source>All your machines have forgotten it.</source>
        <translation>Alle deine Rechner haben es vergessen.</translation>
    </message>
    <message>
        <source>Allow yourself to write there, or name another --vault.</source>
        <translation>Erlaube dir, dort zu schreiben, oder nenne mit --vault einen anderen Ordner.</translation>
    </message>
    <message>
        <source>An age is a number of days from 0 to {most_days}.</source>
        <translation>Ein Alter ist eine Zahl von Tagen von 0 bis {most_days}.</translation>
    </message>
    <message>
        <source>An agent with a vault of its own proposes nothing in a database.</source>
        <translation>Ein Agent mit eigenem Tresor schlägt in einer Datenbank nichts vor.</translation>
    </message>
    <message>
        <source>An agent&apos;s name has 1 to {max_name} characters on one line.</source>
        <translation>Der Name eines Agenten hat 1 bis {max_name} Zeichen in einer Zeile.</translation>
    </message>
    <message>
        <source>An encrypted export needs a passphrase.</source>
        <translation>Ein verschlüsselter Export braucht eine Passphrase.</translation>
    </message>
    <message>
        <source>An encrypted file of the vault is damaged or cut off.</source>
        <translation>Eine verschlüsselte Datei des Tresors ist beschädigt oder abgeschnitten.</translation>
    </message>
    <message>
        <source>An entity cannot be related to itself.</source>
        <translation>Ein Eintrag kann nicht mit sich selbst verbunden werden.</translation>
    </message>
    <message>
        <source>An entity keeps its own name. Rename it first.</source>
        <translation>Ein Eintrag behält seinen eigenen Namen. Benenne ihn zuerst um.</translation>
    </message>
    <message>
        <source>An error of Keepsake itself; the log has it.</source>
        <translation>Ein Fehler von Keepsake selbst; er steht im Protokoll.</translation>
    </message>
    <message>
        <source>An import is running. The exchange goes on when it has ended.</source>
        <translation>Ein Import läuft. Der Austausch geht weiter, sobald er zu Ende ist.</translation>
    </message>
    <message>
        <source>An import of {path} was cut off. Import it again to go on; nothing is added twice.</source>
        <translation>Ein Import von {path} wurde abgebrochen. Importiere es noch einmal, um fortzufahren; nichts kommt doppelt hinzu.</translation>
    </message>
    <message>
        <source>An interval must be at least {min_interval_s} seconds.</source>
        <translation>Ein Abstand muss mindestens {min_interval_s} Sekunden betragen.</translation>
    </message>
    <message>
        <source>An interval needs &apos;seconds&apos;, above 0 and at most {max_interval_s}.</source>
        <translation>Ein Abstand braucht „seconds“: mehr als 0 und höchstens {max_interval_s}.</translation>
    </message>
    <message>
        <source>An invitation has twelve words; these are {count}.</source>
        <translation>Eine Einladung hat zwölf Wörter; das sind {count}.</translation>
    </message>
    <message>
        <source>An isolated agent cannot change keys: they are the person&apos;s.</source>
        <translation>Ein Agent mit eigenem Tresor kann keine Schlüssel ändern: Sie gehören der Person.</translation>
    </message>
    <message>
        <source>An isolated agent cannot change the encryption: it is the person&apos;s.</source>
        <translation>Ein Agent mit eigenem Tresor kann die Verschlüsselung nicht ändern: Sie ist Sache der Person.</translation>
    </message>
    <message>
        <source>An isolated agent cannot change the settings: they are the person&apos;s.</source>
        <translation>Ein Agent mit eigenem Tresor kann die Einstellungen nicht ändern: Sie sind Sache der Person.</translation>
    </message>
    <message>
        <source>An isolated agent&apos;s vault contains no other vaults.</source>
        <translation>Der eigene Tresor eines Agenten enthält keine weiteren Tresore.</translation>
    </message>
    <message>
        <source>An item is not an object and was left out.</source>
        <translation>Ein Eintrag ist kein Objekt und blieb weg.</translation>
    </message>
    <message>
        <source>Another Keepsake (process {number}) has this vault open.</source>
        <translation>Ein anderes Keepsake (Prozess {number}) hat diesen Tresor geöffnet.</translation>
    </message>
    <message>
        <source>Another Keepsake, or another program, holds this vault&apos;s lock.</source>
        <translation>Ein anderes Keepsake oder ein anderes Programm hält die Sperre dieser Erinnerungen.</translation>
    </message>
    <message>
        <source>Another fact has taken the place of this one since. Undo or delete that one first.</source>
        <translation>Ein anderer Fakt hat inzwischen den Platz von diesem eingenommen. Mach jenen zuerst rückgängig, oder lösche ihn.</translation>
    </message>
    <message>
        <source>Another machine came in with these words. Make a new invitation.</source>
        <translation>Mit diesen Wörtern ist schon ein anderer Rechner hinzugekommen. Erstelle eine neue Einladung.</translation>
    </message>
    <message>
        <source>Another machine removed much at once, which waits for you.</source>
        <translation>Ein anderer Rechner hat viel auf einmal entfernt; das wartet auf dich.</translation>
    </message>
    <message>
        <source>Another machine sealed changes with a key that is no longer used. They come here once it has met the others again.</source>
        <translation>Ein anderer Rechner hat Änderungen mit einem Schlüssel versiegelt, der nicht mehr verwendet wird. Sie kommen hier an, sobald er sich wieder mit den anderen abgeglichen hat.</translation>
    </message>
    <message>
        <source>Another machine writes with a newer Keepsake. Update Keepsake here to see its changes.</source>
        <translation>Ein anderer Rechner schreibt mit einem neueren Keepsake. Aktualisiere Keepsake hier, um seine Änderungen zu sehen.</translation>
    </message>
    <message>
        <source>Another machine writes with a newer Keepsake. Update Keepsake here to see what it wrote (changes that wait: {n}).</source>
        <translation>Ein anderer Rechner schreibt mit einem neueren Keepsake. Aktualisiere Keepsake hier, um zu sehen, was er geschrieben hat (wartende Änderungen: {n}).</translation>
    </message>
    <message>
        <source>Another of your machines ran it.</source>
        <translation>Ein anderer deiner Rechner hat es ausgeführt.</translation>
    </message>
    <message>
        <source>Another of your machines runs it at this moment. Try again when it has ended.</source>
        <translation>Ein anderer deiner Rechner führt es gerade aus. Versuche es noch einmal, wenn es beendet ist.</translation>
    </message>
    <message>
        <source>Another program holds the vault&apos;s database. Close it and try again.</source>
        <translation>Ein anderes Programm hält die Datenbank des Tresors fest. Schließ es und versuch es erneut.</translation>
    </message>
    <message>
        <source>Another program is writing to it. Close that program and try again.</source>
        <translation>Ein anderes Programm schreibt gerade hinein. Schließe es, und versuche es noch einmal.</translation>
    </message>
    <message>
        <source>Another program keeps a file locked on {server}. It is tried again by itself; nothing is lost meanwhile.</source>
        <translation>Ein anderes Programm hält auf {server} eine Datei gesperrt. Es wird von selbst erneut versucht; bis dahin geht nichts verloren.</translation>
    </message>
    <message>
        <source>Another reflection was written meanwhile.</source>
        <translation>Inzwischen wurde ein anderer Rückblick geschrieben.</translation>
    </message>
    <message>
        <source>Another user&apos;s program listens where Keepsake should.</source>
        <translation>Wo Keepsake lauschen müsste, lauscht das Programm eines anderen Benutzers.</translation>
    </message>
    <message>
        <source>Another {type} is called {name} now. Rename it, or merge the two.</source>
        <translation>Jetzt heißt ein anderer Eintrag dieser Art ({type}) {name}. Benenne ihn um, oder führe beide zusammen.</translation>
    </message>
    <message>
        <source>Appends that may wait for agents that do not.</source>
        <translation>Ergänzungen, die für Agenten warten dürfen, die selbst nicht warten.</translation>
    </message>
    <message>
        <source>Apple Notes</source>
        <translation>Apple Notizen</translation>
    </message>
    <message>
        <source>Archived 1 observation.</source>
        <translation>1 Beobachtung archiviert.</translation>
    </message>
    <message>
        <source>Archived {count} observations.</source>
        <translation>{count} Beobachtungen archiviert.</translation>
    </message>
    <message>
        <source>Archived {items}</source>
        <translation>Archiviert: {items}</translation>
    </message>
    <message>
        <source>Asked how the vault stands</source>
        <translation>Hat nach dem Stand des Tresors gefragt</translation>
    </message>
    <message>
        <source>Asked what it should know</source>
        <translation>Hat gefragt, was er wissen sollte</translation>
    </message>
    <message>
        <source>Asked why something was found</source>
        <translation>Hat gefragt, warum etwas gefunden wurde</translation>
    </message>
    <message>
        <source>At most {max_batch} can be stored at once.</source>
        <translation>Höchstens {max_batch} lassen sich auf einmal speichern.</translation>
    </message>
    <message>
        <source>At most {max_merged} tags become one at once.</source>
        <translation>Höchstens {max_merged} Schlagwörter lassen sich auf einmal zusammenführen.</translation>
    </message>
    <message>
        <source>At most {max_owners} messages and memories at once.</source>
        <translation>Höchstens {max_owners} Nachrichten und Erinnerungen auf einmal.</translation>
    </message>
    <message>
        <source>At most {max_places} positions at once.</source>
        <translation>Höchstens {max_places} Positionen auf einmal.</translation>
    </message>
    <message>
        <source>At most {most} at once.</source>
        <translation>Höchstens {most} auf einmal.</translation>
    </message>
    <message>
        <source>At most {most} conversations at once.</source>
        <translation>Höchstens {most} Unterhaltungen auf einmal.</translation>
    </message>
    <message>
        <source>At most {most} entries at once.</source>
        <translation>Höchstens {most} Einträge auf einmal.</translation>
    </message>
    <message>
        <source>At most {most} items at once.</source>
        <translation>Höchstens {most} Einträge auf einmal.</translation>
    </message>
    <message>
        <source>At most {most} machines share one memory. Remove one first.</source>
        <translation>Höchstens {most} Rechner teilen sich ein Gedächtnis. Entferne zuerst einen.</translation>
    </message>
    <message>
        <source>At most {most} proposals at once.</source>
        <translation>Höchstens {most} Vorschläge auf einmal.</translation>
    </message>
    <message>
        <source>At most {most} texts at once.</source>
        <translation>Höchstens {most} Texte auf einmal.</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Attempts for one answer, where the service is busy or out of reach.</source>
        <translation>Versuche für eine Antwort, wenn der Dienst beschäftigt oder nicht erreichbar ist.</translation>
    </message>
    <message>
        <source>Attributes may be nested at most {most} deep.</source>
        <translation>Attribute dürfen höchstens {most} Ebenen tief verschachtelt sein.</translation>
    </message>
    <message>
        <source>Back the vault up before each import.</source>
        <translation>Den Tresor vor jedem Import sichern.</translation>
    </message>
    <message>
        <source>Back the vault up once a day.</source>
        <translation>Den Tresor einmal am Tag sichern.</translation>
    </message>
    <message>
        <source>Backups still hold it.</source>
        <translation>Sicherungen enthalten es noch.</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Ausgewogen</translation>
    </message>
    <message>
        <source>Began a conversation</source>
        <translation>Hat eine Unterhaltung begonnen</translation>
    </message>
    <message>
        <source>Begin llm.base_url with https://.</source>
        <translation>Beginne llm.base_url mit https://.</translation>
    </message>
    <message>
        <source>Begin {name} with https://.</source>
        <translation>Beginne {name} mit https://.</translation>
    </message>
    <message>
        <source>Between {least} and {max_merged} notes can be merged.</source>
        <translation>Zwischen {least} und {max_merged} Notizen lassen sich zusammenführen.</translation>
    </message>
    <message>
        <source>Block {row} of {table} does not hold whole vectors.</source>
        <translation>Block {row} von {table} enthält keine ganzen Vektoren.</translation>
    </message>
    <message>
        <source>Boosted</source>
        <translation>Verstärkt</translation>
    </message>
    <message>
        <source>Both</source>
        <translation>Beides</translation>
    </message>
    <message>
        <source>Bring the summaries of a conversation up to date once it falls quiet.</source>
        <translation>Die Zusammenfassungen einer Unterhaltung erneuern, sobald sie ruht.</translation>
    </message>
    <message>
        <source>Brought 1 fact back that another machine set aside and this one uses.</source>
        <translation>1 Fakt zurückgeholt, den ein anderer Rechner beiseitegelegt hat und dieser verwendet.</translation>
    </message>
    <message>
        <source>Brought back {items}</source>
        <translation>Zurückgeholt: {items}</translation>
    </message>
    <message>
        <source>Brought {count} facts back that another machine set aside and this one uses.</source>
        <translation>{count} Fakten zurückgeholt, die ein anderer Rechner beiseitegelegt hat und dieser verwendet.</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>Budget</translation>
    </message>
    <message>
        <source>Building the vectors stopped after an error in Keepsake ({error}). Restart it.</source>
        <translation>Das Erstellen der Vektoren brach nach einem Fehler in Keepsake ab ({error}). Starte es neu.</translation>
    </message>
    <message>
        <source>Burst</source>
        <translation>Spitze</translation>
    </message>
    <message>
        <source>Call it off with &apos;keepsake call backup.cancel_restore&apos;.</source>
        <translation>Sag es mit „keepsake call backup.cancel_restore“ ab.</translation>
    </message>
    <message>
        <source>Calls a second that an agent may make in the long run.</source>
        <translation>Aufrufe pro Sekunde, die ein Agent auf Dauer machen darf.</translation>
    </message>
    <message>
        <source>Calls that an agent may make at once after a rest.</source>
        <translation>Aufrufe, die ein Agent nach einer Pause auf einmal machen darf.</translation>
    </message>
    <message>
        <source>Calls that the ledger keeps at most. Beyond, the oldest of whoever made most of them leave first.</source>
        <translation>Aufrufe, die das Zugriffsbuch höchstens behält. Darüber hinaus gehen zuerst die ältesten dessen, der die meisten machte.</translation>
    </message>
    <message>
        <source>Candidates that words and meaning each give to a recipe, except &apos;learned&apos;.</source>
        <translation>Kandidaten, die Wörter und Bedeutung je einem Rezept geben, außer „learned“.</translation>
    </message>
    <message>
        <source>Capsule</source>
        <translation>Kapsel</translation>
    </message>
    <message>
        <source>Capture clients</source>
        <translation>Erfasste Programme</translation>
    </message>
    <message>
        <source>Capture min turn messages</source>
        <translation>Mindestnachrichten je Runde</translation>
    </message>
    <message>
        <source>Capture watch seconds</source>
        <translation>Abstand der Erfassung in Sekunden</translation>
    </message>
    <message>
        <source>Care for the database at night, and verify the latest backup.</source>
        <translation>Nachts die Datenbank pflegen und die letzte Sicherung überprüfen.</translation>
    </message>
    <message>
        <source>Care for the database; no content changes.</source>
        <translation>Pflege der Datenbank; am Inhalt ändert sich nichts.</translation>
    </message>
    <message>
        <source>Changed a conversation</source>
        <translation>Hat eine Unterhaltung geändert</translation>
    </message>
    <message>
        <source>Changed a note</source>
        <translation>Hat eine Notiz geändert</translation>
    </message>
    <message>
        <source>Changed people and things</source>
        <translation>Hat Personen und Dinge geändert</translation>
    </message>
    <message>
        <source>Changed saved searches</source>
        <translation>Hat gespeicherte Suchen geändert</translation>
    </message>
    <message>
        <source>Changed tags</source>
        <translation>Hat Schlagwörter geändert</translation>
    </message>
    <message>
        <source>Changed the archive</source>
        <translation>Hat das Archiv geändert</translation>
    </message>
    <message>
        <source>Changed the project of {items}</source>
        <translation>Projekt geändert: {items}</translation>
    </message>
    <message>
        <source>Changed the tags of {items}</source>
        <translation>Schlagwörter geändert: {items}</translation>
    </message>
    <message>
        <source>Changed who may see {items}</source>
        <translation>Geändert, wer das sehen darf: {items}</translation>
    </message>
    <message>
        <source>Changed {items}</source>
        <translation>Geändert: {items}</translation>
    </message>
    <message>
        <source>Changes are missing at the place that are on: {machines}. They come here once such a machine meets the others. If it is gone for good, remove it here.</source>
        <translation>Am Ort fehlen Änderungen, die es auf diesen Rechnern gibt: {machines}. Sie kommen, sobald ein solcher Rechner die anderen trifft. Ist er für immer fort, entferne ihn hier.</translation>
    </message>
    <message>
        <source>Changes of another machine are missing.</source>
        <translation>Änderungen eines anderen Rechners fehlen.</translation>
    </message>
    <message>
        <source>Changes of another machine are still being copied.</source>
        <translation>Änderungen eines anderen Rechners werden noch kopiert.</translation>
    </message>
    <message>
        <source>Changes of another machine cannot be read.</source>
        <translation>Änderungen eines anderen Rechners lassen sich nicht lesen.</translation>
    </message>
    <message>
        <source>Changes of your machines are in a snapshot, which is not whole at the place yet. They come here as soon as it is.</source>
        <translation>Änderungen deiner Rechner stehen in einem Schnappschuss, der an dem Ort noch nicht vollständig ist. Sie kommen hierher, sobald er es ist.</translation>
    </message>
    <message>
        <source>Characters of a run&apos;s output shown in its summary.</source>
        <translation>Zeichen der Ausgabe eines Laufs, die in der Zusammenfassung stehen.</translation>
    </message>
    <message>
        <source>Characters of a tool&apos;s answer that the model reads.</source>
        <translation>Zeichen der Antwort eines Werkzeugs, die das Modell liest.</translation>
    </message>
    <message>
        <source>Characters that cannot be stored were replaced.</source>
        <translation>Zeichen, die sich nicht speichern lassen, wurden ersetzt.</translation>
    </message>
    <message>
        <source>ChatGPT export</source>
        <translation>Export von ChatGPT</translation>
    </message>
    <message>
        <source>ChatGPT, with branches</source>
        <translation>ChatGPT, mit Verzweigungen</translation>
    </message>
    <message>
        <source>Check its permissions and those of its folder, then check again.</source>
        <translation>Prüfe die Zugriffsrechte der Datei und ihres Ordners und prüfe dann noch einmal.</translation>
    </message>
    <message>
        <source>Checked its own access</source>
        <translation>Hat seinen eigenen Zugang geprüft</translation>
    </message>
    <message>
        <source>Choose one of {known}.</source>
        <translation>Wähle eines von {known}.</translation>
    </message>
    <message>
        <source>Claude Code</source>
        <translation>Claude Code</translation>
    </message>
    <message>
        <source>Claude export</source>
        <translation>Export von Claude</translation>
    </message>
    <message>
        <source>Cleared {items} out of the archive</source>
        <translation>Aus dem Archiv gelöscht: {items}</translation>
    </message>
    <message>
        <source>Clients whose transcripts are followed, separated by commas.</source>
        <translation>Programme, deren Mitschriften verfolgt werden, durch Kommas getrennt.</translation>
    </message>
    <message>
        <source>Closing the window keeps Keepsake running: in the tray, or hidden where there is none.</source>
        <translation>Beim Schließen des Fensters läuft Keepsake weiter: im Infobereich, oder verborgen, wo es keinen gibt.</translation>
    </message>
    <message>
        <source>Codex</source>
        <translation>Codex</translation>
    </message>
    <message>
        <source>Colours of the window.</source>
        <translation>Farben des Fensters.</translation>
    </message>
    <message>
        <source>Comparing models</source>
        <translation>Modelle werden verglichen</translation>
    </message>
    <message>
        <source>Comparing recipes</source>
        <translation>Rezepte werden verglichen</translation>
    </message>
    <message>
        <source>Compress and archive old observations.</source>
        <translation>Alte Beobachtungen verdichten und archivieren.</translation>
    </message>
    <message>
        <source>Compress similar old observations, archive idle ones, and clean up the archive.</source>
        <translation>Ähnliche alte Beobachtungen verdichten, unbenutzte archivieren und das Archiv aufräumen.</translation>
    </message>
    <message>
        <source>Compressed 1 observation into {digests}.</source>
        <translation>1 Beobachtung in {digests} verdichtet.</translation>
    </message>
    <message>
        <source>Compressed {count} observations into {digests}.</source>
        <translation>{count} Beobachtungen in {digests} verdichtet.</translation>
    </message>
    <message>
        <source>Condensed</source>
        <translation>Verdichtet</translation>
    </message>
    <message>
        <source>Condensed {items}</source>
        <translation>Verdichtet: {items}</translation>
    </message>
    <message>
        <source>Confidence below which a fact is set aside; that can be undone.</source>
        <translation>Sicherheit, unter der ein Fakt beiseitegelegt wird; das lässt sich rückgängig machen.</translation>
    </message>
    <message>
        <source>Confidence left to a fact that a newer one contradicts.</source>
        <translation>Sicherheit, die einem Fakt bleibt, dem ein neuerer widerspricht.</translation>
    </message>
    <message>
        <source>Confirmed {items}</source>
        <translation>Bestätigt: {items}</translation>
    </message>
    <message>
        <source>Consolidate a conversation when the next one begins.</source>
        <translation>Eine Unterhaltung festigen, wenn die nächste beginnt.</translation>
    </message>
    <message>
        <source>Consolidation</source>
        <translation>Festigung</translation>
    </message>
    <message>
        <source>Constant of the recipe &apos;rrf&apos;: the larger, the less the first places count.</source>
        <translation>Konstante des Rezepts „rrf“: je größer, desto weniger zählen die ersten Plätze.</translation>
    </message>
    <message>
        <source>Context index</source>
        <translation>Kontextverzeichnis</translation>
    </message>
    <message>
        <source>Context index limit</source>
        <translation>Einträge des Kontextverzeichnisses</translation>
    </message>
    <message>
        <source>Context index max tokens</source>
        <translation>Tokens des Kontextverzeichnisses</translation>
    </message>
    <message>
        <source>Context index recent days</source>
        <translation>Letzte Tage im Kontextverzeichnis</translation>
    </message>
    <message>
        <source>Context max facts</source>
        <translation>Fakten im Kontext</translation>
    </message>
    <message>
        <source>Context max tokens</source>
        <translation>Tokens im Kontext</translation>
    </message>
    <message>
        <source>Context recent max tokens</source>
        <translation>Tokens für Letztes im Kontext</translation>
    </message>
    <message>
        <source>Context recent messages</source>
        <translation>Letzte Nachrichten im Kontext</translation>
    </message>
    <message>
        <source>Context recent sessions</source>
        <translation>Letzte Unterhaltungen im Kontext</translation>
    </message>
    <message>
        <source>Context reflection</source>
        <translation>Reflexion im Kontext</translation>
    </message>
    <message>
        <source>Context reflection max tokens</source>
        <translation>Tokens für Reflexion im Kontext</translation>
    </message>
    <message>
        <source>Context relevant max tokens</source>
        <translation>Tokens für Passendes im Kontext</translation>
    </message>
    <message>
        <source>Context relevant messages</source>
        <translation>Passende Nachrichten im Kontext</translation>
    </message>
    <message>
        <source>Context relevant similarity</source>
        <translation>Ähnlichkeit des Passenden im Kontext</translation>
    </message>
    <message>
        <source>Context salient importance</source>
        <translation>Wichtigkeit im Kontext</translation>
    </message>
    <message>
        <source>Context salient max tokens</source>
        <translation>Tokens für Wichtiges im Kontext</translation>
    </message>
    <message>
        <source>Context salient messages</source>
        <translation>Wichtige Nachrichten im Kontext</translation>
    </message>
    <message>
        <source>Context sessions max tokens</source>
        <translation>Tokens für Unterhaltungen im Kontext</translation>
    </message>
    <message>
        <source>Contrast of the colours: as the system asks for, or always high.</source>
        <translation>Kontrast der Farben: wie das System es verlangt, oder immer hoch.</translation>
    </message>
    <message>
        <source>Copies that were written anew still hold something of it. Delete these backups.</source>
        <translation>Neu geschriebene Kopien enthalten noch etwas davon. Lösche diese Sicherungen.</translation>
    </message>
    <message>
        <source>Correct it in {where}; until then the vault stays closed.</source>
        <translation>Berichtige es in {where}; bis dahin bleibt der Tresor geschlossen.</translation>
    </message>
    <message>
        <source>Correct it in {where}; until then {now} counts.</source>
        <translation>Berichtige es in {where}; bis dahin gilt {now}.</translation>
    </message>
    <message>
        <source>Correct it, or leave it empty.</source>
        <translation>Berichtige es, oder lass es leer.</translation>
    </message>
    <message>
        <source>Correct it; it looks like https://example.org/v1.</source>
        <translation>Berichtige sie; sie sieht so aus: https://example.org/v1.</translation>
    </message>
    <message>
        <source>Correct the file or move it away; until then the vault stays closed.</source>
        <translation>Berichtige die Datei, oder verschiebe sie; bis dahin bleibt der Tresor geschlossen.</translation>
    </message>
    <message>
        <source>Corrected a fact</source>
        <translation>Hat einen Fakt berichtigt</translation>
    </message>
    <message>
        <source>Cost in a calendar month beyond which nothing is asked; 0 for no limit.</source>
        <translation>Kosten in einem Kalendermonat, ab denen nichts mehr gefragt wird; 0 für keine Grenze.</translation>
    </message>
    <message>
        <source>Cost of one run of a goal at most, in the currency of the prices.</source>
        <translation>Höchstkosten eines Laufs eines Ziels, in der Währung der Preise.</translation>
    </message>
    <message>
        <source>Counted anew what was counted wrongly.</source>
        <translation>Falsch Gezähltes neu gezählt.</translation>
    </message>
    <message>
        <source>Created {items}</source>
        <translation>Angelegt: {items}</translation>
    </message>
    <message>
        <source>Cursor</source>
        <translation>Cursor</translation>
    </message>
    <message>
        <source>Daily backups that are kept.</source>
        <translation>Tägliche Sicherungen, die behalten werden.</translation>
    </message>
    <message>
        <source>Damaged copies hold it and cannot be written anew. Delete these backups.</source>
        <translation>Beschädigte Kopien enthalten es und können nicht neu geschrieben werden. Lösche diese Sicherungen.</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Days</source>
        <translation>Tage</translation>
    </message>
    <message>
        <source>Days after which an observation goes to the archive.</source>
        <translation>Tage, nach denen eine Beobachtung ins Archiv geht.</translation>
    </message>
    <message>
        <source>Days after which calls leave the ledger.</source>
        <translation>Tage, nach denen Aufrufe das Zugriffsbuch verlassen.</translation>
    </message>
    <message>
        <source>Days after which similar observations become one digest.</source>
        <translation>Tage, nach denen ähnliche Beobachtungen zu einem Auszug werden.</translation>
    </message>
    <message>
        <source>Days in the archive after which an observation is deleted; notes never are.</source>
        <translation>Tage im Archiv, nach denen eine Beobachtung gelöscht wird; Notizen nie.</translation>
    </message>
    <message>
        <source>Days it looks back.</source>
        <translation>Tage, die es zurückblickt.</translation>
    </message>
    <message>
        <source>Days since the last one without which none is written.</source>
        <translation>Tage seit der letzten, ohne die keine geschrieben wird.</translation>
    </message>
    <message>
        <source>Days that a proposal of an agent waits for you before it expires.</source>
        <translation>Tage, die ein Vorschlag eines Agenten auf dich wartet, bevor er verfällt.</translation>
    </message>
    <message>
        <source>Days whose memories the index names after those that match the prompt.</source>
        <translation>Tage, deren Erinnerungen das Verzeichnis nach denen nennt, die zur Eingabe passen.</translation>
    </message>
    <message>
        <source>Decay</source>
        <translation>Verblassen</translation>
    </message>
    <message>
        <source>Decay max share</source>
        <translation>Höchstanteil des Verblassens</translation>
    </message>
    <message>
        <source>Decay max share month</source>
        <translation>Höchstanteil des Verblassens im Monat</translation>
    </message>
    <message>
        <source>Decay threshold</source>
        <translation>Schwelle des Verblassens</translation>
    </message>
    <message>
        <source>Decay time</source>
        <translation>Uhrzeit des Verblassens</translation>
    </message>
    <message>
        <source>Decided on proposals</source>
        <translation>Hat über Vorschläge entschieden</translation>
    </message>
    <message>
        <source>Delete the folder once you are sure that nothing in it is missed.</source>
        <translation>Lösche den Ordner, sobald du sicher bist, dass nichts darin fehlt.</translation>
    </message>
    <message>
        <source>Deleted 1 observation after its time in the archive.</source>
        <translation>1 Beobachtung nach ihrer Zeit im Archiv gelöscht.</translation>
    </message>
    <message>
        <source>Deleted a note</source>
        <translation>Hat eine Notiz gelöscht</translation>
    </message>
    <message>
        <source>Deleted {count} observations after their time in the archive.</source>
        <translation>{count} Beobachtungen nach ihrer Zeit im Archiv gelöscht.</translation>
    </message>
    <message>
        <source>Deleted {items}</source>
        <translation>Gelöscht: {items}</translation>
    </message>
    <message>
        <source>Depth</source>
        <translation>Tiefe</translation>
    </message>
    <message>
        <source>Device or resource busy</source>
        <translation>Gerät oder Datei ist in Gebrauch</translation>
    </message>
    <message>
        <source>Did again: {what}</source>
        <translation>Erneut ausgeführt: {what}</translation>
    </message>
    <message>
        <source>Did nothing that is still known</source>
        <translation>Nichts getan, was noch bekannt ist</translation>
    </message>
    <message>
        <source>Did you mean &apos;{near}&apos;?</source>
        <translation>Meintest du „{near}“?</translation>
    </message>
    <message>
        <source>Did you mean {name}:?</source>
        <translation>Meintest du {name}:?</translation>
    </message>
    <message>
        <source>Discord</source>
        <translation>Discord</translation>
    </message>
    <message>
        <source>Disk quota exceeded</source>
        <translation>Zugeteilter Speicherplatz überschritten</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>Dokumente</translation>
    </message>
    <message>
        <source>Draw lasting facts from conversations that have ended.</source>
        <translation>Bleibende Fakten aus beendeten Unterhaltungen ziehen.</translation>
    </message>
    <message>
        <source>Embedding API key variable</source>
        <translation>Variable des Einbettungsschlüssels</translation>
    </message>
    <message>
        <source>Embedding base address</source>
        <translation>Adresse der Einbettung</translation>
    </message>
    <message>
        <source>Embedding batch</source>
        <translation>Einbettungen auf einmal</translation>
    </message>
    <message>
        <source>Embedding dimensions</source>
        <translation>Dimensionen der Einbettung</translation>
    </message>
    <message>
        <source>Embedding model</source>
        <translation>Einbettungsmodell</translation>
    </message>
    <message>
        <source>Embedding model folder</source>
        <translation>Ordner des Einbettungsmodells</translation>
    </message>
    <message>
        <source>Embedding send private</source>
        <translation>Einbettung: Privates senden</translation>
    </message>
    <message>
        <source>Emergency retain</source>
        <translation>Im Notfall behalten</translation>
    </message>
    <message>
        <source>Encrypted Keepsake export</source>
        <translation>Verschlüsselter Keepsake-Export</translation>
    </message>
    <message>
        <source>Encrypting needs {needed} MB of free space for a while, and the disk has {free} MB. Nothing was changed.</source>
        <translation>Das Verschlüsseln braucht eine Zeit lang {needed} MB freien Platz, und der Datenträger hat {free} MB. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>Enrichment limit</source>
        <translation>Grenze der Anreicherung</translation>
    </message>
    <message>
        <source>Enrichment max entities</source>
        <translation>Namen der Anreicherung</translation>
    </message>
    <message>
        <source>Enrichment time</source>
        <translation>Uhrzeit der Anreicherung</translation>
    </message>
    <message>
        <source>Entries</source>
        <translation>Einträge</translation>
    </message>
    <message>
        <source>Environment variable that holds the key of a remote embedding service, in capital letters; never the key itself. Empty for the key in the system&apos;s keyring.</source>
        <translation>Umgebungsvariable mit dem Schlüssel eines entfernten Einbettungsdienstes, in Großbuchstaben; nie der Schlüssel selbst. Leer für den Schlüssel im Schlüsselbund des Systems.</translation>
    </message>
    <message>
        <source>Environment variable that holds the key, in capital letters; never the key itself. Empty for the key in the system&apos;s keyring.</source>
        <translation>Umgebungsvariable mit dem Schlüssel, in Großbuchstaben; nie der Schlüssel selbst. Leer für den Schlüssel im Schlüsselbund des Systems.</translation>
    </message>
    <message>
        <source>Evernote notes</source>
        <translation>Notizen von Evernote</translation>
    </message>
    <message>
        <source>Every hours</source>
        <translation>Abstand in Stunden</translation>
    </message>
    <message>
        <source>Exporting to {name}</source>
        <translation>Export nach {name}</translation>
    </message>
    <message>
        <source>Extract facts from conversations that have ended.</source>
        <translation>Fakten aus beendeten Unterhaltungen ziehen.</translation>
    </message>
    <message>
        <source>Facts and index may take {context} tokens, all of the {budget} in &apos;sessions.budget&apos;.</source>
        <translation>Fakten und Verzeichnis dürfen {context} Token einnehmen, die ganzen {budget} von „sessions.budget“.</translation>
    </message>
    <message>
        <source>Facts are shown of the first {count} only.</source>
        <translation>Fakten werden nur von den ersten {count} gezeigt.</translation>
    </message>
    <message>
        <source>Facts of other conversations in an agent&apos;s context.</source>
        <translation>Fakten anderer Unterhaltungen im Kontext eines Agenten.</translation>
    </message>
    <message>
        <source>Facts of the past days without which none is written.</source>
        <translation>Fakten der vergangenen Tage, ohne die keine geschrieben wird.</translation>
    </message>
    <message>
        <source>Failures in a row after which a schedule pauses.</source>
        <translation>Fehlschläge in Folge, nach denen ein Zeitplan pausiert.</translation>
    </message>
    <message>
        <source>Failures to pause</source>
        <translation>Fehlschläge bis zur Pause</translation>
    </message>
    <message>
        <source>Fast model</source>
        <translation>Schnelles Modell</translation>
    </message>
    <message>
        <source>Fetch a fastembed model from the network when it is not on this machine.</source>
        <translation>Ein fastembed-Modell aus dem Netz laden, wenn es auf diesem Rechner fehlt.</translation>
    </message>
    <message>
        <source>Fetching the model {name} was cancelled. What came of it is kept; choose it again to go on.</source>
        <translation>Das Modell {name} wird nicht weiter heruntergeladen. Was schon da ist, bleibt erhalten; wähle es erneut, um fortzufahren.</translation>
    </message>
    <message>
        <source>Fetching {name}</source>
        <translation>{name} wird geladen</translation>
    </message>
    <message>
        <source>File exists</source>
        <translation>Die Datei gibt es schon</translation>
    </message>
    <message>
        <source>File name too long</source>
        <translation>Dateiname zu lang</translation>
    </message>
    <message>
        <source>Files of another machine do not follow each other: the folder shows an older state than it did, or two copies of one vault wrote to it.</source>
        <translation>Dateien eines anderen Rechners folgen nicht aufeinander: Der Ordner zeigt einen älteren Stand als zuvor, oder zwei Kopien eines Tresors haben in ihn geschrieben.</translation>
    </message>
    <message>
        <source>Finding names with a language model or spaCy is switched off in the settings.</source>
        <translation>Das Finden von Namen mit einem Sprachmodell oder spaCy ist in den Einstellungen ausgeschaltet.</translation>
    </message>
    <message>
        <source>Folder of Markdown notes, such as an Obsidian vault, whose edits are taken in within seconds.</source>
        <translation>Ordner mit Markdown-Notizen, etwa ein Obsidian-Tresor, dessen Änderungen binnen Sekunden übernommen werden.</translation>
    </message>
    <message>
        <source>Folder of an offline fastembed model; empty for its own cache.</source>
        <translation>Ordner eines fastembed-Modells ohne Netz; leer für dessen eigenen Zwischenspeicher.</translation>
    </message>
    <message>
        <source>Folder of that model&apos;s files; empty for its own cache.</source>
        <translation>Ordner der Dateien dieses Modells; leer für dessen eigenen Zwischenspeicher.</translation>
    </message>
    <message>
        <source>Follow the transcripts that coding agents keep on this computer; conversations from then on are taken in.</source>
        <translation>Den Mitschriften folgen, die Programmieragenten auf diesem Rechner führen; Unterhaltungen werden von da an aufgenommen.</translation>
    </message>
    <message>
        <source>Forgetting could not be finished. It stands all the same: what is to be forgotten is hidden already, and the next start at which the disk permits it erases the rest by itself. Free some space if the disk is full, then start Keepsake again. What happened: {cause}</source>
        <translation>Das endgültige Vergessen konnte nicht abgeschlossen werden. Es gilt trotzdem: Was vergessen werden soll, ist schon verborgen, und der nächste Start, bei dem der Datenträger es zulässt, löscht den Rest von selbst. Schaffe Platz, falls der Datenträger voll ist, und starte Keepsake neu. Was geschah: {cause}</translation>
    </message>
    <message>
        <source>Forgetting for ever</source>
        <translation>Endgültig vergessen</translation>
    </message>
    <message>
        <source>Forgetting for ever could not be finished: {why}</source>
        <translation>Das endgültige Vergessen konnte nicht abgeschlossen werden: {why}</translation>
    </message>
    <message>
        <source>Found names in {items}</source>
        <translation>Namen gefunden in: {items}</translation>
    </message>
    <message>
        <source>Free some space or make the folder writable, and check again.</source>
        <translation>Schaffe Platz oder mach den Ordner beschreibbar, und prüfe noch einmal.</translation>
    </message>
    <message>
        <source>Friday</source>
        <translation>Freitag</translation>
    </message>
    <message>
        <source>From here on, 1 message has no date that can be right: none there is, or one in the future. It was kept without its time.</source>
        <translation>Ab hier hat 1 Nachricht kein mögliches Datum: eines, das es nicht gibt oder das in der Zukunft liegt. Sie wurde ohne Zeit behalten.</translation>
    </message>
    <message>
        <source>From here on, {count} messages have no date that can be right: none there is, or one in the future. They were kept without their time.</source>
        <translation>Ab hier haben {count} Nachrichten kein mögliches Datum: eines, das es nicht gibt oder das in der Zukunft liegt. Sie wurden ohne Zeit behalten.</translation>
    </message>
    <message>
        <source>Gemini CLI</source>
        <translation>Gemini CLI</translation>
    </message>
    <message>
        <source>Gemini, from Google Takeout</source>
        <translation>Gemini, aus Google Takeout</translation>
    </message>
    <message>
        <source>Give agents an index of the memories they may see.</source>
        <translation>Agenten ein Verzeichnis der Erinnerungen geben, die sie sehen dürfen.</translation>
    </message>
    <message>
        <source>Give agents the latest weekly reflection.</source>
        <translation>Agenten die letzte Wochenreflexion geben.</translation>
    </message>
    <message>
        <source>Give the file a name that ends in {names}.</source>
        <translation>Gib der Datei einen Namen, der auf {names} endet.</translation>
    </message>
    <message>
        <source>Goal: {name}</source>
        <translation>Ziel: {name}</translation>
    </message>
    <message>
        <source>Goals answer characters</source>
        <translation>Zeichen der Antwort bei Zielen</translation>
    </message>
    <message>
        <source>Goals max turns</source>
        <translation>Runden bei Zielen</translation>
    </message>
    <message>
        <source>HTML page</source>
        <translation>HTML-Seite</translation>
    </message>
    <message>
        <source>Hiding what {name} wrote</source>
        <translation>Was {name} geschrieben hat, wird verborgen</translation>
    </message>
    <message>
        <source>High</source>
        <translation>Hoch</translation>
    </message>
    <message>
        <source>Hours between two searches for conversations to consolidate.</source>
        <translation>Stunden zwischen zwei Suchen nach Unterhaltungen, die zu festigen sind.</translation>
    </message>
    <message>
        <source>Housekeeping</source>
        <translation>Datenbankpflege</translation>
    </message>
    <message>
        <source>Housekeeping time</source>
        <translation>Uhrzeit der Datenbankpflege</translation>
    </message>
    <message>
        <source>How often memories are read is not counted at the moment. {why}</source>
        <translation>Wie oft Erinnerungen gelesen werden, wird zurzeit nicht gezählt. {why}</translation>
    </message>
    <message>
        <source>How words and meaning are weighed.</source>
        <translation>Wie Wörter und Bedeutung gewichtet werden.</translation>
    </message>
    <message>
        <source>Import the folders in it one by one.</source>
        <translation>Importiere die Ordner darin einzeln.</translation>
    </message>
    <message>
        <source>Importance from which a message counts as important.</source>
        <translation>Wichtigkeit, ab der eine Nachricht als wichtig gilt.</translation>
    </message>
    <message>
        <source>Importance from which the recipe &apos;tri&apos; takes a message as salient.</source>
        <translation>Wichtigkeit, ab der das Rezept „tri“ eine Nachricht als herausragend nimmt.</translation>
    </message>
    <message>
        <source>Important messages in an agent&apos;s context.</source>
        <translation>Wichtige Nachrichten im Kontext eines Agenten.</translation>
    </message>
    <message>
        <source>Important turns</source>
        <translation>Wichtige Beiträge</translation>
    </message>
    <message>
        <source>Imported {items}</source>
        <translation>Importiert: {items}</translation>
    </message>
    <message>
        <source>Importing {name}</source>
        <translation>Import von {name}</translation>
    </message>
    <message>
        <source>In config.toml: {why}</source>
        <translation>In der Datei config.toml: {why}</translation>
    </message>
    <message>
        <source>In the variable {name}: {why}</source>
        <translation>In der Variablen {name}: {why}</translation>
    </message>
    <message>
        <source>In {folder}: {what}</source>
        <translation>Im Ordner {folder}: {what}</translation>
    </message>
    <message>
        <source>Incognito has an end only while it is on.</source>
        <translation>Inkognito hat nur ein Ende, solange es eingeschaltet ist.</translation>
    </message>
    <message>
        <source>Index vectors</source>
        <translation>Vektoren im Index</translation>
    </message>
    <message>
        <source>Indexing for search by meaning</source>
        <translation>Index für die Suche nach Bedeutung</translation>
    </message>
    <message>
        <source>Indexing stopped after an error inside Keepsake ({error}). Restart it.</source>
        <translation>Das Erfassen brach nach einem Fehler in Keepsake ab ({error}). Starte es neu.</translation>
    </message>
    <message>
        <source>Input/output error</source>
        <translation>Ein-/Ausgabefehler</translation>
    </message>
    <message>
        <source>Is a directory</source>
        <translation>Das ist ein Ordner</translation>
    </message>
    <message>
        <source>It began on another of your machines, which was not heard of since.</source>
        <translation>Es begann auf einem anderen deiner Rechner, von dem seither nichts zu hören war.</translation>
    </message>
    <message>
        <source>It began on {machine}, which was not heard of since.</source>
        <translation>Es begann auf {machine}, von dem seither nichts zu hören war.</translation>
    </message>
    <message>
        <source>It begins with a date and a time and was read as part of the message before it.</source>
        <translation>Sie beginnt mit Datum und Uhrzeit und wurde als Teil der Nachricht davor gelesen.</translation>
    </message>
    <message>
        <source>It belongs to the system and was left out.</source>
        <translation>Es gehört zum System und blieb weg.</translation>
    </message>
    <message>
        <source>It cannot be opened. Check that it is there and that it is yours.</source>
        <translation>Sie lässt sich nicht öffnen. Prüfe, ob die Datei da ist und dir gehört.</translation>
    </message>
    <message>
        <source>It cannot be read where it lies. Copy it to a folder of your own.</source>
        <translation>Sie lässt sich dort, wo sie liegt, nicht lesen. Kopiere die Datei in einen eigenen Ordner.</translation>
    </message>
    <message>
        <source>It cannot be read.</source>
        <translation>Es ist nicht lesbar.</translation>
    </message>
    <message>
        <source>It cannot be stored: {strerror}.</source>
        <translation>Es lässt sich nicht speichern: {strerror}.</translation>
    </message>
    <message>
        <source>It could not be read and was left out: {error}</source>
        <translation>Es war nicht lesbar und blieb weg: {error}</translation>
    </message>
    <message>
        <source>It could not be read and was left out: {error}.</source>
        <translation>Es war nicht lesbar und blieb weg: {error}.</translation>
    </message>
    <message>
        <source>It could not be read: {error}. Its names are missing.</source>
        <translation>Es war nicht lesbar: {error}. Seine Namen fehlen.</translation>
    </message>
    <message>
        <source>It could not be read: {strerror}.</source>
        <translation>Es war nicht lesbar: {strerror}.</translation>
    </message>
    <message>
        <source>It could not be read: {why}.</source>
        <translation>Es war nicht lesbar: {why}.</translation>
    </message>
    <message>
        <source>It goes on by itself whenever Keepsake runs.</source>
        <translation>Es geht von selbst weiter, wann immer Keepsake läuft.</translation>
    </message>
    <message>
        <source>It has 1 {thing}, which is no conversation, message or note that this version knows.</source>
        <translation>Es hat 1 {thing}, und das ist keine Unterhaltung, Nachricht oder Notiz, die diese Version kennt.</translation>
    </message>
    <message>
        <source>It has expired already.</source>
        <translation>Er ist schon abgelaufen.</translation>
    </message>
    <message>
        <source>It has more than {most} MB and was left out.</source>
        <translation>Es hat mehr als {most} MB und blieb weg.</translation>
    </message>
    <message>
        <source>It has more than {most} files; 1 more file was not looked at.</source>
        <translation>Es hat mehr als {most} Dateien; 1 weitere Datei wurde nicht angesehen.</translation>
    </message>
    <message>
        <source>It has more than {most} files; {count} more files were not looked at.</source>
        <translation>Es hat mehr als {most} Dateien; {count} weitere Dateien wurden nicht angesehen.</translation>
    </message>
    <message>
        <source>It has more than {most} pages; the rest was left out.</source>
        <translation>Es hat mehr als {most} Seiten; der Rest blieb weg.</translation>
    </message>
    <message>
        <source>It has more than {most} tags or very long ones; as tags the first {most} were kept, shortened.</source>
        <translation>Es hat mehr als {most} Schlagwörter oder sehr lange; als Schlagwörter wurden die ersten {most} gekürzt behalten.</translation>
    </message>
    <message>
        <source>It has neither a title nor a text and was left out.</source>
        <translation>Sie hat weder Titel noch Text und blieb weg.</translation>
    </message>
    <message>
        <source>It has no encoding mark and was read as {guess}.</source>
        <translation>Es hat keine Kodierungsmarke und wurde als {guess} gelesen.</translation>
    </message>
    <message>
        <source>It has no end.</source>
        <translation>Das Ende fehlt.</translation>
    </message>
    <message>
        <source>It has no messages (&apos;chat_messages&apos; is missing) and was left out.</source>
        <translation>Sie hat keine Nachrichten („chat_messages“ fehlt) und blieb weg.</translation>
    </message>
    <message>
        <source>It has no messages (&apos;mapping&apos; is missing or empty) and was left out.</source>
        <translation>Sie hat keine Nachrichten („mapping“ fehlt oder ist leer) und blieb weg.</translation>
    </message>
    <message>
        <source>It has no name that can be stored, and was left out.</source>
        <translation>Es hat keinen speicherbaren Namen und blieb weg.</translation>
    </message>
    <message>
        <source>It has no text and was left out.</source>
        <translation>Es hat keinen Text und blieb weg.</translation>
    </message>
    <message>
        <source>It has no time that can be read and was left out.</source>
        <translation>Es hat keine lesbare Zeit und blieb weg.</translation>
    </message>
    <message>
        <source>It has no two ends with names and was left out.</source>
        <translation>Es hat keine zwei benannten Enden und blieb weg.</translation>
    </message>
    <message>
        <source>It has {count} {things}, none of them a conversation, message or note that this version knows.</source>
        <translation>Es hat {count} {things}, und nichts davon ist eine Unterhaltung, Nachricht oder Notiz, die diese Version kennt.</translation>
    </message>
    <message>
        <source>It holds no text and was left out.</source>
        <translation>Es enthält keinen Text und blieb weg.</translation>
    </message>
    <message>
        <source>It holds words and was left out; to have them, unpack the zip.</source>
        <translation>Es enthält Text und blieb weg; um ihn zu bekommen, entpacke die ZIP-Datei.</translation>
    </message>
    <message>
        <source>It holds words in no format that is known and was left out.</source>
        <translation>Es enthält Text in keinem bekannten Format und blieb weg.</translation>
    </message>
    <message>
        <source>It holds words {where} that this version does not know; they {end}: {sample}.</source>
        <translation>Es enthält {where} Text, den diese Version nicht kennt; er {end}: {sample}.</translation>
    </message>
    <message>
        <source>It is a Keepsake vault and was left out. {advice}</source>
        <translation>Es ist ein Tresor von Keepsake und blieb weg. {advice}</translation>
    </message>
    <message>
        <source>It is a link that leads nowhere or in a circle and was left out.</source>
        <translation>Es ist eine Verknüpfung, die ins Leere oder im Kreis führt, und blieb weg.</translation>
    </message>
    <message>
        <source>It is a link that leads out of the folder and was not followed.</source>
        <translation>Es ist eine Verknüpfung, die aus dem Ordner führt; ihr wurde nicht gefolgt.</translation>
    </message>
    <message>
        <source>It is a link to a folder that it lies in and was not followed; the notes there are read once.</source>
        <translation>Es ist eine Verknüpfung zu einem Ordner, in dem sie liegt; ihr wurde nicht gefolgt, die Notizen dort werden einmal gelesen.</translation>
    </message>
    <message>
        <source>It is a link, which is not followed; it was left out.</source>
        <translation>Es ist eine Verknüpfung, der nicht gefolgt wird; es blieb weg.</translation>
    </message>
    <message>
        <source>It is a pipe, a socket or a device and was left out.</source>
        <translation>Es ist eine Pipe, ein Socket oder ein Gerät und blieb weg.</translation>
    </message>
    <message>
        <source>It is an item of a kind that this version does not know, and was left out.</source>
        <translation>Es ist ein Eintrag einer Art, die diese Version nicht kennt, und blieb weg.</translation>
    </message>
    <message>
        <source>It is cut off and was left out; import the file again when it is complete.</source>
        <translation>Es ist abgeschnitten und blieb weg; importiere die Datei noch einmal, wenn sie vollständig ist.</translation>
    </message>
    <message>
        <source>It is damaged and was left out.</source>
        <translation>Es ist beschädigt und blieb weg.</translation>
    </message>
    <message>
        <source>It is damaged or cannot be read, and was left out.</source>
        <translation>Es ist beschädigt oder nicht lesbar und blieb weg.</translation>
    </message>
    <message>
        <source>It is damaged, or larger than {most} MB, and was left out.</source>
        <translation>Es ist beschädigt oder größer als {most} MB und blieb weg.</translation>
    </message>
    <message>
        <source>It is damaged, or no database at all.</source>
        <translation>Die Datei ist beschädigt oder gar keine Datenbank.</translation>
    </message>
    <message>
        <source>It is damaged, or something other than its name says.</source>
        <translation>Sie ist beschädigt oder etwas anderes, als ihr Name sagt.</translation>
    </message>
    <message>
        <source>It is damaged: {lines}.</source>
        <translation>Sie ist beschädigt: {lines}.</translation>
    </message>
    <message>
        <source>It is empty and was left out.</source>
        <translation>Es ist leer und blieb weg.</translation>
    </message>
    <message>
        <source>It is encrypted and was left out. Export it from a Joplin that can decrypt it.</source>
        <translation>Sie ist verschlüsselt und blieb weg. Exportiere sie aus einem Joplin, das sie entschlüsseln kann.</translation>
    </message>
    <message>
        <source>It is from a newer Keepsake (schema {schema}; this one knows {known}).</source>
        <translation>Sie stammt von einem neueren Keepsake (Schema {schema}; dieses kennt {known}).</translation>
    </message>
    <message>
        <source>It is hidden, holds words and was left out; to have them, import this file.</source>
        <translation>Es ist verborgen, enthält Text und blieb weg; um ihn zu bekommen, importiere diese Datei.</translation>
    </message>
    <message>
        <source>It is joined to no other message by its &apos;parent&apos; and was left out; the format &apos;{name}&apos; takes it.</source>
        <translation>Ihr „parent“ verbindet sie mit keiner anderen Nachricht, und sie blieb weg; das Format „{name}“ nimmt sie.</translation>
    </message>
    <message>
        <source>It is larger than an archive within an archive may be.</source>
        <translation>Es ist größer, als ein Archiv in einem Archiv sein darf.</translation>
    </message>
    <message>
        <source>It is larger than an attachment may be.</source>
        <translation>Größer darf ein Anhang nicht sein.</translation>
    </message>
    <message>
        <source>It is larger than {most} MB and was left out.</source>
        <translation>Es ist größer als {most} MB und blieb weg.</translation>
    </message>
    <message>
        <source>It is larger than {most} MB, so only its text was taken.</source>
        <translation>Es ist größer als {most} MB, darum wurde nur der Text übernommen.</translation>
    </message>
    <message>
        <source>It is larger than {most} million characters and was left out.</source>
        <translation>Es ist größer als {most} Millionen Zeichen und blieb weg.</translation>
    </message>
    <message>
        <source>It is longer than {most} MB and was left out.</source>
        <translation>Es ist länger als {most} MB und blieb weg.</translation>
    </message>
    <message>
        <source>It is missing.</source>
        <translation>Es fehlt.</translation>
    </message>
    <message>
        <source>It is nested beyond reason.</source>
        <translation>Die Verschachtelung ist zu tief.</translation>
    </message>
    <message>
        <source>It is no canvas of the JSON Canvas format, or damaged; it was left out.</source>
        <translation>Es ist keine Leinwand im Format JSON Canvas oder beschädigt; es blieb weg.</translation>
    </message>
    <message>
        <source>It is no database of Keepsake.</source>
        <translation>Das ist keine Datenbank von Keepsake.</translation>
    </message>
    <message>
        <source>It is no database that Keepsake can read ({kind}).</source>
        <translation>Die Datei ist keine Datenbank, die Keepsake lesen kann ({kind}).</translation>
    </message>
    <message>
        <source>It is no item of Joplin: the fields at its end are missing or damaged. It was left out.</source>
        <translation>Es ist kein Eintrag von Joplin: Die Felder am Ende fehlen oder sind beschädigt. Es blieb weg.</translation>
    </message>
    <message>
        <source>It is no line of JSON that a memory server writes and was left out.</source>
        <translation>Es ist keine JSON-Zeile, wie sie ein Gedächtnisserver schreibt, und blieb weg.</translation>
    </message>
    <message>
        <source>It is not JSON and was left out: {text}.</source>
        <translation>Es ist kein JSON und blieb weg: {text}.</translation>
    </message>
    <message>
        <source>It is not UTF-8 and was read as {encoding}; check its special letters.</source>
        <translation>Es ist kein UTF-8 und wurde als {encoding} gelesen; prüfe die Sonderzeichen.</translation>
    </message>
    <message>
        <source>It is not UTF-8; check its special letters.</source>
        <translation>Es ist kein UTF-8; prüfe die Sonderzeichen.</translation>
    </message>
    <message>
        <source>It is not a JSON object and was left out.</source>
        <translation>Es ist kein JSON-Objekt und blieb weg.</translation>
    </message>
    <message>
        <source>It is not a complete zip file, so its notes were left out.</source>
        <translation>Es ist keine vollständige ZIP-Datei, darum blieben seine Notizen weg.</translation>
    </message>
    <message>
        <source>It is not a conversation of Cursor and was left out.</source>
        <translation>Es ist keine Unterhaltung von Cursor und blieb weg.</translation>
    </message>
    <message>
        <source>It is not a message of Signal and was left out.</source>
        <translation>Es ist keine Nachricht von Signal und blieb weg.</translation>
    </message>
    <message>
        <source>It is not an object and was left out.</source>
        <translation>Es ist kein Objekt und blieb weg.</translation>
    </message>
    <message>
        <source>It is not complete JSON, or has no messages, and was left out.</source>
        <translation>Es ist kein vollständiges JSON oder hat keine Nachrichten und blieb weg.</translation>
    </message>
    <message>
        <source>It is not complete JSON, or too large, and was left out.</source>
        <translation>Es ist kein vollständiges JSON oder zu groß und blieb weg.</translation>
    </message>
    <message>
        <source>It is not in the file, and was left out.</source>
        <translation>Es ist nicht in der Datei und blieb weg.</translation>
    </message>
    <message>
        <source>It is not read. Move it out of the folder.</source>
        <translation>Sie wird nicht gelesen. Verschiebe sie aus dem Ordner.</translation>
    </message>
    <message>
        <source>It is not text and was left out.</source>
        <translation>Es ist kein Text und blieb weg.</translation>
    </message>
    <message>
        <source>It is not text, in spite of its name, and was left out.</source>
        <translation>Es ist trotz seines Namens kein Text und blieb weg.</translation>
    </message>
    <message>
        <source>It is not text, in spite of its name; it was left out.</source>
        <translation>Es ist trotz seines Namens kein Text; es blieb weg.</translation>
    </message>
    <message>
        <source>It is not valid JSON and was left out: {error}.</source>
        <translation>Es ist kein gültiges JSON und blieb weg: {error}.</translation>
    </message>
    <message>
        <source>It is not valid JSON: line {line} cannot be read.</source>
        <translation>Das ist kein gültiges JSON: Zeile {line} ist nicht lesbar.</translation>
    </message>
    <message>
        <source>It is not valid TOML: {reason}.</source>
        <translation>Das ist kein gültiges TOML: {reason}.</translation>
    </message>
    <message>
        <source>It is switched off in the settings.</source>
        <translation>Es ist in den Einstellungen ausgeschaltet.</translation>
    </message>
    <message>
        <source>It leads out of the attachments folder, so it is not shown.</source>
        <translation>Sie führt aus dem Ordner der Anhänge hinaus und wird deshalb nicht gezeigt.</translation>
    </message>
    <message>
        <source>It needs its passphrase or key and was left out; import it alone.</source>
        <translation>Es braucht seine Passphrase oder seinen Schlüssel und blieb weg; importiere es einzeln.</translation>
    </message>
    <message>
        <source>It ran already.</source>
        <translation>Es lief schon.</translation>
    </message>
    <message>
        <source>It ran on {machine}.</source>
        <translation>Es lief auf {machine}.</translation>
    </message>
    <message>
        <source>It stopped because of a fault in Keepsake ({kind}).</source>
        <translation>Es brach wegen eines Fehlers in Keepsake ab ({kind}).</translation>
    </message>
    <message>
        <source>It takes the vault&apos;s place when Keepsake is started again; until then nothing changes.</source>
        <translation>Sie tritt an die Stelle des Tresors, wenn Keepsake neu gestartet wird; bis dahin ändert sich nichts.</translation>
    </message>
    <message>
        <source>It takes {values}.</source>
        <translation>Möglich sind {values}.</translation>
    </message>
    <message>
        <source>It waited after a failure.</source>
        <translation>Es wartete nach einem Fehler.</translation>
    </message>
    <message>
        <source>It waited because incognito was on.</source>
        <translation>Es wartete, weil Inkognito an war.</translation>
    </message>
    <message>
        <source>It waited because {agent}, who made it, was paused.</source>
        <translation>Es wartete, weil {agent}, von dem es stammt, angehalten war.</translation>
    </message>
    <message>
        <source>It waited for a language model or an agent.</source>
        <translation>Es wartete auf ein Sprachmodell oder einen Agenten.</translation>
    </message>
    <message>
        <source>It waited: {why}</source>
        <translation>Es wartete: {why}</translation>
    </message>
    <message>
        <source>It waited: {why}.</source>
        <translation>Es wartete: {why}.</translation>
    </message>
    <message>
        <source>It waits already.</source>
        <translation>Er wartet schon.</translation>
    </message>
    <message>
        <source>It was accepted already.</source>
        <translation>Er wurde schon angenommen.</translation>
    </message>
    <message>
        <source>It was checked and is sound.</source>
        <translation>Sie wurde geprüft und ist in Ordnung.</translation>
    </message>
    <message>
        <source>It was left out.</source>
        <translation>Es blieb weg.</translation>
    </message>
    <message>
        <source>It was left out: {error}.</source>
        <translation>Es blieb weg: {error}.</translation>
    </message>
    <message>
        <source>It was left out: {reason}.</source>
        <translation>Es blieb weg: {reason}.</translation>
    </message>
    <message>
        <source>It was missed.</source>
        <translation>Es wurde verpasst.</translation>
    </message>
    <message>
        <source>It was not finished: {why}</source>
        <translation>Es wurde nicht abgeschlossen: {why}</translation>
    </message>
    <message>
        <source>It was rejected already.</source>
        <translation>Er wurde schon abgelehnt.</translation>
    </message>
    <message>
        <source>It was stopped after 1 turn.</source>
        <translation>Es wurde nach 1 Runde angehalten.</translation>
    </message>
    <message>
        <source>It was stopped after {count} turns.</source>
        <translation>Es wurde nach {count} Runden angehalten.</translation>
    </message>
    <message>
        <source>It was stopped after {seconds} seconds.</source>
        <translation>Es wurde nach {seconds} Sekunden angehalten.</translation>
    </message>
    <message>
        <source>It was stopped because it cost {cost}; {most} is allowed.</source>
        <translation>Es wurde angehalten, weil es {cost} kostete; erlaubt sind {most}.</translation>
    </message>
    <message>
        <source>It was stopped because the conversation with the model became too long.</source>
        <translation>Es wurde angehalten, weil das Gespräch mit dem Modell zu lang wurde.</translation>
    </message>
    <message>
        <source>It was stopped on request.</source>
        <translation>Es wurde auf Wunsch angehalten.</translation>
    </message>
    <message>
        <source>It was stopped.</source>
        <translation>Es wurde angehalten.</translation>
    </message>
    <message>
        <source>It was the turn of another of your machines.</source>
        <translation>Ein anderer deiner Rechner war an der Reihe.</translation>
    </message>
    <message>
        <source>It was the turn of {machine}.</source>
        <translation>{machine} war an der Reihe.</translation>
    </message>
    <message>
        <source>It went in without {names}, whose value cannot be read; it is kept in &apos;meta&apos;.</source>
        <translation>Es kam ohne {names} herein, denn der Wert ist nicht lesbar; er steht in „meta“.</translation>
    </message>
    <message>
        <source>Item {place} has {count} characters; at most {max_item_characters} are allowed.</source>
        <translation>Eintrag {place} hat {count} Zeichen; höchstens {max_item_characters} sind erlaubt.</translation>
    </message>
    <message>
        <source>Its XML is damaged ({why}).</source>
        <translation>Ihr XML ist beschädigt ({why}).</translation>
    </message>
    <message>
        <source>Its dates are of the {name} calendar and were converted.</source>
        <translation>Seine Daten stammen aus dem Kalender {name} und wurden umgerechnet.</translation>
    </message>
    <message>
        <source>Its dates may mean day or month first; they were read with the day first.</source>
        <translation>Ihre Daten können mit Tag oder Monat beginnen; sie wurden mit dem Tag zuerst gelesen.</translation>
    </message>
    <message>
        <source>Its dates may mean day or month first; they were read with the month first.</source>
        <translation>Ihre Daten können mit Tag oder Monat beginnen; sie wurden mit dem Monat zuerst gelesen.</translation>
    </message>
    <message>
        <source>Its documents (&apos;docs&apos;) are no list and were left out.</source>
        <translation>Seine Dokumente („docs“) sind keine Liste und blieben weg.</translation>
    </message>
    <message>
        <source>Its entity has no name that can be stored and was left out.</source>
        <translation>Sein Eintrag hat keinen speicherbaren Namen und blieb weg.</translation>
    </message>
    <message>
        <source>Its folder</source>
        <translation>Sein Ordner</translation>
    </message>
    <message>
        <source>Its front matter is nested or repeated beyond reason; it stays part of the text.</source>
        <translation>Der Vorspann ist zu tief verschachtelt oder wiederholt sich zu oft; er bleibt Teil des Textes.</translation>
    </message>
    <message>
        <source>Its front matter is not YAML ({reason}); it stays part of the text.</source>
        <translation>Der Vorspann ist kein YAML ({reason}); er bleibt Teil des Textes.</translation>
    </message>
    <message>
        <source>Its front matter is not YAML, line {line} ({reason}); it stays part of the text.</source>
        <translation>Der Vorspann ist kein YAML, Zeile {line} ({reason}); er bleibt Teil des Textes.</translation>
    </message>
    <message>
        <source>Its inline table cannot be told from others, so nothing can be added to it.</source>
        <translation>Die Inline-Tabelle lässt sich nicht von anderen unterscheiden, deshalb kann dort nichts eingefügt werden.</translation>
    </message>
    <message>
        <source>Its message is not JSON and was left out.</source>
        <translation>Seine Nachricht ist kein JSON und blieb weg.</translation>
    </message>
    <message>
        <source>Its number is not greater than the last one stored of session {session_id}, and its text is another.</source>
        <translation>Ihre Nummer ist nicht größer als die letzte gespeicherte der Unterhaltung {session_id}, und ihr Text ist ein anderer.</translation>
    </message>
    <message>
        <source>Its number {seq} does not follow {key}; it was kept in the order of the file.</source>
        <translation>Ihre Nummer {seq} folgt nicht auf {key}; sie blieb in der Reihenfolge der Datei.</translation>
    </message>
    <message>
        <source>Its path leads out of the archive; it was left out.</source>
        <translation>Ihr Pfad führt aus dem Archiv; sie blieb weg.</translation>
    </message>
    <message>
        <source>Its relation has no two ends with names and was left out.</source>
        <translation>Seine Beziehung hat keine zwei benannten Enden und blieb weg.</translation>
    </message>
    <message>
        <source>Its role {shown} is none of {roles}; it was left out.</source>
        <translation>Ihre Rolle {shown} ist keine von {roles}; sie blieb weg.</translation>
    </message>
    <message>
        <source>Its role {shown} is unknown; it went in as &apos;system&apos;.</source>
        <translation>Ihre Rolle {shown} ist unbekannt; sie kam als „system“ herein.</translation>
    </message>
    <message>
        <source>Its sender {text} is unknown; it went in as &apos;system&apos;.</source>
        <translation>Ihr Absender {text} ist unbekannt; sie kam als „system“ herein.</translation>
    </message>
    <message>
        <source>Its text has no end.</source>
        <translation>Dem Text fehlt das Ende.</translation>
    </message>
    <message>
        <source>Its text is encrypted and was left out. Decrypt the mail, and export it again.</source>
        <translation>Ihr Text ist verschlüsselt und blieb weg. Entschlüssele die E-Mail, und exportiere sie noch einmal.</translation>
    </message>
    <message>
        <source>Its text is longer than {most} million characters; the rest was left out.</source>
        <translation>Ihr Text ist länger als {most} Millionen Zeichen; der Rest blieb weg.</translation>
    </message>
    <message>
        <source>Its text is not in the agent file.</source>
        <translation>Ihr Text steht nicht in der Agentendatei.</translation>
    </message>
    <message>
        <source>Its text is not {charset}, as it says; it was read as {encoding}.</source>
        <translation>Ihr Text ist nicht {charset}, wie sie angibt; er wurde als {encoding} gelesen.</translation>
    </message>
    <message>
        <source>Its text was read as far as it goes.</source>
        <translation>Ihr Text wurde gelesen, so weit er reicht.</translation>
    </message>
    <message>
        <source>Its time has passed. Give it a new one.</source>
        <translation>Seine Zeit ist vorbei. Gib ihm eine neue.</translation>
    </message>
    <message>
        <source>Job {key} is running already.</source>
        <translation>Die Arbeit {key} läuft schon.</translation>
    </message>
    <message>
        <source>Join 1 short name of a person to the full name near it.</source>
        <translation>1 Kurznamen einer Person mit dem vollen Namen in seiner Nähe verbinden.</translation>
    </message>
    <message>
        <source>Join {count} short names of people to the full names near them.</source>
        <translation>{count} Kurznamen von Personen mit den vollen Namen in ihrer Nähe verbinden.</translation>
    </message>
    <message>
        <source>Joined 1 short name of a person to the full name near it.</source>
        <translation>1 Kurzname einer Person mit dem vollen Namen in seiner Nähe verbunden.</translation>
    </message>
    <message>
        <source>Joined {count} short names of people to the full names near them.</source>
        <translation>{count} Kurznamen von Personen mit den vollen Namen in ihrer Nähe verbunden.</translation>
    </message>
    <message>
        <source>Joplin export</source>
        <translation>Export von Joplin</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Keep a log of what the engine does, never of content.</source>
        <translation>Protokollieren, was die Engine tut, nie Inhalte.</translation>
    </message>
    <message>
        <source>Keep runs</source>
        <translation>Behaltene Läufe</translation>
    </message>
    <message>
        <source>Keep the database quick, small and sound, and verify the latest backup.</source>
        <translation>Die Datenbank schnell, klein und unversehrt halten und die letzte Sicherung überprüfen.</translation>
    </message>
    <message>
        <source>Keep the text of agents&apos; searches in the ledger. When off, only a keyed hash of it, which nobody can read.</source>
        <translation>Den Text der Suchen von Agenten im Zugriffsbuch behalten. Wenn aus, nur einen mit Schlüssel gebildeten Prüfwert, den niemand lesen kann.</translation>
    </message>
    <message>
        <source>Keepsake does not know how long the vectors of this model are; set embedding.dimensions to a number from 1 to {most}.</source>
        <translation>Keepsake weiß nicht, wie lang die Vektoren dieses Modells sind; setze embedding.dimensions auf eine Zahl von 1 bis {most}.</translation>
    </message>
    <message>
        <source>Keepsake does not know this program, or its token was replaced by a newer one. Use the newest token, or call &apos;agent.request_access&apos; and have the person allow &apos;{agent}&apos; in Keepsake&apos;s window or with &apos;keepsake agent allow&apos;.</source>
        <translation>Keepsake kennt dieses Programm nicht, oder sein Token wurde durch ein neueres ersetzt. Nimm das neueste Token, oder rufe „agent.request_access“ auf und lass die Person „{agent}“ im Fenster von Keepsake oder mit „keepsake agent allow“ zulassen.</translation>
    </message>
    <message>
        <source>Keepsake export</source>
        <translation>Export von Keepsake</translation>
    </message>
    <message>
        <source>Keepsake has too many files and connections open. Close some clients, or allow more (ulimit -n).</source>
        <translation>Keepsake hat zu viele Dateien und Verbindungen offen. Schließ einige Programme, oder erlaube mehr (ulimit -n).</translation>
    </message>
    <message>
        <source>Keepsake is closing; the keyring is not asked any more.</source>
        <translation>Keepsake wird beendet; der Schlüsselbund wird nicht mehr gefragt.</translation>
    </message>
    <message>
        <source>Keepsake is not running for {vault}. Open its window or run &apos;keepsake serve&apos;.</source>
        <translation>Für {vault} läuft kein Keepsake. Öffne das Fenster, oder führe „keepsake serve“ aus.</translation>
    </message>
    <message>
        <source>Keepsake runs but is too busy to take another program now. Try again shortly.</source>
        <translation>Keepsake läuft, ist aber zu beschäftigt, um jetzt noch ein Programm anzunehmen. Versuche es gleich noch einmal.</translation>
    </message>
    <message>
        <source>Keepsake runs its own schedules itself.</source>
        <translation>Seine eigenen Zeitpläne führt Keepsake selbst aus.</translation>
    </message>
    <message>
        <source>Keepsake shows only files of the vault&apos;s attachments folder.</source>
        <translation>Keepsake zeigt nur Dateien aus dem Ordner der Anhänge dieses Tresors.</translation>
    </message>
    <message>
        <source>Keepsake was closed meanwhile.</source>
        <translation>Keepsake wurde inzwischen geschlossen.</translation>
    </message>
    <message>
        <source>Keepsake was closed while it was asked. Start it again and repeat this.</source>
        <translation>Keepsake wurde geschlossen, während es gefragt wurde. Starte es wieder, und wiederhole das.</translation>
    </message>
    <message>
        <source>Keepsake&apos;s own work has no trust to change.</source>
        <translation>Keepsakes eigene Arbeit hat keine Vertrauensstufe, die sich ändern ließe.</translation>
    </message>
    <message>
        <source>Keys that differ from the usual ones, as a JSON object of actions and keys.</source>
        <translation>Tasten, die von den üblichen abweichen, als JSON-Objekt aus Aktionen und Tasten.</translation>
    </message>
    <message>
        <source>Language of the window; &apos;system&apos; is that of the computer, where Keepsake speaks it, else English.</source>
        <translation>Sprache des Fensters; „system“ ist die des Rechners, wo Keepsake sie spricht, sonst Englisch.</translation>
    </message>
    <message>
        <source>Late interaction has not read {waiting} of the first {hits} results yet; until then they count by words and meaning alone.</source>
        <translation>Die späte Interaktion hat {waiting} der ersten {hits} Ergebnisse noch nicht gelesen; bis dahin zählen für sie nur Wörter und Bedeutung.</translation>
    </message>
    <message>
        <source>Latest messages in an agent&apos;s context.</source>
        <translation>Letzte Nachrichten im Kontext eines Agenten.</translation>
    </message>
    <message>
        <source>Latest messages that the recipe &apos;tri&apos; takes.</source>
        <translation>Letzte Nachrichten, die das Rezept „tri“ nimmt.</translation>
    </message>
    <message>
        <source>Latest turns of this conversation</source>
        <translation>Letzte Beiträge dieser Unterhaltung</translation>
    </message>
    <message>
        <source>Learned</source>
        <translation>Gelernt</translation>
    </message>
    <message>
        <source>Length of the vectors a remote model is asked for; 0 for its own.</source>
        <translation>Länge der Vektoren, die von einem entfernten Modell verlangt wird; 0 für dessen eigene.</translation>
    </message>
    <message>
        <source>Let 1 fact fade.</source>
        <translation>1 Fakt verblassen lassen.</translation>
    </message>
    <message>
        <source>Let facts that are not used lose confidence, and set aside those that faded.</source>
        <translation>Unbenutzte Fakten an Sicherheit verlieren lassen und verblasste beiseitelegen.</translation>
    </message>
    <message>
        <source>Let facts that are not used lose confidence.</source>
        <translation>Unbenutzte Fakten an Sicherheit verlieren lassen.</translation>
    </message>
    <message>
        <source>Let reads go on while something is written; off, for file systems that cannot share memory, is far slower.</source>
        <translation>Lesen erlauben, während geschrieben wird; aus, für Dateisysteme ohne gemeinsamen Speicher, ist viel langsamer.</translation>
    </message>
    <message>
        <source>Let {count} facts fade.</source>
        <translation>{count} Fakten verblassen lassen.</translation>
    </message>
    <message>
        <source>Letta</source>
        <translation>Letta</translation>
    </message>
    <message>
        <source>Lexical weight</source>
        <translation>Gewicht der Wörter</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Lines of the memory index.</source>
        <translation>Zeilen des Erinnerungsverzeichnisses.</translation>
    </message>
    <message>
        <source>Linked 1 name.</source>
        <translation>1 Name verknüpft.</translation>
    </message>
    <message>
        <source>Linked {count} names.</source>
        <translation>{count} Namen verknüpft.</translation>
    </message>
    <message>
        <source>Look into it with &apos;keepsake --vault&apos; in a folder of its own, then move it away; and keep the vault out of synchronised folders.</source>
        <translation>Sieh sie dir mit „keepsake --vault“ in einem eigenen Ordner an, und verschiebe sie dann; und halte den Tresor aus synchronisierten Ordnern heraus.</translation>
    </message>
    <message>
        <source>Look whether anything is missing, then delete the file.</source>
        <translation>Sieh nach, ob etwas fehlt, und lösche dann die Datei.</translation>
    </message>
    <message>
        <source>Looked after the vault</source>
        <translation>Hat den Tresor gepflegt</translation>
    </message>
    <message>
        <source>Looked at conversations</source>
        <translation>Hat Unterhaltungen angesehen</translation>
    </message>
    <message>
        <source>Looked at its proposals</source>
        <translation>Hat seine Vorschläge angesehen</translation>
    </message>
    <message>
        <source>Looked at notes</source>
        <translation>Hat Notizen angesehen</translation>
    </message>
    <message>
        <source>Looked at reflections</source>
        <translation>Hat Reflexionen angesehen</translation>
    </message>
    <message>
        <source>Looked at saved searches</source>
        <translation>Hat gespeicherte Suchen angesehen</translation>
    </message>
    <message>
        <source>Looked at settings</source>
        <translation>Hat Einstellungen angesehen</translation>
    </message>
    <message>
        <source>Looked at tags</source>
        <translation>Hat Schlagwörter angesehen</translation>
    </message>
    <message>
        <source>Looked at the archive</source>
        <translation>Hat das Archiv angesehen</translation>
    </message>
    <message>
        <source>Looked at the timeline</source>
        <translation>Hat den Zeitverlauf angesehen</translation>
    </message>
    <message>
        <source>Looked at transcripts</source>
        <translation>Hat Mitschriften angesehen</translation>
    </message>
    <message>
        <source>Looked at upkeep</source>
        <translation>Hat die Pflege angesehen</translation>
    </message>
    <message>
        <source>Looked up people and things</source>
        <translation>Hat Personen und Dinge nachgeschlagen</translation>
    </message>
    <message>
        <source>Lower {parts}, or raise sessions.budget.</source>
        <translation>Senke {parts}, oder erhöhe sessions.budget.</translation>
    </message>
    <message>
        <source>Lowered the confidence of {items}</source>
        <translation>Gewissheit gesenkt: {items}</translation>
    </message>
    <message>
        <source>MCP memory server</source>
        <translation>MCP-Gedächtnisserver</translation>
    </message>
    <message>
        <source>MCP memory service</source>
        <translation>MCP-Gedächtnisdienst</translation>
    </message>
    <message>
        <source>Made 1 conversation for messages that had none.</source>
        <translation>1 Unterhaltung für Nachrichten ohne eine angelegt.</translation>
    </message>
    <message>
        <source>Made the index {name} anew.</source>
        <translation>Den Index {name} neu erstellt.</translation>
    </message>
    <message>
        <source>Made the search index of 1 message or memory anew.</source>
        <translation>Den Suchindex von 1 Nachricht oder Erinnerung neu erstellt.</translation>
    </message>
    <message>
        <source>Made the search index of {count} messages and memories anew.</source>
        <translation>Den Suchindex von {count} Nachrichten und Erinnerungen neu erstellt.</translation>
    </message>
    <message>
        <source>Made {count} conversations for messages that had none.</source>
        <translation>{count} Unterhaltungen für Nachrichten ohne eine angelegt.</translation>
    </message>
    <message>
        <source>Made {name} readable for you only.</source>
        <translation>{name} nur für dich lesbar gemacht.</translation>
    </message>
    <message>
        <source>Mails</source>
        <translation>E-Mails</translation>
    </message>
    <message>
        <source>Make vectors in the background, for search by meaning.</source>
        <translation>Im Hintergrund Vektoren für die Suche nach Bedeutung machen.</translation>
    </message>
    <message>
        <source>Making a backup</source>
        <translation>Sicherung wird erstellt</translation>
    </message>
    <message>
        <source>Markdown notes</source>
        <translation>Markdown-Notizen</translation>
    </message>
    <message>
        <source>Max history</source>
        <translation>Größter Verlauf</translation>
    </message>
    <message>
        <source>Max output tokens</source>
        <translation>Tokens der Ausgabe</translation>
    </message>
    <message>
        <source>Megabytes</source>
        <translation>Megabyte</translation>
    </message>
    <message>
        <source>Memories and messages searched in one run.</source>
        <translation>Erinnerungen und Nachrichten, die ein Lauf durchsucht.</translation>
    </message>
    <message>
        <source>Memories candidate similarity</source>
        <translation>Ähnlichkeit der Kandidaten</translation>
    </message>
    <message>
        <source>Memories conflict confidence</source>
        <translation>Sicherheit bei Widerspruch</translation>
    </message>
    <message>
        <source>Memories decay rate</source>
        <translation>Rate des Verblassens</translation>
    </message>
    <message>
        <source>Memories duplicate similarity</source>
        <translation>Ähnlichkeit von Doppelten</translation>
    </message>
    <message>
        <source>Memories it looks at.</source>
        <translation>Erinnerungen, die es ansieht.</translation>
    </message>
    <message>
        <source>Memories of an agent</source>
        <translation>Erinnerungen eines Agenten</translation>
    </message>
    <message>
        <source>Memories reconcile seconds</source>
        <translation>Sekunden zum Abgleich</translation>
    </message>
    <message>
        <source>Memory index</source>
        <translation>Erinnerungsverzeichnis</translation>
    </message>
    <message>
        <source>Mentioned {items} again</source>
        <translation>Erneut erwähnt: {items}</translation>
    </message>
    <message>
        <source>Merged {items}</source>
        <translation>Zusammengeführt: {items}</translation>
    </message>
    <message>
        <source>Message number {seq} is not greater than {previous}, the last of session {session}.</source>
        <translation>Nachricht Nummer {seq} ist nicht größer als {previous}, die letzte der Unterhaltung {session}.</translation>
    </message>
    <message>
        <source>Messages consolidated in one step.</source>
        <translation>Nachrichten, die in einem Schritt gefestigt werden.</translation>
    </message>
    <message>
        <source>Messages of a conversation that agents are given.</source>
        <translation>Nachrichten einer Unterhaltung, die Agenten erhalten.</translation>
    </message>
    <message>
        <source>Messages of an agent</source>
        <translation>Nachrichten eines Agenten</translation>
    </message>
    <message>
        <source>Messages of each conversation in use that are held in memory.</source>
        <translation>Nachrichten jeder benutzten Unterhaltung, die im Speicher gehalten werden.</translation>
    </message>
    <message>
        <source>Messages that a compaction leaves as they are.</source>
        <translation>Nachrichten, die eine Verdichtung lässt, wie sie sind.</translation>
    </message>
    <message>
        <source>Messages that a turn must have for that.</source>
        <translation>Nachrichten, die eine Runde dafür haben muss.</translation>
    </message>
    <message>
        <source>Messages that an emergency leaves.</source>
        <translation>Nachrichten, die im Notfall bleiben.</translation>
    </message>
    <message>
        <source>Messages without which nothing is condensed.</source>
        <translation>Nachrichten, ohne die nichts verdichtet wird.</translation>
    </message>
    <message>
        <source>Messenger or Instagram</source>
        <translation>Messenger oder Instagram</translation>
    </message>
    <message>
        <source>Milliseconds to wait while another program holds the database.</source>
        <translation>Millisekunden zu warten, während ein anderes Programm die Datenbank hält.</translation>
    </message>
    <message>
        <source>Min interval</source>
        <translation>Kleinster Abstand</translation>
    </message>
    <message>
        <source>Minimum seconds between two runs of a schedule.</source>
        <translation>Sekunden, die zwischen zwei Läufen eines Zeitplans mindestens liegen.</translation>
    </message>
    <message>
        <source>Minutes without use after which the window locks an encrypted vault; 0 for never.</source>
        <translation>Minuten ohne Nutzung, nach denen das Fenster einen verschlüsselten Tresor sperrt; 0 für nie.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Model of fastembed that adds its judgement to the order of the first 50 results; empty for none. A cross-encoder reads them again at each search, a late interaction model reads all texts once in the background.</source>
        <translation>Modell von fastembed, dessen Urteil in die Reihenfolge der ersten 50 Ergebnisse eingeht; leer für keines. Ein Cross-Encoder liest sie bei jeder Suche noch einmal, ein Modell mit später Interaktion liest alle Texte einmal im Hintergrund.</translation>
    </message>
    <message>
        <source>Monday</source>
        <translation>Montag</translation>
    </message>
    <message>
        <source>Monthly backups that are kept.</source>
        <translation>Monatliche Sicherungen, die behalten werden.</translation>
    </message>
    <message>
        <source>More than one item has an id that ends as {short} does: {candidates}. Give the whole id.</source>
        <translation>Mehr als ein Eintrag hat eine Kennung, die wie {short} endet: {candidates}. Gib die ganze Kennung an.</translation>
    </message>
    <message>
        <source>Move it away; it cannot be restored.</source>
        <translation>Verschiebe sie; sie lässt sich nicht wiederherstellen.</translation>
    </message>
    <message>
        <source>Name a file or a folder: &apos;path&apos; is empty or has a character no path can have.</source>
        <translation>Nenne eine Datei oder einen Ordner: „path“ ist leer oder hat ein Zeichen, das kein Pfad haben kann.</translation>
    </message>
    <message>
        <source>Name a schedule of yours.</source>
        <translation>Nenne einen deiner Zeitpläne.</translation>
    </message>
    <message>
        <source>Name a session or a channel to restore.</source>
        <translation>Nenne eine Unterhaltung oder einen Kanal zum Wiederherstellen.</translation>
    </message>
    <message>
        <source>Name an agent; what the person did is undone with &apos;memory.undo&apos;.</source>
        <translation>Nenne einen Agenten; was du selbst getan hast, macht „memory.undo“ rückgängig.</translation>
    </message>
    <message>
        <source>Name another --vault.</source>
        <translation>Nenne mit --vault einen anderen Ordner.</translation>
    </message>
    <message>
        <source>Name at least one other entity to merge into this one.</source>
        <translation>Nenne mindestens einen anderen Namen, der mit diesem zusammengeführt wird.</translation>
    </message>
    <message>
        <source>Name of a quicker model for small work; the other one when empty.</source>
        <translation>Name eines schnelleren Modells für kleine Arbeiten; das andere, wenn leer.</translation>
    </message>
    <message>
        <source>Name of the model as the service calls it.</source>
        <translation>Name des Modells, wie der Dienst es nennt.</translation>
    </message>
    <message>
        <source>Name or folder of the spaCy pipeline; empty for the best installed one.</source>
        <translation>Name oder Ordner der spaCy-Pipeline; leer für die beste installierte.</translation>
    </message>
    <message>
        <source>Name the file or folder by its whole path, from the top or from &apos;~&apos;.</source>
        <translation>Nenne die Datei oder den Ordner mit dem vollständigen Pfad, von der Wurzel oder von „~“ an.</translation>
    </message>
    <message>
        <source>Name the items: &apos;id&apos; for one, &apos;ids&apos; for several.</source>
        <translation>Nenne die Einträge: „id“ für einen, „ids“ für mehrere.</translation>
    </message>
    <message>
        <source>Name the proposals: &apos;id&apos; for one, &apos;ids&apos; for several.</source>
        <translation>Nenne die Vorschläge: „id“ für einen, „ids“ für mehrere.</translation>
    </message>
    <message>
        <source>Name what to undo: either &apos;history_ids&apos; or a &apos;run_id&apos;.</source>
        <translation>Nenne, was rückgängig zu machen ist: entweder „history_ids“ oder eine „run_id“.</translation>
    </message>
    <message>
        <source>Names from it stay with people or things you changed, protected or connected yourself.</source>
        <translation>Namen daraus bleiben bei Personen oder Dingen, die du selbst geändert, geschützt oder verbunden hast.</translation>
    </message>
    <message>
        <source>Names up to which a memory or message has few.</source>
        <translation>Namen, bis zu denen eine Erinnerung oder Nachricht wenige hat.</translation>
    </message>
    <message>
        <source>Neither spaCy nor a language model is there to find names with.</source>
        <translation>Weder spaCy noch ein Sprachmodell ist da, um Namen zu finden.</translation>
    </message>
    <message>
        <source>Ner batch</source>
        <translation>Texte der Namenserkennung</translation>
    </message>
    <message>
        <source>Ner spacy pipeline</source>
        <translation>spaCy-Pipeline der Namenserkennung</translation>
    </message>
    <message>
        <source>No agent named &apos;{name}&apos; has a vault of its own. See &apos;agent.vaults&apos;.</source>
        <translation>Kein Agent namens „{name}“ hat einen eigenen Tresor. Siehe „agent.vaults“.</translation>
    </message>
    <message>
        <source>No conversation waits.</source>
        <translation>Keine Unterhaltung wartet.</translation>
    </message>
    <message>
        <source>No daily backups are made, while old observations are archived and in time deleted.</source>
        <translation>Es gibt keine täglichen Sicherungen, während alte Beobachtungen archiviert und mit der Zeit gelöscht werden.</translation>
    </message>
    <message>
        <source>No fact faded.</source>
        <translation>Kein Fakt ist verblasst.</translation>
    </message>
    <message>
        <source>No fact has to fade.</source>
        <translation>Kein Fakt muss verblassen.</translation>
    </message>
    <message>
        <source>No item has such a tag.</source>
        <translation>Nichts hat ein solches Schlagwort.</translation>
    </message>
    <message>
        <source>No keyring is used here; name an environment variable.</source>
        <translation>Hier wird kein Schlüsselbund verwendet; nenne eine Umgebungsvariable.</translation>
    </message>
    <message>
        <source>No language model is configured; see the settings llm.*.</source>
        <translation>Es ist kein Sprachmodell eingerichtet; siehe die Einstellungen llm.*.</translation>
    </message>
    <message>
        <source>No line of it begins with a date and a time as in a chat of WhatsApp, so nothing was taken from it. Export the chat again, or import the file as a note with the format &apos;markdown&apos;.</source>
        <translation>Keine Zeile beginnt mit Datum und Uhrzeit wie in einem Chat von WhatsApp, darum wurde nichts übernommen. Exportiere den Chat noch einmal, oder importiere die Datei mit dem Format „markdown“ als Notiz.</translation>
    </message>
    <message>
        <source>No memory was chosen, so there is nothing to put into a capsule.</source>
        <translation>Es wurde keine Erinnerung gewählt, also kommt nichts in eine Kapsel.</translation>
    </message>
    <message>
        <source>No model could be asked: {why}</source>
        <translation>Kein Modell konnte gefragt werden: {why}</translation>
    </message>
    <message>
        <source>No observation is old enough.</source>
        <translation>Keine Beobachtung ist alt genug.</translation>
    </message>
    <message>
        <source>No observation was old enough.</source>
        <translation>Keine Beobachtung war alt genug.</translation>
    </message>
    <message>
        <source>No other text of that id is kept for this memory.</source>
        <translation>Zu dieser Erinnerung ist kein anderer Text mit dieser Kennung aufbewahrt.</translation>
    </message>
    <message>
        <source>No other vectors are being made; choose a model with &apos;embedding.change&apos; first.</source>
        <translation>Es werden keine anderen Vektoren erstellt; wähle zuerst mit „embedding.change“ ein Modell.</translation>
    </message>
    <message>
        <source>No reflection was written.</source>
        <translation>Es wurde kein Rückblick geschrieben.</translation>
    </message>
    <message>
        <source>No reflection was written: the last one is {age} old, and reflection.min_days asks for {days} days between two.</source>
        <translation>Es wurde kein Rückblick geschrieben: Der letzte ist {age} alt, und reflection.min_days verlangt {days} Tage zwischen zweien.</translation>
    </message>
    <message>
        <source>No reflection was written: the last {days} have {facts}, and reflection.min_facts asks for {least}.</source>
        <translation>Es wurde kein Rückblick geschrieben: Der letzte Zeitraum ({days}) hat {facts}, und reflection.min_facts verlangt {least}.</translation>
    </message>
    <message>
        <source>No schedule runs, because the vault cannot be written: {why}</source>
        <translation>Kein Zeitplan läuft, denn der Tresor lässt sich nicht schreiben: {why}</translation>
    </message>
    <message>
        <source>No space left on device</source>
        <translation>Kein Platz mehr auf dem Datenträger</translation>
    </message>
    <message>
        <source>No such file or directory</source>
        <translation>Datei oder Ordner nicht gefunden</translation>
    </message>
    <message>
        <source>No such request for access waits. See &apos;keepsake agent requests&apos;.</source>
        <translation>Eine solche Anfrage auf Zugriff wartet nicht. Siehe „keepsake agent requests“.</translation>
    </message>
    <message>
        <source>No text has any of the words {words}.</source>
        <translation>Kein Text enthält eines der Wörter {words}.</translation>
    </message>
    <message>
        <source>No text has the word {words}.</source>
        <translation>Kein Text enthält das Wort {words}.</translation>
    </message>
    <message>
        <source>No text was searched again.</source>
        <translation>Kein Text wurde erneut durchsucht.</translation>
    </message>
    <message>
        <source>No time is both after and before what you asked, so nothing can match.</source>
        <translation>Keine Zeit liegt zugleich nach und vor dem Verlangten, also kann nichts passen.</translation>
    </message>
    <message>
        <source>Nobody let this machine in within ten minutes. Make a new invitation, and confirm it on the other machine.</source>
        <translation>Innerhalb von zehn Minuten wurde dieser Rechner nicht zugelassen. Erstelle eine neue Einladung und bestätige die Anfrage auf dem anderen Rechner.</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>None of these messages and memories mentions it.</source>
        <translation>Keine dieser Nachrichten und Erinnerungen erwähnt ihn.</translation>
    </message>
    <message>
        <source>Not a directory</source>
        <translation>Das ist kein Ordner</translation>
    </message>
    <message>
        <source>Not everything of your other machines is here yet. {reason}</source>
        <translation>Von deinen anderen Rechnern ist noch nicht alles hier. {reason}</translation>
    </message>
    <message>
        <source>Not forgotten yet on: {machines}. Each forgets it when it next meets the others.</source>
        <translation>Noch nicht vergessen auf: {machines}. Jeder Rechner vergisst es, sobald er sich wieder mit den anderen abgleicht.</translation>
    </message>
    <message>
        <source>Not heard of for half a year: {machines}. The place keeps no changes for such a machine one by one; it takes them from the snapshot there when it comes back, and nothing that it wrote is lost.</source>
        <translation>Seit einem halben Jahr nichts gehört von: {machines}. Für einen solchen Rechner hält der Ort Änderungen nicht mehr einzeln bereit; kommt er zurück, holt er sie aus dem Schnappschuss dort, und nichts, was er geschrieben hat, geht verloren.</translation>
    </message>
    <message>
        <source>Nothing could be read after line {line}: {error}.</source>
        <translation>Nach Zeile {line} war nichts lesbar: {error}.</translation>
    </message>
    <message>
        <source>Nothing could be read from here on, because it is broken ({line}).</source>
        <translation>Ab hier war nichts lesbar, denn es ist beschädigt ({line}).</translation>
    </message>
    <message>
        <source>Nothing could be read from here on, because the file is cut off ({line}).</source>
        <translation>Ab hier war nichts lesbar, denn die Datei ist abgeschnitten ({line}).</translation>
    </message>
    <message>
        <source>Nothing here seems to answer this: what fits best was not said by whom you name.</source>
        <translation>Hier scheint nichts darauf zu antworten: Was am besten passt, hat nicht gesagt, wen du nennst.</translation>
    </message>
    <message>
        <source>Nothing in it is a conversation or a note that this version knows.</source>
        <translation>Nichts darin ist eine Unterhaltung oder Notiz, die diese Version kennt.</translation>
    </message>
    <message>
        <source>Nothing is left to undo of that run.</source>
        <translation>Von diesem Lauf ist nichts mehr rückgängig zu machen.</translation>
    </message>
    <message>
        <source>Nothing is sent: no language model is configured.</source>
        <translation>Nichts wird gesendet: Es ist kein Sprachmodell eingerichtet.</translation>
    </message>
    <message>
        <source>Nothing is shared there yet. Look whether it is the address of the invitation.</source>
        <translation>Dort wird noch nichts geteilt. Prüfe, ob es die Adresse der Einladung ist.</translation>
    </message>
    <message>
        <source>Nothing matches that.</source>
        <translation>Darauf passt nichts.</translation>
    </message>
    <message>
        <source>Nothing of that machine waits for you up to that change.</source>
        <translation>Von diesem Rechner wartet bis zu dieser Änderung nichts auf dich.</translation>
    </message>
    <message>
        <source>Nothing of what was written can be read. Restore a backup: &apos;keepsake backup list&apos; shows them.</source>
        <translation>Nichts von dem, was geschrieben wurde, ist lesbar. Stelle eine Sicherung wieder her: „keepsake backup list“ zeigt sie.</translation>
    </message>
    <message>
        <source>Nothing old is taken away from the place until Keepsake is updated on: {machines}.</source>
        <translation>Von dem Ort wird nichts Altes entfernt, bis Keepsake aktualisiert ist auf: {machines}.</translation>
    </message>
    <message>
        <source>Nothing says “{phrase}” word for word, so its words were searched.</source>
        <translation>Nirgends steht „{phrase}“ wörtlich, darum wurden die Wörter gesucht.</translation>
    </message>
    <message>
        <source>Nothing that {agent} wrote is in quarantine.</source>
        <translation>Nichts, was {agent} geschrieben hat, ist verborgen.</translation>
    </message>
    <message>
        <source>Nothing was changed. &apos;keepsake backup list&apos; shows what can be restored, and &apos;keepsake salvage&apos; saves what is readable.</source>
        <translation>Nichts wurde geändert. „keepsake backup list“ zeigt, was sich wiederherstellen lässt, und „keepsake salvage“ rettet, was lesbar ist.</translation>
    </message>
    <message>
        <source>Notion export</source>
        <translation>Export von Notion</translation>
    </message>
    <message>
        <source>Number of similar observations that make a digest.</source>
        <translation>Anzahl ähnlicher Beobachtungen, die einen Auszug ergeben.</translation>
    </message>
    <message>
        <source>Old proposals could not be set aside: {why}</source>
        <translation>Alte Vorschläge ließen sich nicht beiseitelegen: {why}</translation>
    </message>
    <message>
        <source>Older files of the trace that are kept.</source>
        <translation>Ältere Protokolldateien, die behalten werden.</translation>
    </message>
    <message>
        <source>On switch</source>
        <translation>Beim Wechsel</translation>
    </message>
    <message>
        <source>One of these entities is not there. Create it first.</source>
        <translation>Einen dieser Namen gibt es nicht. Lege ihn zuerst an.</translation>
    </message>
    <message>
        <source>Only a remote service has a key: {choices}.</source>
        <translation>Nur ein entfernter Dienst hat einen Schlüssel: {choices}.</translation>
    </message>
    <message>
        <source>Only facts can be confirmed, and this is of the kind {kind}. Remember what is certain as a fact.</source>
        <translation>Nur Fakten lassen sich bestätigen, und dies ist von anderer Art ({kind}). Merk dir Gewisses als Fakt.</translation>
    </message>
    <message>
        <source>Only notes can be merged; leave facts and other memories out.</source>
        <translation>Nur Notizen lassen sich zusammenführen; lass Fakten und andere Erinnerungen weg.</translation>
    </message>
    <message>
        <source>Only one proposal at a time can be changed.</source>
        <translation>Es lässt sich immer nur ein Vorschlag ändern.</translation>
    </message>
    <message>
        <source>Only programs with full trust choose ids. Leave &apos;id&apos; out to get one.</source>
        <translation>Nur Programme mit vollem Vertrauen wählen Kennungen. Lass „id“ weg, um eine zu bekommen.</translation>
    </message>
    <message>
        <source>Only the first {count} are listed.</source>
        <translation>Nur die ersten {count} sind aufgeführt.</translation>
    </message>
    <message>
        <source>Only the first {most} characters were searched.</source>
        <translation>Nur die ersten {most} Zeichen wurden gesucht.</translation>
    </message>
    <message>
        <source>Only the first {most} words were searched.</source>
        <translation>Nur die ersten {most} Wörter wurden gesucht.</translation>
    </message>
    <message>
        <source>Only the format &apos;encrypted&apos; takes a passphrase; a {format_name} export is not encrypted.</source>
        <translation>Nur das Format „encrypted“ nimmt eine Passphrase; ein Export als {format_name} wird nicht verschlüsselt.</translation>
    </message>
    <message>
        <source>Only the {most} most recently archived memories were searched.</source>
        <translation>Nur die {most} zuletzt archivierten Erinnerungen wurden durchsucht.</translation>
    </message>
    <message>
        <source>Only the {most} most recently superseded memories were searched.</source>
        <translation>Nur die {most} zuletzt ersetzten Erinnerungen wurden durchsucht.</translation>
    </message>
    <message>
        <source>Open it with --vault, or export it there and import the file.</source>
        <translation>Öffne ihn mit --vault, oder exportiere ihn dort und importiere die Datei.</translation>
    </message>
    <message>
        <source>Open quick capture from anywhere, with a shortcut that the desktop grants.</source>
        <translation>Die Schnellerfassung von überall öffnen, mit einem Tastenkürzel, das der Desktop gewährt.</translation>
    </message>
    <message>
        <source>Operation not permitted</source>
        <translation>Vorgang nicht erlaubt</translation>
    </message>
    <message>
        <source>Other machines change the list of your machines at this moment. Try again.</source>
        <translation>Andere Rechner ändern gerade die Liste deiner Rechner. Versuche es noch einmal.</translation>
    </message>
    <message>
        <source>Other machines share their memory there. Make an invitation on one of them, and join with its words.</source>
        <translation>Dort teilen bereits andere Rechner ihr Gedächtnis. Erstelle auf einem von ihnen eine Einladung und tritt mit deren Wörtern bei.</translation>
    </message>
    <message>
        <source>Others on this machine may read {name}.</source>
        <translation>Andere auf diesem Rechner können {name} lesen.</translation>
    </message>
    <message>
        <source>PDF document</source>
        <translation>PDF-Dokument</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>Seite</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>Zugriff verweigert</translation>
    </message>
    <message>
        <source>Pinned {items}</source>
        <translation>Angeheftet: {items}</translation>
    </message>
    <message>
        <source>Poll</source>
        <translation>Abfrage</translation>
    </message>
    <message>
        <source>Positions must be finite numbers.</source>
        <translation>Positionen müssen endliche Zahlen sein.</translation>
    </message>
    <message>
        <source>Preparing search</source>
        <translation>Suche wird vorbereitet</translation>
    </message>
    <message>
        <source>Preparing search by meaning with {name}</source>
        <translation>Suche nach Bedeutung mit {name} wird vorbereitet</translation>
    </message>
    <message>
        <source>Price of a million tokens that the model reads, in your currency.</source>
        <translation>Preis von einer Million Tokens, die das Modell liest, in deiner Währung.</translation>
    </message>
    <message>
        <source>Price of a million tokens that the model writes, in your currency.</source>
        <translation>Preis von einer Million Tokens, die das Modell schreibt, in deiner Währung.</translation>
    </message>
    <message>
        <source>Private texts are kept from the language model, so rules wrote it.</source>
        <translation>Private Texte bekommt das Sprachmodell nicht, deshalb schrieben ihn Regeln.</translation>
    </message>
    <message>
        <source>Private texts are not sent to {host}; the setting llm.send_private would allow it.</source>
        <translation>Private Texte werden nicht an {host} gesendet; die Einstellung llm.send_private würde es erlauben.</translation>
    </message>
    <message>
        <source>Private texts were left out, for the settings keep them from the language model.</source>
        <translation>Private Texte blieben außen vor, denn die Einstellungen halten sie vom Sprachmodell fern.</translation>
    </message>
    <message>
        <source>Propose 1 merge.</source>
        <translation>1 Zusammenführung vorschlagen.</translation>
    </message>
    <message>
        <source>Propose {count} merges.</source>
        <translation>{count} Zusammenführungen vorschlagen.</translation>
    </message>
    <message>
        <source>Proposed 1 merge of entities that may be one; see the inbox.</source>
        <translation>1 Zusammenführung von Einträgen vorgeschlagen, die dasselbe sein können; siehe Eingang.</translation>
    </message>
    <message>
        <source>Proposed {count} merges of entities that may be one; see the inbox.</source>
        <translation>{count} Zusammenführungen von Einträgen vorgeschlagen, die dasselbe sein können; siehe Eingang.</translation>
    </message>
    <message>
        <source>Put the key into its place, or choose a service that needs none.</source>
        <translation>Lege den Schlüssel an seinen Platz, oder wähle einen Dienst, der keinen braucht.</translation>
    </message>
    <message>
        <source>Questions made from the vault were left out: private texts are not sent to {model}.</source>
        <translation>Fragen, die aus dem Tresor gebildet wurden, blieben weg: Private Texte werden nicht an {model} gesendet.</translation>
    </message>
    <message>
        <source>Quiet seconds</source>
        <translation>Ruhesekunden</translation>
    </message>
    <message>
        <source>RRF k</source>
        <translation>RRF k</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Rate</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Lesen</translation>
    </message>
    <message>
        <source>Read 1 conversation for lasting facts.</source>
        <translation>1 Unterhaltung auf dauerhafte Fakten lesen.</translation>
    </message>
    <message>
        <source>Read a memory</source>
        <translation>Hat eine Erinnerung gelesen</translation>
    </message>
    <message>
        <source>Read {count} conversations for lasting facts.</source>
        <translation>{count} Unterhaltungen auf dauerhafte Fakten lesen.</translation>
    </message>
    <message>
        <source>Read {messages} of 1 conversation: {outcomes}.</source>
        <translation>{messages} aus 1 Unterhaltung gelesen: {outcomes}.</translation>
    </message>
    <message>
        <source>Read {messages} of {count} conversations: {outcomes}.</source>
        <translation>{messages} aus {count} Unterhaltungen gelesen: {outcomes}.</translation>
    </message>
    <message>
        <source>Read-only file system</source>
        <translation>Schreibgeschütztes Dateisystem</translation>
    </message>
    <message>
        <source>Reading for names stopped after an error inside Keepsake ({error}). Restart it.</source>
        <translation>Das Erkennen von Namen brach nach einem Fehler in Keepsake ab ({error}). Starte es neu.</translation>
    </message>
    <message>
        <source>Reading texts for late interaction</source>
        <translation>Texte werden für die späte Interaktion gelesen</translation>
    </message>
    <message>
        <source>Reads that run side by side.</source>
        <translation>Lesevorgänge, die nebeneinander laufen.</translation>
    </message>
    <message>
        <source>Recent conversations</source>
        <translation>Letzte Unterhaltungen</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>Rezept</translation>
    </message>
    <message>
        <source>Recognising names</source>
        <translation>Namen werden erkannt</translation>
    </message>
    <message>
        <source>Record the calls of your own programs too, such as the window&apos;s.</source>
        <translation>Auch die Aufrufe deiner eigenen Programme aufzeichnen, etwa die des Fensters.</translation>
    </message>
    <message>
        <source>Reflection day</source>
        <translation>Tag der Reflexion</translation>
    </message>
    <message>
        <source>Reflection days</source>
        <translation>Tage der Reflexion</translation>
    </message>
    <message>
        <source>Reflection limit</source>
        <translation>Grenze der Reflexion</translation>
    </message>
    <message>
        <source>Reflection min days</source>
        <translation>Mindestabstand der Reflexion</translation>
    </message>
    <message>
        <source>Reflection min facts</source>
        <translation>Mindestfakten der Reflexion</translation>
    </message>
    <message>
        <source>Reflection time</source>
        <translation>Uhrzeit der Reflexion</translation>
    </message>
    <message>
        <source>Rejected {items}</source>
        <translation>Abgelehnt: {items}</translation>
    </message>
    <message>
        <source>Rejected {items}, proposed by {agent}</source>
        <translation>Abgelehnt: {items}, vorgeschlagen von {agent}</translation>
    </message>
    <message>
        <source>Related turns of other conversations</source>
        <translation>Verwandte Beiträge anderer Unterhaltungen</translation>
    </message>
    <message>
        <source>Releasing what {name} wrote</source>
        <translation>Was {name} geschrieben hat, wird wieder freigegeben</translation>
    </message>
    <message>
        <source>Relevant memory</source>
        <translation>Passende Erinnerung</translation>
    </message>
    <message>
        <source>Relevant messages in an agent&apos;s context.</source>
        <translation>Passende Nachrichten im Kontext eines Agenten.</translation>
    </message>
    <message>
        <source>Relevant messages that the recipe &apos;tri&apos; takes at most.</source>
        <translation>Passende Nachrichten, die das Rezept „tri“ höchstens nimmt.</translation>
    </message>
    <message>
        <source>Remembered a fact</source>
        <translation>Hat sich einen Fakt gemerkt</translation>
    </message>
    <message>
        <source>Renamed {items}</source>
        <translation>Umbenannt: {items}</translation>
    </message>
    <message>
        <source>Requested access</source>
        <translation>Hat um Zugang gebeten</translation>
    </message>
    <message>
        <source>Reranker</source>
        <translation>Nachsortierer</translation>
    </message>
    <message>
        <source>Reranker folder</source>
        <translation>Ordner des Nachsortierers</translation>
    </message>
    <message>
        <source>Restore a backup (&apos;keepsake backup list&apos;), or save what is readable with &apos;keepsake salvage&apos;; until then nothing is lost that is readable now.</source>
        <translation>Stelle eine Sicherung wieder her („keepsake backup list“), oder rette mit „keepsake salvage“, was lesbar ist; bis dahin geht nichts verloren, was jetzt lesbar ist.</translation>
    </message>
    <message>
        <source>Restore another backup; delete this file if it is of no use.</source>
        <translation>Stelle eine andere Sicherung wieder her; lösche diese Datei, wenn sie nichts nützt.</translation>
    </message>
    <message>
        <source>Results shown at once.</source>
        <translation>Ergebnisse, die auf einmal gezeigt werden.</translation>
    </message>
    <message>
        <source>Retain recent</source>
        <translation>Letzte behalten</translation>
    </message>
    <message>
        <source>Retention</source>
        <translation>Aufbewahrung</translation>
    </message>
    <message>
        <source>Retention archive after days</source>
        <translation>Archivieren nach Tagen</translation>
    </message>
    <message>
        <source>Retention compress after days</source>
        <translation>Verdichten nach Tagen</translation>
    </message>
    <message>
        <source>Retention compression min cluster size</source>
        <translation>Kleinste Gruppe zum Verdichten</translation>
    </message>
    <message>
        <source>Retention delete archive after days</source>
        <translation>Aus dem Archiv löschen nach Tagen</translation>
    </message>
    <message>
        <source>Retention max rows per run</source>
        <translation>Zeilen je Lauf</translation>
    </message>
    <message>
        <source>Retention time</source>
        <translation>Uhrzeit der Aufbewahrung</translation>
    </message>
    <message>
        <source>Row {row} of {table} points to nothing in {parent}.</source>
        <translation>Zeile {row} von {table} verweist auf nichts in {parent}.</translation>
    </message>
    <message>
        <source>Rows that each stage of one run changes at most.</source>
        <translation>Zeilen, die jede Stufe eines Laufs höchstens ändert.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Run &apos;keepsake backup&apos;; &apos;keepsake config set backup.daily true&apos; has one made every day.</source>
        <translation>Führe „keepsake backup“ aus; „keepsake config set backup.daily true“ lässt täglich eine anlegen.</translation>
    </message>
    <message>
        <source>Run &apos;keepsake check --repair&apos;; only what can be made anew from the rest is.</source>
        <translation>Führe „keepsake check --repair“ aus; nur was sich aus dem Übrigen neu erstellen lässt, wird neu erstellt.</translation>
    </message>
    <message>
        <source>Run: chmod go-rwx {path}</source>
        <translation>Führe aus: chmod go-rwx {path}</translation>
    </message>
    <message>
        <source>Runs of a schedule that are kept.</source>
        <translation>Läufe eines Zeitplans, die behalten werden.</translation>
    </message>
    <message>
        <source>SQLite reports: {what}.</source>
        <translation>SQLite meldet: {what}.</translation>
    </message>
    <message>
        <source>Salient messages that the recipe &apos;tri&apos; takes at most.</source>
        <translation>Herausragende Nachrichten, die das Rezept „tri“ höchstens nimmt.</translation>
    </message>
    <message>
        <source>Saturday</source>
        <translation>Samstag</translation>
    </message>
    <message>
        <source>Say what to archive: &apos;ids&apos;, or an age in &apos;older_than_days&apos;.</source>
        <translation>Sag, was zu archivieren ist: „ids“, oder ein Alter in „older_than_days“.</translation>
    </message>
    <message>
        <source>Say what to forget: &apos;ids&apos; of memories and the like, or &apos;sessions&apos;.</source>
        <translation>Sag, was vergessen werden soll: „ids“ von Erinnerungen und Ähnlichem, oder „sessions“.</translation>
    </message>
    <message>
        <source>Say which names, or which messages and memories, the second entity gets.</source>
        <translation>Sag, welche Namen oder welche Nachrichten und Erinnerungen der zweite Eintrag bekommt.</translation>
    </message>
    <message>
        <source>Schedules cannot run: {why}</source>
        <translation>Zeitpläne können nicht laufen: {why}</translation>
    </message>
    <message>
        <source>Search 1 text for names.</source>
        <translation>1 Text nach Namen durchsuchen.</translation>
    </message>
    <message>
        <source>Search by meaning covers only the present, so the past was searched by words.</source>
        <translation>Die Suche nach Bedeutung kennt nur die Gegenwart, darum wurde die Vergangenheit nach Wörtern durchsucht.</translation>
    </message>
    <message>
        <source>Search by meaning is switched off. Set index.vectors to true and start Keepsake again.</source>
        <translation>Die Suche nach Bedeutung ist ausgeschaltet. Setze index.vectors auf true, und starte Keepsake neu.</translation>
    </message>
    <message>
        <source>Search by meaning was left out: {why}</source>
        <translation>Die Suche nach Bedeutung entfiel: {why}</translation>
    </message>
    <message>
        <source>Search for names</source>
        <translation>Namen suchen</translation>
    </message>
    <message>
        <source>Search memories and messages with few names again, and propose merges of entities.</source>
        <translation>Erinnerungen und Nachrichten mit wenigen Namen noch einmal durchsuchen und Zusammenführungen von Namen vorschlagen.</translation>
    </message>
    <message>
        <source>Search texts with few names again, join names of one person, and propose to merge entities that may be one.</source>
        <translation>Texte mit wenigen Namen noch einmal durchsuchen, Namen einer Person zusammenführen und vorschlagen, Namen zusammenzuführen, die eins sein können.</translation>
    </message>
    <message>
        <source>Search {count} texts for names.</source>
        <translation>{count} Texte nach Namen durchsuchen.</translation>
    </message>
    <message>
        <source>Searched 1 text again.</source>
        <translation>1 Text erneut durchsucht.</translation>
    </message>
    <message>
        <source>Searched your memory</source>
        <translation>Hat dein Gedächtnis durchsucht</translation>
    </message>
    <message>
        <source>Searched {count} texts again.</source>
        <translation>{count} Texte erneut durchsucht.</translation>
    </message>
    <message>
        <source>Seconds after which a read is stopped.</source>
        <translation>Sekunden, nach denen ein Lesevorgang angehalten wird.</translation>
    </message>
    <message>
        <source>Seconds between two checks for due schedules.</source>
        <translation>Sekunden zwischen zwei Prüfungen auf fällige Zeitpläne.</translation>
    </message>
    <message>
        <source>Seconds between two looks at the transcripts.</source>
        <translation>Sekunden zwischen zwei Blicken auf die Mitschriften.</translation>
    </message>
    <message>
        <source>Seconds that a model may take to judge a new memory.</source>
        <translation>Sekunden, die ein Modell für das Urteil über eine neue Erinnerung brauchen darf.</translation>
    </message>
    <message>
        <source>Seconds that one answer may take.</source>
        <translation>Sekunden, die eine Antwort dauern darf.</translation>
    </message>
    <message>
        <source>Seconds that one run of a goal takes at most.</source>
        <translation>Sekunden, die ein Lauf eines Ziels höchstens dauert.</translation>
    </message>
    <message>
        <source>Seconds without a turn after which a conversation counts as quiet.</source>
        <translation>Sekunden ohne neue Nachricht, nach denen eine Unterhaltung als ruhig gilt.</translation>
    </message>
    <message>
        <source>Send conversations and private notes too to a remote embedding service; else they are found by words only.</source>
        <translation>Unterhaltungen und private Notizen auch an einen entfernten Einbettungsdienst senden; sonst werden sie nur über Wörter gefunden.</translation>
    </message>
    <message>
        <source>Send private texts to a service that is not on this computer.</source>
        <translation>Private Texte an einen Dienst senden, der nicht auf diesem Rechner läuft.</translation>
    </message>
    <message>
        <source>Session of an agent</source>
        <translation>Sitzung eines Agenten</translation>
    </message>
    <message>
        <source>Session {known} was forgotten. Undo that, or use another id.</source>
        <translation>Die Unterhaltung {known} wurde gelöscht. Mach das rückgängig, oder nimm eine andere Kennung.</translation>
    </message>
    <message>
        <source>Session {landed} was forgotten. Undo that, or use another key.</source>
        <translation>Die Unterhaltung {landed} wurde gelöscht. Mach das rückgängig, oder nimm einen anderen Schlüssel.</translation>
    </message>
    <message>
        <source>Set it before the start, or leave {name} empty for the key in the keyring.</source>
        <translation>Setze sie vor dem Start, oder lass {name} leer, damit der Schlüssel aus dem Schlüsselbund gilt.</translation>
    </message>
    <message>
        <source>Set one of them above 0.</source>
        <translation>Setze eines davon über 0.</translation>
    </message>
    <message>
        <source>Set {name} above {other}.</source>
        <translation>Setze {name} über {other}.</translation>
    </message>
    <message>
        <source>Set {name} below {other}.</source>
        <translation>Setze {name} unter {other}.</translation>
    </message>
    <message>
        <source>Set {name} to true, or retention.enabled to false.</source>
        <translation>Setze {name} auf true oder retention.enabled auf false.</translation>
    </message>
    <message>
        <source>Set {name} to {other} or less.</source>
        <translation>Setze {name} auf höchstens {other}.</translation>
    </message>
    <message>
        <source>Set {name} to {other} or more.</source>
        <translation>Setze {name} auf mindestens {other}.</translation>
    </message>
    <message>
        <source>Set {name}, for example to &quot;{example}&quot;, or llm.provider to &quot;none&quot;.</source>
        <translation>Setze {name}, zum Beispiel auf &quot;{example}&quot;, oder llm.provider auf &quot;none&quot;.</translation>
    </message>
    <message>
        <source>Set {name}.</source>
        <translation>Setze {name}.</translation>
    </message>
    <message>
        <source>Set {other} to {name}.</source>
        <translation>Setze {other} auf {name}.</translation>
    </message>
    <message>
        <source>Set {section}.api_key_env to the name of the environment variable that holds the key.</source>
        <translation>Trage in {section}.api_key_env den Namen der Umgebungsvariablen ein, die den Schlüssel enthält.</translation>
    </message>
    <message>
        <source>Share of its confidence a new fact loses in a day without use.</source>
        <translation>Anteil an Sicherheit, den ein neuer Fakt an einem Tag ohne Nutzung verliert.</translation>
    </message>
    <message>
        <source>Share of meaning in the recipe &apos;weighted&apos;.</source>
        <translation>Anteil der Bedeutung im Rezept „weighted“.</translation>
    </message>
    <message>
        <source>Share of the budget above which older messages are condensed.</source>
        <translation>Anteil des Budgets, über dem ältere Nachrichten verdichtet werden.</translation>
    </message>
    <message>
        <source>Share of the budget that messages take at most once older ones are condensed.</source>
        <translation>Anteil des Budgets, den Nachrichten höchstens nehmen, sobald ältere verdichtet sind.</translation>
    </message>
    <message>
        <source>Share of the facts that one run sets aside at most.</source>
        <translation>Anteil der Fakten, den ein Lauf höchstens beiseitelegt.</translation>
    </message>
    <message>
        <source>Share of the facts that the runs of 30 days set aside at most.</source>
        <translation>Anteil der Fakten, den die Läufe von 30 Tagen höchstens beiseitelegen.</translation>
    </message>
    <message>
        <source>Share of words in common from which a model judges two memories.</source>
        <translation>Anteil gemeinsamer Wörter, ab dem ein Modell zwei Erinnerungen beurteilt.</translation>
    </message>
    <message>
        <source>Share of words in common from which two facts count as the same.</source>
        <translation>Anteil gemeinsamer Wörter, ab dem zwei Fakten als gleich gelten.</translation>
    </message>
    <message>
        <source>Share of words in the recipe &apos;weighted&apos;.</source>
        <translation>Anteil der Wörter im Rezept „weighted“.</translation>
    </message>
    <message>
        <source>Show changes at once, without movement or flashes.</source>
        <translation>Änderungen sofort zeigen, ohne Bewegung oder Aufblitzen.</translation>
    </message>
    <message>
        <source>Signal</source>
        <translation>Signal</translation>
    </message>
    <message>
        <source>Similarity above which a message is relevant.</source>
        <translation>Ähnlichkeit, über der eine Nachricht passt.</translation>
    </message>
    <message>
        <source>Similarity above which the recipe &apos;tri&apos; takes a message as relevant.</source>
        <translation>Ähnlichkeit, über der das Rezept „tri“ eine Nachricht als passend nimmt.</translation>
    </message>
    <message>
        <source>Size at which a file of the trace is set aside for a new one.</source>
        <translation>Größe, bei der eine Protokolldatei für eine neue beiseitegelegt wird.</translation>
    </message>
    <message>
        <source>Size of text and controls, in percent.</source>
        <translation>Größe von Text und Bedienelementen, in Prozent.</translation>
    </message>
    <message>
        <source>Skipped at {first}. {why}</source>
        <translation>Ausgelassen um {first}. {why}</translation>
    </message>
    <message>
        <source>Skipped {count} times from {first} to {last}. {why}</source>
        <translation>{count}-mal ausgelassen von {first} bis {last}. {why}</translation>
    </message>
    <message>
        <source>Slack</source>
        <translation>Slack</translation>
    </message>
    <message>
        <source>So much has changed since then that not all of it was searched.</source>
        <translation>Seither hat sich so viel geändert, dass nicht alles durchsucht wurde.</translation>
    </message>
    <message>
        <source>Some bytes were not UTF-8 text and were replaced with �.</source>
        <translation>Einige Bytes waren kein UTF-8-Text und wurden durch � ersetzt.</translation>
    </message>
    <message>
        <source>Some of it was not valid {encoding} and was replaced with �.</source>
        <translation>Einiges darin war kein gültiges {encoding} und wurde durch � ersetzt.</translation>
    </message>
    <message>
        <source>Something went wrong inside Keepsake ({kind}).</source>
        <translation>In Keepsake ist etwas schiefgegangen ({kind}).</translation>
    </message>
    <message>
        <source>Stopped on request.</source>
        <translation>Auf Wunsch angehalten.</translation>
    </message>
    <message>
        <source>Store busy timeout</source>
        <translation>Wartezeit der Datenbank</translation>
    </message>
    <message>
        <source>Store keys and passwords in transcripts and agents&apos; writes as they are; otherwise a mark replaces them.</source>
        <translation>Schlüssel und Passwörter in Mitschriften und in dem, was Agenten schreiben, unverändert speichern; sonst ersetzt sie eine Markierung.</translation>
    </message>
    <message>
        <source>Store read limit</source>
        <translation>Grenze der Lesezeit</translation>
    </message>
    <message>
        <source>Store readers</source>
        <translation>Lesevorgänge zugleich</translation>
    </message>
    <message>
        <source>Store wal</source>
        <translation>WAL der Datenbank</translation>
    </message>
    <message>
        <source>Summaries of recent conversations in a fully trusted agent&apos;s context.</source>
        <translation>Zusammenfassungen letzter Unterhaltungen im Kontext eines Agenten mit vollem Vertrauen.</translation>
    </message>
    <message>
        <source>Summary characters</source>
        <translation>Zeichen der Zusammenfassung</translation>
    </message>
    <message>
        <source>Summary min turns</source>
        <translation>Mindestnachrichten zum Verdichten</translation>
    </message>
    <message>
        <source>Summary target</source>
        <translation>Zielanteil der Zusammenfassung</translation>
    </message>
    <message>
        <source>Summary trigger</source>
        <translation>Auslöser der Zusammenfassung</translation>
    </message>
    <message>
        <source>Sunday</source>
        <translation>Sonntag</translation>
    </message>
    <message>
        <source>Superseded memories are searched by words alone; entity: finds nothing there.</source>
        <translation>Ersetzte Erinnerungen werden nur nach Wörtern durchsucht; entity: findet dort nichts.</translation>
    </message>
    <message>
        <source>Supported are exports of {conversations}; Markdown notes of {notes}; transcripts of {transcripts}; chats and mails of {chats}; notes of {notebooks}; documents as {documents}; memories of {memories}.</source>
        <translation>Unterstützt werden Exporte von {conversations}; Markdown-Notizen von {notes}; Mitschriften von {transcripts}; Chats und E-Mails von {chats}; Notizen von {notebooks}; Dokumente als {documents}; Erinnerungen von {memories}.</translation>
    </message>
    <message>
        <source>Switched off {items}</source>
        <translation>Ausgeschaltet: {items}</translation>
    </message>
    <message>
        <source>Switched on {items}</source>
        <translation>Eingeschaltet: {items}</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>Tables of these names belong to another role of the database. Name another schema.</source>
        <translation>Tabellen dieses Namens gehören einer anderen Rolle der Datenbank. Nenne ein anderes Schema.</translation>
    </message>
    <message>
        <source>Take it out of the environment.</source>
        <translation>Nimm sie aus der Umgebung.</translation>
    </message>
    <message>
        <source>Take it out, unless another version of Keepsake uses it.</source>
        <translation>Nimm es heraus, außer wenn eine andere Version von Keepsake es benutzt.</translation>
    </message>
    <message>
        <source>Take it out.</source>
        <translation>Nimm es heraus.</translation>
    </message>
    <message>
        <source>Take it out: &apos;keepsake secret set&apos; puts a key into the system&apos;s keyring, or it stays in the environment and embedding.api_key_env names the variable.</source>
        <translation>Nimm es heraus: „keepsake secret set“ legt einen Schlüssel in den Schlüsselbund des Systems, oder er bleibt in der Umgebung und embedding.api_key_env nennt die Variable.</translation>
    </message>
    <message>
        <source>Take memories from conversations after each turn, where there is a language model.</source>
        <translation>Nach jeder Runde Erinnerungen aus Unterhaltungen ziehen, wo es ein Sprachmodell gibt.</translation>
    </message>
    <message>
        <source>Take {name} out.</source>
        <translation>Nimm {name} heraus.</translation>
    </message>
    <message>
        <source>Telegram export</source>
        <translation>Telegram-Export</translation>
    </message>
    <message>
        <source>Testing the search</source>
        <translation>Die Suche wird geprüft</translation>
    </message>
    <message>
        <source>Text before the first message was left out.</source>
        <translation>Text vor der ersten Nachricht blieb weg.</translation>
    </message>
    <message>
        <source>Text that is no conversation was left out: {text}.</source>
        <translation>Text, der keine Unterhaltung ist, blieb weg: {text}.</translation>
    </message>
    <message>
        <source>Texts and the key would travel to the embedding service unencrypted.</source>
        <translation>Texte und der Schlüssel gingen unverschlüsselt zum Embedding-Dienst.</translation>
    </message>
    <message>
        <source>Texts and the key would travel to the language model unencrypted.</source>
        <translation>Texte und der Schlüssel gingen unverschlüsselt zum Sprachmodell.</translation>
    </message>
    <message>
        <source>Texts of every store may be sent to {name}, private ones too (llm.send_private).</source>
        <translation>Texte aller Bereiche dürfen an {name} gesendet werden, auch private (llm.send_private).</translation>
    </message>
    <message>
        <source>Texts of every store may be sent, to this machine only.</source>
        <translation>Texte aller Bereiche dürfen gesendet werden, nur an diesen Rechner.</translation>
    </message>
    <message>
        <source>Texts of the stores shared and social may be sent to {name}; private ones are not.</source>
        <translation>Texte der Bereiche Geteilt und Sozial dürfen an {name} gesendet werden; private nicht.</translation>
    </message>
    <message>
        <source>Texts searched for names in one step at most.</source>
        <translation>Texte, die in einem Schritt höchstens nach Namen durchsucht werden.</translation>
    </message>
    <message>
        <source>Texts turned into vectors at once.</source>
        <translation>Texte, die auf einmal in Vektoren verwandelt werden.</translation>
    </message>
    <message>
        <source>That cannot be a path on this machine. Check how it is written.</source>
        <translation>Das kann auf diesem Rechner kein Pfad sein. Prüfe die Schreibweise.</translation>
    </message>
    <message>
        <source>That change is undone already.</source>
        <translation>Diese Änderung ist schon rückgängig gemacht.</translation>
    </message>
    <message>
        <source>That client was not connected from this vault, so there is nothing to take back.</source>
        <translation>Dieses Programm wurde nicht von diesem Tresor aus verbunden, deshalb gibt es nichts zurückzunehmen.</translation>
    </message>
    <message>
        <source>That is no key: it is empty, longer than {most} characters, or has characters no key has. Copy it again.</source>
        <translation>Das ist kein Schlüssel: leer, länger als {most} Zeichen oder mit Zeichen, die kein Schlüssel hat. Kopiere ihn noch einmal.</translation>
    </message>
    <message>
        <source>That is the tag&apos;s name already, or no tag was named.</source>
        <translation>So heißt das Schlagwort schon, oder es wurde keines genannt.</translation>
    </message>
    <message>
        <source>That is undone already.</source>
        <translation>Das ist schon rückgängig gemacht.</translation>
    </message>
    <message>
        <source>That is what Keepsake told you: it is stored already. Write what is new, in words of your own.</source>
        <translation>Das hat Keepsake dir gesagt: Es ist schon gespeichert. Schreib, was neu ist, in eigenen Worten.</translation>
    </message>
    <message>
        <source>That took too long and was stopped. Ask for less at once.</source>
        <translation>Das dauerte zu lange und wurde angehalten. Frag nach weniger auf einmal.</translation>
    </message>
    <message>
        <source>The access of {agent} has ended. Only the person can give it again.</source>
        <translation>Der Zugang von {agent} ist beendet. Nur die Person kann ihn wieder geben.</translation>
    </message>
    <message>
        <source>The address of the database is not on this machine. End the projection here with &apos;keep_rows&apos;, and begin it again where it is wanted.</source>
        <translation>Die Adresse der Datenbank ist nicht auf diesem Rechner. Beende die Projektion hier mit „keep_rows“, und beginne sie dort neu, wo du sie willst.</translation>
    </message>
    <message>
        <source>The archive has more than {most} files; it was left out.</source>
        <translation>Das Archiv hat mehr als {most} Dateien; sie blieb weg.</translation>
    </message>
    <message>
        <source>The archive has no memory with the id {memory_id}.</source>
        <translation>Das Archiv hat keine Erinnerung mit der Kennung {memory_id}.</translation>
    </message>
    <message>
        <source>The archive is cut short or damaged there, so it was left out.</source>
        <translation>Das Archiv ist dort abgeschnitten oder beschädigt, darum blieb sie weg.</translation>
    </message>
    <message>
        <source>The archive is cut short or damaged, so only the notes before that place were read.</source>
        <translation>Das Archiv ist abgeschnitten oder beschädigt, darum wurden nur die Notizen vor dieser Stelle gelesen.</translation>
    </message>
    <message>
        <source>The archive is searched by words alone; entity: finds nothing there.</source>
        <translation>Das Archiv wird nur nach Wörtern durchsucht; entity: findet dort nichts.</translation>
    </message>
    <message>
        <source>The arguments are not a JSON object.</source>
        <translation>Die Argumente sind kein JSON-Objekt.</translation>
    </message>
    <message>
        <source>The arguments are too long.</source>
        <translation>Die Argumente sind zu lang.</translation>
    </message>
    <message>
        <source>The attachment {place} of the folder {root} was left out: {reason}</source>
        <translation>Der Anhang {place} des Ordners {root} wurde ausgelassen: {reason}</translation>
    </message>
    <message>
        <source>The backup is now {name} in the same folder. Start Keepsake again; &apos;keepsake backup list&apos; shows the other backups.</source>
        <translation>Die Sicherung heißt jetzt {name} und liegt im selben Ordner. Starte Keepsake neu; „keepsake backup list“ zeigt die anderen Sicherungen.</translation>
    </message>
    <message>
        <source>The backup {latest} was verified.</source>
        <translation>Die Sicherung {latest} wurde geprüft.</translation>
    </message>
    <message>
        <source>The beginning of {name} is damaged, which holds its key: nothing of it can be read. Copy the file again, or use another copy.</source>
        <translation>Der Anfang von {name} ist beschädigt, und darin liegt der Schlüssel: Nichts davon ist lesbar. Kopiere die Datei noch einmal, oder nimm eine andere Kopie.</translation>
    </message>
    <message>
        <source>The beginning of {path} is damaged, and without it nothing in the file can be told apart. Restore a backup: &apos;keepsake backup list&apos; shows them.</source>
        <translation>Der Anfang von {path} ist beschädigt, und ohne ihn lässt sich in der Datei nichts unterscheiden. Stelle eine Sicherung wieder her: „keepsake backup list“ zeigt sie.</translation>
    </message>
    <message>
        <source>The bucket is in the region {region}. Write region={region} into the address.</source>
        <translation>Der Bucket liegt in der Region {region}. Schreib region={region} in die Adresse.</translation>
    </message>
    <message>
        <source>The cache is plain, and its vault is encrypted.</source>
        <translation>Der Zwischenspeicher ist unverschlüsselt, sein Tresor aber verschlüsselt.</translation>
    </message>
    <message>
        <source>The clock of another machine is more than a hundred years ahead; what it wrote is not taken in.</source>
        <translation>Die Uhr eines anderen Rechners geht über hundert Jahre vor; was er geschrieben hat, wird nicht übernommen.</translation>
    </message>
    <message>
        <source>The clock of this machine and that of {server} are too far apart. Set this one right; nothing is lost meanwhile.</source>
        <translation>Die Uhr dieses Rechners und die von {server} gehen zu weit auseinander. Stell die hiesige richtig; bis dahin geht nichts verloren.</translation>
    </message>
    <message>
        <source>The column {column} has two classes.</source>
        <translation>Die Spalte {column} hat zwei Klassen.</translation>
    </message>
    <message>
        <source>The configuration was changed by another program since it was shown. Look at the change again; nothing was written.</source>
        <translation>Ein anderes Programm hat die Konfiguration geändert, seit sie angezeigt wurde. Sieh dir die Änderung noch einmal an; es wurde nichts geschrieben.</translation>
    </message>
    <message>
        <source>The connection to the place where your machines meet was closed.</source>
        <translation>Die Verbindung zu dem Ort, an dem sich deine Rechner treffen, wurde geschlossen.</translation>
    </message>
    <message>
        <source>The connection to {host} was closed.</source>
        <translation>Die Verbindung zu {host} wurde geschlossen.</translation>
    </message>
    <message>
        <source>The conversation</source>
        <translation>Das Gespräch</translation>
    </message>
    <message>
        <source>The cost of a run is above 0 and at most {max_cost}.</source>
        <translation>Ein Lauf darf mehr als 0 und höchstens {max_cost} kosten.</translation>
    </message>
    <message>
        <source>The cursor is none that an earlier page gave. Leave it out.</source>
        <translation>Diese Marke stammt von keiner früheren Seite. Lass sie weg.</translation>
    </message>
    <message>
        <source>The daily backup failed: {why}</source>
        <translation>Die tägliche Sicherung schlug fehl: {why}</translation>
    </message>
    <message>
        <source>The damage goes deeper than a repair of derived data reaches. Restore a backup (&apos;keepsake backup list&apos;), or save what is readable with &apos;keepsake salvage&apos;. Nothing was changed.</source>
        <translation>Der Schaden reicht tiefer, als sich mit abgeleiteten Daten reparieren lässt. Stelle eine Sicherung wieder her („keepsake backup list“), oder rette mit „keepsake salvage“, was lesbar ist. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>The database cannot be reached: it does not answer.</source>
        <translation>Die Datenbank ist nicht erreichbar: Sie antwortet nicht.</translation>
    </message>
    <message>
        <source>The database cannot be reached: {reason}.</source>
        <translation>Die Datenbank ist nicht erreichbar: {reason}.</translation>
    </message>
    <message>
        <source>The database does not hold what your machines share: it is another one, or was emptied.</source>
        <translation>Die Datenbank enthält nicht, was deine Rechner teilen: Es ist eine andere, oder sie wurde geleert.</translation>
    </message>
    <message>
        <source>The database is damaged, so no sound copy of it can be made.</source>
        <translation>Die Datenbank ist beschädigt, also lässt sich keine heile Kopie von ihr machen.</translation>
    </message>
    <message>
        <source>The database is full. Make room there; nothing is lost meanwhile.</source>
        <translation>Die Datenbank ist voll. Schaff dort Platz; bis dahin geht nichts verloren.</translation>
    </message>
    <message>
        <source>The database is shared by more than one vault. Name another database.</source>
        <translation>Mehr als ein Tresor nutzt diese Datenbank. Nenne eine andere.</translation>
    </message>
    <message>
        <source>The database refused a statement ({error}).</source>
        <translation>Die Datenbank hat eine Anweisung abgelehnt ({error}).</translation>
    </message>
    <message>
        <source>The database refused what was asked: {reason}.</source>
        <translation>Die Datenbank hat die Anfrage abgelehnt: {reason}.</translation>
    </message>
    <message>
        <source>The database takes no changes at the moment: it is read-only.</source>
        <translation>Die Datenbank nimmt gerade keine Änderungen an: Sie lässt sich nur lesen.</translation>
    </message>
    <message>
        <source>The database was optimized.</source>
        <translation>Die Datenbank wurde optimiert.</translation>
    </message>
    <message>
        <source>The database&apos;s log was damaged and was set aside as {name}; what was written last may be missing.</source>
        <translation>Das Protokoll der Datenbank war beschädigt und wurde als {name} beiseitegelegt; das zuletzt Geschriebene kann fehlen.</translation>
    </message>
    <message>
        <source>The day it is written.</source>
        <translation>Der Tag, an dem sie geschrieben wird.</translation>
    </message>
    <message>
        <source>The digest</source>
        <translation>Die Zusammenfassung</translation>
    </message>
    <message>
        <source>The disk can only be read. Make it writable, then try again.</source>
        <translation>Der Datenträger lässt sich nur lesen. Mache ihn beschreibbar, und versuche es dann noch einmal.</translation>
    </message>
    <message>
        <source>The disk cannot hold so large a file. Move the vault to a disk of another format.</source>
        <translation>Der Datenträger kann eine so große Datei nicht aufnehmen. Verschiebe den Tresor auf einen Datenträger mit einem anderen Dateisystem.</translation>
    </message>
    <message>
        <source>The disk is full, so this vault is open for reading only. Free some space and restart Keepsake; nothing already saved was lost.</source>
        <translation>Der Datenträger ist voll, darum ist dieser Tresor nur zum Lesen geöffnet. Schaffe Platz, und starte Keepsake neu; nichts Gespeichertes ging verloren.</translation>
    </message>
    <message>
        <source>The disk is full.</source>
        <translation>Der Datenträger ist voll.</translation>
    </message>
    <message>
        <source>The disk is full. Free some space and try again.</source>
        <translation>Der Datenträger ist voll. Schaffe etwas Platz, und versuche es noch einmal.</translation>
    </message>
    <message>
        <source>The disk is full. Free some space; nothing already saved was lost.</source>
        <translation>Der Datenträger ist voll. Schaff Platz; nichts Gespeichertes ging verloren.</translation>
    </message>
    <message>
        <source>The disk is full; {name} was not written.</source>
        <translation>Der Datenträger ist voll; {name} wurde nicht geschrieben.</translation>
    </message>
    <message>
        <source>The disk reported an error. Check its cable and its state; what is not confirmed was not saved.</source>
        <translation>Der Datenträger hat einen Fehler gemeldet. Prüfe sein Kabel und seinen Zustand; was nicht bestätigt ist, wurde nicht gespeichert.</translation>
    </message>
    <message>
        <source>The disk that holds {path} is full. Free some space and try again.</source>
        <translation>Der Datenträger mit {path} ist voll. Schaff Platz und versuch es erneut.</translation>
    </message>
    <message>
        <source>The download of {model} was cancelled but does not end.</source>
        <translation>Das Herunterladen von {model} wurde abgebrochen, endet aber nicht.</translation>
    </message>
    <message>
        <source>The embedder {family} takes no option {option}.</source>
        <translation>Der Embedder {family} kennt die Option {option} nicht.</translation>
    </message>
    <message>
        <source>The embedding model in {folder} cannot be read ({reason}); reinstall Keepsake or choose another.</source>
        <translation>Das Embedding-Modell in {folder} ist nicht lesbar ({reason}); installiere Keepsake neu, oder wähle ein anderes.</translation>
    </message>
    <message>
        <source>The embedding model in {folder} is damaged; reinstall Keepsake or choose another.</source>
        <translation>Das Embedding-Modell in {folder} ist beschädigt; installiere Keepsake neu, oder wähle ein anderes.</translation>
    </message>
    <message>
        <source>The embedding model is still being opened.</source>
        <translation>Das Embedding-Modell wird noch geöffnet.</translation>
    </message>
    <message>
        <source>The embedding model was closed; open it again to embed.</source>
        <translation>Das Embedding-Modell wurde geschlossen; öffne es wieder, um weiterzumachen.</translation>
    </message>
    <message>
        <source>The embedding model {name} failed; see that the machine has memory left, get the model&apos;s files again, or choose the embedder static.</source>
        <translation>Das Embedding-Modell {name} ist gescheitert; sieh nach, ob noch Speicher frei ist, hole die Dateien des Modells neu, oder wähle den Embedder static.</translation>
    </message>
    <message>
        <source>The encryption has begun, so it cannot be called off any more. Open Keepsake with the passphrase; when everything is encrypted, it can be decrypted.</source>
        <translation>Das Verschlüsseln hat begonnen und lässt sich nicht mehr absagen. Öffne Keepsake mit der Passphrase; ist alles verschlüsselt, lässt es sich wieder entschlüsseln.</translation>
    </message>
    <message>
        <source>The entity {missing}, which it names, is not in this vault.</source>
        <translation>Der Name {missing}, auf den es sich bezieht, ist nicht in diesem Tresor.</translation>
    </message>
    <message>
        <source>The entry &apos;{entry_name}&apos; in {path} was changed since, so it was left as it is.</source>
        <translation>Der Eintrag „{entry_name}“ in {path} wurde seither geändert und blieb darum, wie er ist.</translation>
    </message>
    <message>
        <source>The environment variable named in &apos;{name}&apos; holds no key for &apos;{provider}&apos;.</source>
        <translation>Die in „{name}“ genannte Umgebungsvariable enthält keinen Schlüssel für „{provider}“.</translation>
    </message>
    <message>
        <source>The environment variable named in &apos;{name}&apos; holds no key for the language model.</source>
        <translation>Die in „{name}“ genannte Umgebungsvariable enthält keinen Schlüssel für das Sprachmodell.</translation>
    </message>
    <message>
        <source>The environment variable that {section}.api_key_env names holds no key for {service}; set it before Keepsake starts.</source>
        <translation>Die Umgebungsvariable, die {section}.api_key_env nennt, enthält keinen Schlüssel für {service}; setze sie, bevor Keepsake startet.</translation>
    </message>
    <message>
        <source>The environment variable {name} holds no key for {service}; set it before Keepsake starts.</source>
        <translation>Die Umgebungsvariable {name} enthält keinen Schlüssel für {service}; setze sie, bevor Keepsake startet.</translation>
    </message>
    <message>
        <source>The environment variable {variable} holds no key for &apos;{provider}&apos;.</source>
        <translation>Die Umgebungsvariable {variable} enthält keinen Schlüssel für „{provider}“.</translation>
    </message>
    <message>
        <source>The exchange is paused.</source>
        <translation>Der Austausch ist angehalten.</translation>
    </message>
    <message>
        <source>The exchange with this database has ended.</source>
        <translation>Der Austausch mit dieser Datenbank ist beendet.</translation>
    </message>
    <message>
        <source>The export was stopped; nothing was written.</source>
        <translation>Der Export wurde angehalten; nichts wurde geschrieben.</translation>
    </message>
    <message>
        <source>The fact</source>
        <translation>Der Fakt</translation>
    </message>
    <message>
        <source>The fact says that already.</source>
        <translation>Der Fakt sagt das schon.</translation>
    </message>
    <message>
        <source>The file declares entities of XML, which no real document does, so it was not read any further.</source>
        <translation>Die Datei erklärt XML-Entitäten, was kein echtes Dokument tut; sie wurde nicht weitergelesen.</translation>
    </message>
    <message>
        <source>The file declares entities of XML, which no real export does, so it was not read any further.</source>
        <translation>Die Datei erklärt XML-Entitäten, was kein echter Export tut; sie wurde nicht weitergelesen.</translation>
    </message>
    <message>
        <source>The file ends in the middle of this conversation: it was cut off. Everything before it went in.</source>
        <translation>Die Datei endet mitten in dieser Unterhaltung: Sie wurde abgeschnitten. Alles davor kam herein.</translation>
    </message>
    <message>
        <source>The file ends without its closing bracket: it was cut off here.</source>
        <translation>Die Datei endet ohne schließende Klammer: Sie wurde hier abgeschnitten.</translation>
    </message>
    <message>
        <source>The file is cut short or damaged there. Everything before it went in.</source>
        <translation>Die Datei ist dort abgeschnitten oder beschädigt. Alles davor kam herein.</translation>
    </message>
    <message>
        <source>The file is damaged or cut off here. {words}</source>
        <translation>Die Datei ist hier beschädigt oder abgeschnitten. {words}</translation>
    </message>
    <message>
        <source>The file is damaged there; what stands between this note and the next one was left out.</source>
        <translation>Die Datei ist dort beschädigt; was zwischen dieser und der nächsten Notiz steht, blieb weg.</translation>
    </message>
    <message>
        <source>The file is damaged, so only its beginning was read.</source>
        <translation>Die Datei ist beschädigt, darum wurde nur ihr Anfang gelesen.</translation>
    </message>
    <message>
        <source>The file is not as Keepsake writes it. {words}</source>
        <translation>Die Datei ist nicht so, wie Keepsake sie schreibt. {words}</translation>
    </message>
    <message>
        <source>The file itself was not attached: {why}</source>
        <translation>Die Datei selbst wurde nicht angehängt: {why}</translation>
    </message>
    <message>
        <source>The file says nothing of this session before its &apos;{type}&apos;, which was left out.</source>
        <translation>Die Datei sagt nichts von dieser Unterhaltung vor ihrem „{type}“, das wegblieb.</translation>
    </message>
    <message>
        <source>The file {place} of the folder {root} cannot be read.</source>
        <translation>Die Datei {place} im Ordner {root} ist nicht lesbar.</translation>
    </message>
    <message>
        <source>The files are not those of the model {name}, but another one&apos;s or damaged; get that model&apos;s files, or choose the embedder static.</source>
        <translation>Die Dateien gehören nicht zum Modell {name}, sondern zu einem anderen, oder sie sind beschädigt; hole die richtigen, oder wähle den Embedder static.</translation>
    </message>
    <message>
        <source>The files of the model {name} are damaged; get them again, or {instead}.</source>
        <translation>Die Dateien des Modells {name} sind beschädigt; hole sie neu, oder {instead}.</translation>
    </message>
    <message>
        <source>The first line was read, and nothing after that.</source>
        <translation>Die erste Zeile wurde gelesen, danach nichts mehr.</translation>
    </message>
    <message>
        <source>The first {count} lines were read, and nothing after that.</source>
        <translation>Die ersten {count} Zeilen wurden gelesen, danach nichts mehr.</translation>
    </message>
    <message>
        <source>The folder of notes {folder} could not be read: {why}</source>
        <translation>Der Ordner mit Notizen {folder} war nicht lesbar: {why}</translation>
    </message>
    <message>
        <source>The folder on {server} is shared by more than one vault. Name another folder, or remove one of them.</source>
        <translation>Der Ordner auf {server} wird von mehr als einem Tresor geteilt. Nenne einen anderen Ordner, oder entferne einen davon.</translation>
    </message>
    <message>
        <source>The folder {place} cannot be read.</source>
        <translation>Der Ordner {place} ist nicht lesbar.</translation>
    </message>
    <message>
        <source>The format &apos;{name}&apos; takes it too.</source>
        <translation>Das Format „{name}“ nimmt auch das.</translation>
    </message>
    <message>
        <source>The history has no entry {history_id}.</source>
        <translation>Der Verlauf hat keinen Eintrag {history_id}.</translation>
    </message>
    <message>
        <source>The history has no such entry. See &apos;history.list&apos;.</source>
        <translation>Der Verlauf hat keinen solchen Eintrag. Siehe „history.list“.</translation>
    </message>
    <message>
        <source>The hook for {event} was changed since, so it was left as it is.</source>
        <translation>Der Hook für {event} wurde seither geändert und blieb darum, wie er ist.</translation>
    </message>
    <message>
        <source>The inbox rule</source>
        <translation>Die Regel des Eingangs</translation>
    </message>
    <message>
        <source>The key in {place} is not usable; copy it again.</source>
        <translation>Der Schlüssel aus dieser Quelle ist nicht brauchbar: {place}. Kopiere ihn noch einmal.</translation>
    </message>
    <message>
        <source>The key of your capsules, {path}, cannot be read. Move it away to get a new one.</source>
        <translation>Der Schlüssel deiner Kapseln, {path}, ist nicht lesbar. Verschiebe die Datei, um einen neuen zu bekommen.</translation>
    </message>
    <message>
        <source>The key was used before, for other messages. Give every append a key of its own.</source>
        <translation>Der Schlüssel wurde schon für andere Nachrichten verwendet. Gib jedem Anhängen einen eigenen.</translation>
    </message>
    <message>
        <source>The key was used before, for session {landed}.</source>
        <translation>Der Schlüssel wurde schon einmal verwendet, für die Unterhaltung {landed}.</translation>
    </message>
    <message>
        <source>The key was used before: for another write that waits for the person, or for this one, which they have edited since. Give every write a key of its own.</source>
        <translation>Der Schlüssel wurde schon benutzt: für eine andere Änderung, die auf die Person wartet, oder für diese, die sie seither bearbeitet hat. Gib jeder Änderung einen eigenen Schlüssel.</translation>
    </message>
    <message>
        <source>The key was used before: for another write, or for this one, which the person edited before accepting it. Give every write a key of its own.</source>
        <translation>Der Schlüssel wurde schon benutzt: für eine andere Änderung, oder für diese, die die Person vor dem Annehmen bearbeitet hat. Gib jeder Änderung einen eigenen Schlüssel.</translation>
    </message>
    <message>
        <source>The keyring does not hold the key of these memories any more. Open them with the passphrase first.</source>
        <translation>Der Schlüsselbund enthält den Schlüssel dieser Erinnerungen nicht mehr. Öffne sie zuerst mit der Passphrase.</translation>
    </message>
    <message>
        <source>The keyring does not hold the key of these memories; there is nothing to forget.</source>
        <translation>Der Schlüsselbund enthält den Schlüssel dieser Erinnerungen nicht; es gibt nichts zu vergessen.</translation>
    </message>
    <message>
        <source>The keyring of this machine did not keep the key. {instead}</source>
        <translation>Der Schlüsselbund dieses Rechners hat den Schlüssel nicht behalten. {instead}</translation>
    </message>
    <message>
        <source>The keyring of this machine does not answer within {seconds} seconds; it may wait for its password. Unlock it and try again.</source>
        <translation>Der Schlüsselbund dieses Rechners antwortet nicht innerhalb von {seconds} Sekunden; vielleicht wartet er auf sein Passwort. Entsperre ihn und versuch es erneut.</translation>
    </message>
    <message>
        <source>The keyring of this machine gave no answer ({kind}). Try again, or: {instead}</source>
        <translation>Der Schlüsselbund dieses Rechners gab keine Antwort ({kind}). Versuch es erneut, oder: {instead}</translation>
    </message>
    <message>
        <source>The keyring of this machine stayed locked; unlock it and try again.</source>
        <translation>Der Schlüsselbund dieses Rechners blieb gesperrt; entsperre ihn und versuch es erneut.</translation>
    </message>
    <message>
        <source>The keys by which this machine shares its memory are damaged. Leave, and join again with the words of an invitation.</source>
        <translation>Die Schlüssel, mit denen dieser Rechner sein Gedächtnis teilt, sind beschädigt. Beende das Teilen und tritt mit den Wörtern einer Einladung wieder bei.</translation>
    </message>
    <message>
        <source>The keys by which this machine shares its memory are gone.</source>
        <translation>Die Schlüssel, mit denen dieser Rechner sein Gedächtnis teilt, sind nicht mehr da.</translation>
    </message>
    <message>
        <source>The keys by which this vault is shared are not on this machine. Make an invitation on another of your machines, and join with its words.</source>
        <translation>Die Schlüssel, mit denen dieser Tresor geteilt wird, sind nicht auf diesem Rechner. Erstelle auf einem anderen deiner Rechner eine Einladung und tritt mit deren Wörtern bei.</translation>
    </message>
    <message>
        <source>The keys of this machine are too old for what the others share now. Make an invitation on another of your machines, and join with its words.</source>
        <translation>Die Schlüssel dieses Rechners sind zu alt für das, was die anderen jetzt teilen. Erstelle auf einem anderen deiner Rechner eine Einladung und tritt mit deren Wörtern bei.</translation>
    </message>
    <message>
        <source>The language model</source>
        <translation>Das Sprachmodell</translation>
    </message>
    <message>
        <source>The language model answered nothing.</source>
        <translation>Das Sprachmodell hat nichts geantwortet.</translation>
    </message>
    <message>
        <source>The language model cannot be asked now.</source>
        <translation>Das Sprachmodell lässt sich jetzt nicht fragen.</translation>
    </message>
    <message>
        <source>The language model cost {spent} this month; the setting llm.monthly_cap allows {cap}.</source>
        <translation>Das Sprachmodell hat in diesem Monat {spent} gekostet; die Einstellung llm.monthly_cap erlaubt {cap}.</translation>
    </message>
    <message>
        <source>The language model failed, so it was stored by the rules. {said}</source>
        <translation>Das Sprachmodell ist gescheitert, deshalb wurde nach den Regeln gespeichert. {said}</translation>
    </message>
    <message>
        <source>The language model is not used: {why}</source>
        <translation>Das Sprachmodell wird nicht benutzt: {why}</translation>
    </message>
    <message>
        <source>The language model took too long, so it was stored by the rules.</source>
        <translation>Das Sprachmodell brauchte zu lange; es wurde nach den Regeln gespeichert.</translation>
    </message>
    <message>
        <source>The language model was not always there: {why}</source>
        <translation>Das Sprachmodell war nicht immer da: {why}</translation>
    </message>
    <message>
        <source>The language model was not used: {why}</source>
        <translation>Das Sprachmodell wurde nicht verwendet: {why}</translation>
    </message>
    <message>
        <source>The language model&apos;s account is empty or too long.</source>
        <translation>Der Bericht des Sprachmodells ist leer oder zu lang.</translation>
    </message>
    <message>
        <source>The language model&apos;s answer is not a JSON object of the agreed form.</source>
        <translation>Die Antwort des Sprachmodells ist kein JSON-Objekt der vereinbarten Form.</translation>
    </message>
    <message>
        <source>The language model&apos;s sentences cited too few sources, so rules wrote it.</source>
        <translation>Die Sätze des Sprachmodells nannten zu wenige Quellen, deshalb schrieben ihn Regeln.</translation>
    </message>
    <message>
        <source>The language model&apos;s summary is empty or too long.</source>
        <translation>Die Zusammenfassung des Sprachmodells ist leer oder zu lang.</translation>
    </message>
    <message>
        <source>The last message of session {session} has the number {last}.</source>
        <translation>Die letzte Nachricht der Unterhaltung {session} hat die Nummer {last}.</translation>
    </message>
    <message>
        <source>The late interaction model is still being opened.</source>
        <translation>Das Modell für späte Interaktion wird noch geöffnet.</translation>
    </message>
    <message>
        <source>The latest backup, {latest}, cannot be restored: {problem} Make another with &apos;keepsake backup&apos;.</source>
        <translation>Die neueste Sicherung, {latest}, lässt sich nicht wiederherstellen: {problem} Lege mit „keepsake backup“ eine neue an.</translation>
    </message>
    <message>
        <source>The line is too long and was left out.</source>
        <translation>Die Zeile ist zu lang und blieb weg.</translation>
    </message>
    <message>
        <source>The list of machines at the place is not that of the machine which let this one in. Nothing was taken in.</source>
        <translation>Die Liste der Rechner an diesem Ort ist nicht die des Rechners, der diesen zugelassen hat. Es wurde nichts übernommen.</translation>
    </message>
    <message>
        <source>The list of your machines at the place was changed by somebody else, or its files were mixed up. Nothing is taken in before it is put right: put the files back, or share anew in an empty place.</source>
        <translation>Die Liste deiner Rechner an diesem Ort wurde von jemand anderem geändert, oder ihre Dateien sind durcheinandergeraten. Bis das behoben ist, wird nichts übernommen: Stelle die Dateien wieder her, oder teile neu an einem leeren Ort.</translation>
    </message>
    <message>
        <source>The list of your machines did not arrive within ten minutes. Try again.</source>
        <translation>Die Liste deiner Rechner ist nicht innerhalb von zehn Minuten angekommen. Versuche es noch einmal.</translation>
    </message>
    <message>
        <source>The list of your machines in this vault is not the one that its keys belong to.</source>
        <translation>Die Liste deiner Rechner in diesem Tresor ist nicht die, zu der seine Schlüssel gehören.</translation>
    </message>
    <message>
        <source>The list of your machines is still being copied. Wait until the place is complete.</source>
        <translation>Die Liste deiner Rechner wird noch kopiert. Warte, bis der Ort vollständig ist.</translation>
    </message>
    <message>
        <source>The log of the database could not be taken into it.</source>
        <translation>Das Protokoll der Datenbank ließ sich nicht in sie übernehmen.</translation>
    </message>
    <message>
        <source>The machine slept or its clock was set.</source>
        <translation>Der Rechner schlief, oder seine Uhr wurde gestellt.</translation>
    </message>
    <message>
        <source>The memory</source>
        <translation>Die Erinnerung</translation>
    </message>
    <message>
        <source>The message is too long; this line was left out.</source>
        <translation>Die Nachricht ist zu lang; diese Zeile blieb weg.</translation>
    </message>
    <message>
        <source>The migrations in {folder} are not numbered 1, 2, 3…</source>
        <translation>Die Migrationen in {folder} sind nicht 1, 2, 3… nummeriert.</translation>
    </message>
    <message>
        <source>The model &apos;{model}&apos; refused to answer.</source>
        <translation>Das Modell „{model}“ hat die Antwort verweigert.</translation>
    </message>
    <message>
        <source>The model &apos;{model}&apos; wrote nothing within its tokens; the setting llm.max_output_tokens allows more.</source>
        <translation>Das Modell „{model}“ hat mit seinen Tokens nichts geschrieben; die Einstellung llm.max_output_tokens erlaubt mehr.</translation>
    </message>
    <message>
        <source>The model that made the vectors so far is no longer available.</source>
        <translation>Das Modell, das die bisherigen Vektoren erstellt hat, ist nicht mehr verfügbar.</translation>
    </message>
    <message>
        <source>The model that made this vault&apos;s vectors is no longer available.</source>
        <translation>Das Modell, das die Vektoren dieses Tresors erstellt hat, ist nicht mehr verfügbar.</translation>
    </message>
    <message>
        <source>The model {name} could not be fetched. See whether this machine is online, or put the model&apos;s files into a folder and name the folder.</source>
        <translation>Das Modell {name} konnte nicht heruntergeladen werden. Sieh nach, ob dieser Rechner online ist, oder lege die Dateien des Modells in einen Ordner und nenne diesen.</translation>
    </message>
    <message>
        <source>The model {name} is not on this machine or is damaged. Put its files into a folder and name the folder, set embedding.allow_download to true to have it fetched, or {instead}.</source>
        <translation>Das Modell {name} ist nicht auf diesem Rechner oder beschädigt. Lege seine Dateien in einen Ordner und nenne diesen, setze embedding.allow_download auf true, damit es heruntergeladen wird, oder {instead}.</translation>
    </message>
    <message>
        <source>The model {name} should lie in {folder}, which is not there.</source>
        <translation>Das Modell {name} sollte in {folder} liegen, aber diesen Ordner gibt es nicht.</translation>
    </message>
    <message>
        <source>The months of this year are not known.</source>
        <translation>Die Monate dieses Jahres sind nicht bekannt.</translation>
    </message>
    <message>
        <source>The name</source>
        <translation>Der Name</translation>
    </message>
    <message>
        <source>The name of a machine is one line of at most {most} characters.</source>
        <translation>Der Name eines Rechners ist eine Zeile mit höchstens {most} Zeichen.</translation>
    </message>
    <message>
        <source>The names of sender and receiver may have 200 characters each.</source>
        <translation>Die Namen von Absender und Empfänger dürfen je 200 Zeichen haben.</translation>
    </message>
    <message>
        <source>The newest backup is {days} days old.</source>
        <translation>Die neueste Sicherung ist {days} Tage alt.</translation>
    </message>
    <message>
        <source>The note</source>
        <translation>Die Notiz</translation>
    </message>
    <message>
        <source>The note no longer names that title without a link.</source>
        <translation>Die Notiz nennt diesen Titel nicht mehr ohne Link.</translation>
    </message>
    <message>
        <source>The note {place} of the folder {root} could not be mirrored: {reason}</source>
        <translation>Die Notiz {place} im Ordner {root} ließ sich nicht spiegeln: {reason}</translation>
    </message>
    <message>
        <source>The number of lines in {file} is {found} instead of {total}. Nothing was replaced. Export again.</source>
        <translation>In {file} stehen {found} statt {total} Zeilen. Es wurde nichts ersetzt. Exportiere noch einmal.</translation>
    </message>
    <message>
        <source>The numbers of its session begin at 0; each message got the number one higher.</source>
        <translation>Die Nummern ihrer Unterhaltung beginnen bei 0; jede Nachricht bekam die nächsthöhere Nummer.</translation>
    </message>
    <message>
        <source>The observation</source>
        <translation>Die Beobachtung</translation>
    </message>
    <message>
        <source>The only keyring of this machine is a file that anyone with access to it can read. {instead}</source>
        <translation>Der einzige Schlüsselbund dieses Rechners ist eine Datei, die jeder mit Zugriff darauf lesen kann. {instead}</translation>
    </message>
    <message>
        <source>The other machine refused to let this one in.</source>
        <translation>Der andere Rechner hat diesen abgelehnt.</translation>
    </message>
    <message>
        <source>The passphrase in {variable} is not that of these memories.</source>
        <translation>Die Passphrase in {variable} ist nicht die dieser Erinnerungen.</translation>
    </message>
    <message>
        <source>The person has paused {agent}. Try again later.</source>
        <translation>Die Person hat {agent} angehalten. Versuch es später noch einmal.</translation>
    </message>
    <message>
        <source>The person has turned on incognito{end}: agents can neither read nor record. Try again later.</source>
        <translation>Inkognito ist eingeschaltet{end}: Agenten können weder lesen noch aufzeichnen. Versuch es später wieder.</translation>
    </message>
    <message>
        <source>The person put this into quarantine, and only the person can release it.</source>
        <translation>Die Person hat dies verborgen, und nur sie kann es wieder freigeben.</translation>
    </message>
    <message>
        <source>The person rejected the write with this key (proposal {id}).</source>
        <translation>Die Person hat die Änderung mit diesem Schlüssel abgelehnt (Vorschlag {id}).</translation>
    </message>
    <message>
        <source>The person takes no such changes from {agent} ({kind}).</source>
        <translation>Die Person nimmt solche Änderungen von {agent} nicht an ({kind}).</translation>
    </message>
    <message>
        <source>The picture is damaged and was left out.</source>
        <translation>Das Bild ist beschädigt und blieb weg.</translation>
    </message>
    <message>
        <source>The picture is too large or protected, and was left out.</source>
        <translation>Das Bild ist zu groß oder geschützt und blieb weg.</translation>
    </message>
    <message>
        <source>The place keeps every change until {date} for: {machines}. After that such a machine takes them from a snapshot when it comes back, and nothing that it wrote is lost.</source>
        <translation>Der Ort hält jede Änderung bis zum {date} bereit für: {machines}. Danach holt ein solcher Rechner sie aus einem Schnappschuss, wenn er zurückkommt, und nichts, was er geschrieben hat, geht verloren.</translation>
    </message>
    <message>
        <source>The place shows another list of your machines than this machine knows: somebody changed it, or put back an older state. Nothing is taken in from there. If your other machines still meet there, make an invitation on one of them, and join with its words.</source>
        <translation>Der Ort zeigt eine andere Liste deiner Rechner, als dieser Rechner sie kennt: Jemand hat sie geändert oder einen älteren Stand zurückgespielt. Von dort wird nichts übernommen. Wenn sich deine anderen Rechner dort weiterhin abgleichen, erstelle auf einem von ihnen eine Einladung und tritt mit deren Wörtern bei.</translation>
    </message>
    <message>
        <source>The prompt &apos;{name}&apos; has no version.</source>
        <translation>Die Vorlage „{name}“ hat keine Version.</translation>
    </message>
    <message>
        <source>The prompt &apos;{name}&apos; is missing in this installation.</source>
        <translation>Die Vorlage „{name}“ fehlt in dieser Installation.</translation>
    </message>
    <message>
        <source>The proposal</source>
        <translation>Der Vorschlag</translation>
    </message>
    <message>
        <source>The recipe {recipe} has no weights of words and meaning. Choose weighted, balanced or boosted.</source>
        <translation>Das Rezept {recipe} hat keine Gewichte für Wörter und Bedeutung. Wähle weighted, balanced oder boosted.</translation>
    </message>
    <message>
        <source>The reconciler named candidate {index}, which is none of the {count} it was shown, from 0 on.</source>
        <translation>Der Abgleich nannte den Kandidaten {index}, der keiner der {count} gezeigten ist, ab 0 gezählt.</translation>
    </message>
    <message>
        <source>The reconciler named none of the candidates that it was shown.</source>
        <translation>Der Abgleich hat keinen der gezeigten Kandidaten genannt.</translation>
    </message>
    <message>
        <source>The reconciler&apos;s answer is not a JSON object of the agreed form.</source>
        <translation>Die Antwort des Abgleichs ist kein JSON-Objekt der vereinbarten Form.</translation>
    </message>
    <message>
        <source>The reflection</source>
        <translation>Der Rückblick</translation>
    </message>
    <message>
        <source>The registry cannot be written: {strerror}.</source>
        <translation>Die Registrierung lässt sich nicht schreiben: {strerror}.</translation>
    </message>
    <message>
        <source>The reranking model {name} failed</source>
        <translation>Das Modell {name} zum Umsortieren ist gescheitert</translation>
    </message>
    <message>
        <source>The reranking model {name} needs fastembed, which is not installed; results keep their original order.</source>
        <translation>Das Modell {name} zum Umsortieren braucht fastembed, das nicht installiert ist; die Ergebnisse behalten ihre Reihenfolge.</translation>
    </message>
    <message>
        <source>The reranking model {name} returned something other than a list of numbers</source>
        <translation>Das Modell {name} zum Umsortieren hat etwas anderes als eine Liste von Zahlen geliefert</translation>
    </message>
    <message>
        <source>The reranking model {name} returned something other than vectors</source>
        <translation>Das Modell {name} zum Umsortieren hat etwas anderes als Vektoren geliefert</translation>
    </message>
    <message>
        <source>The reranking model {name} was closed</source>
        <translation>Das Modell {name} zum Umsortieren wurde geschlossen</translation>
    </message>
    <message>
        <source>The rest of it cannot be read: {error}.</source>
        <translation>Der Rest davon ist nicht lesbar: {error}.</translation>
    </message>
    <message>
        <source>The rest of it touches what the person pinned or confirmed, or Keepsake&apos;s own work; what was done before stays. Do those one by one.</source>
        <translation>Der Rest betrifft, was die Person angeheftet oder bestätigt hat, oder Keepsakes eigene Arbeit; was schon getan wurde, bleibt. Tu dies einzeln.</translation>
    </message>
    <message>
        <source>The restore was called off: the backup is a link, or no file of its own.</source>
        <translation>Die Wiederherstellung wurde abgesagt: Die Sicherung ist eine Verknüpfung oder keine eigene Datei.</translation>
    </message>
    <message>
        <source>The restore was called off: the backup is damaged.</source>
        <translation>Die Wiederherstellung wurde abgesagt: Die Sicherung ist beschädigt.</translation>
    </message>
    <message>
        <source>The restore was called off: the backup is from a newer Keepsake.</source>
        <translation>Die Wiederherstellung wurde abgesagt: Die Sicherung stammt von einem neueren Keepsake.</translation>
    </message>
    <message>
        <source>The restore was called off: the backup is no database of Keepsake.</source>
        <translation>Die Wiederherstellung wurde abgesagt: Die Sicherung ist keine Datenbank von Keepsake.</translation>
    </message>
    <message>
        <source>The results could not be reranked: {why}</source>
        <translation>Die Ergebnisse ließen sich nicht neu ordnen: {why}</translation>
    </message>
    <message>
        <source>The saved search</source>
        <translation>Die gespeicherte Suche</translation>
    </message>
    <message>
        <source>The schedule</source>
        <translation>Der Zeitplan</translation>
    </message>
    <message>
        <source>The schedule of this run was deleted. Nobody waits for what it does.</source>
        <translation>Der Zeitplan dieses Laufs wurde gelöscht. Niemand wartet auf sein Ergebnis.</translation>
    </message>
    <message>
        <source>The schema &apos;{schema}&apos; holds what another vault shares. Name another schema, or end it there.</source>
        <translation>Das Schema „{schema}“ enthält, was ein anderer Tresor teilt. Nenne ein anderes Schema, oder beende das dort.</translation>
    </message>
    <message>
        <source>The schema cannot be read.</source>
        <translation>Das Schema ist nicht lesbar.</translation>
    </message>
    <message>
        <source>The search for notes was stopped; nothing was imported.</source>
        <translation>Die Suche nach Notizen wurde angehalten; es wurde nichts importiert.</translation>
    </message>
    <message>
        <source>The search index could not be made anew: {why}</source>
        <translation>Der Suchindex ließ sich nicht neu erstellen: {why}</translation>
    </message>
    <message>
        <source>The search index is being made anew and does not hold everything yet.</source>
        <translation>Der Suchindex wird gerade neu erstellt und enthält noch nicht alles.</translation>
    </message>
    <message>
        <source>The search weights in {path} are missing or damaged; reinstall Keepsake or choose another search recipe.</source>
        <translation>Die Suchgewichte in {path} fehlen oder sind beschädigt; installiere Keepsake neu, oder wähle ein anderes Suchrezept.</translation>
    </message>
    <message>
        <source>The server could read your shared memories: they go there as plain text. Say &apos;in_plain_text&apos; if you want that.</source>
        <translation>Der Server könnte deine geteilten Erinnerungen lesen: Sie kommen als Klartext dorthin. Gib „in_plain_text“ an, wenn du das willst.</translation>
    </message>
    <message>
        <source>The settings of the language model were changed meanwhile.</source>
        <translation>Die Einstellungen des Sprachmodells wurden inzwischen geändert.</translation>
    </message>
    <message>
        <source>The shared store is not projected.</source>
        <translation>Der geteilte Bereich wird nicht projiziert.</translation>
    </message>
    <message>
        <source>The shared store is projected already. End that first.</source>
        <translation>Der geteilte Bereich wird schon projiziert. Beende das zuerst.</translation>
    </message>
    <message>
        <source>The shared store on a server is not up to date. {reason}</source>
        <translation>Der geteilte Bereich auf einem Server ist nicht auf dem neuesten Stand. {reason}</translation>
    </message>
    <message>
        <source>The size of a piece must be above 0, and the overlap at most half of it.</source>
        <translation>Die Größe eines Stücks muss über 0 liegen, und die Überlappung darf höchstens die Hälfte davon sein.</translation>
    </message>
    <message>
        <source>The snapshot at the place is damaged. Another of your machines writes it anew.</source>
        <translation>Der Schnappschuss an dem Ort ist beschädigt. Ein anderer deiner Rechner schreibt ihn neu.</translation>
    </message>
    <message>
        <source>The system refuses access to a file or folder that this needs. Check the permissions of what is in the vault&apos;s folder, and of files that the request names.</source>
        <translation>Das System verweigert den Zugriff auf eine Datei oder einen Ordner, der dafür gebraucht wird. Prüfe die Zugriffsrechte im Ordner der Erinnerungen und die der genannten Dateien.</translation>
    </message>
    <message>
        <source>The system refuses access to {path}.</source>
        <translation>Das System verweigert den Zugriff auf {path}.</translation>
    </message>
    <message>
        <source>The system refuses access to {path}: {strerror}. Check its permissions and those of its folder.</source>
        <translation>Das System verweigert den Zugriff auf {path}: {strerror}. Prüfe die Zugriffsrechte und die des Ordners.</translation>
    </message>
    <message>
        <source>The table of vectors is gone.</source>
        <translation>Die Tabelle der Vektoren ist weg.</translation>
    </message>
    <message>
        <source>The tables of Keepsake are not in the database.</source>
        <translation>Die Tabellen von Keepsake sind nicht in der Datenbank.</translation>
    </message>
    <message>
        <source>The tables of Keepsake in the database are not those that Keepsake made.</source>
        <translation>Die Tabellen von Keepsake in der Datenbank sind nicht die, die Keepsake angelegt hat.</translation>
    </message>
    <message>
        <source>The tables of the shared store are gone, or another vault has taken them.</source>
        <translation>Die Tabellen des geteilten Bereichs sind weg, oder ein anderer Tresor hat sie übernommen.</translation>
    </message>
    <message>
        <source>The ten minutes of this invitation are over. Make a new one.</source>
        <translation>Die zehn Minuten dieser Einladung sind abgelaufen. Erstelle eine neue.</translation>
    </message>
    <message>
        <source>The time of a schedule that runs once must be in the future.</source>
        <translation>Die Zeit eines Zeitplans, der einmal läuft, muss in der Zukunft liegen.</translation>
    </message>
    <message>
        <source>The time until which no schedule runs must be in the future.</source>
        <translation>Die Zeit, bis zu der kein Zeitplan läuft, muss in der Zukunft liegen.</translation>
    </message>
    <message>
        <source>The time until which this is to be kept has passed.</source>
        <translation>Die Zeit, bis zu der dies behalten werden soll, ist vorbei.</translation>
    </message>
    <message>
        <source>The token could not be kept in {path}: {reason}.</source>
        <translation>Das Token konnte nicht in {path} abgelegt werden: {reason}.</translation>
    </message>
    <message>
        <source>The token of {agent} was replaced by a newer one. Ask the person for it, and connect again with it.</source>
        <translation>Das Token von {agent} wurde durch ein neueres ersetzt. Bitte die Person darum, und verbinde dich damit neu.</translation>
    </message>
    <message>
        <source>The transcript {name} could not be read: {why}</source>
        <translation>Das Protokoll {name} war nicht lesbar: {why}</translation>
    </message>
    <message>
        <source>The variable {name} is no setting and has no effect.</source>
        <translation>Die Variable {name} ist keine Einstellung und wirkt nicht.</translation>
    </message>
    <message>
        <source>The vault cannot be written. Check its permissions, or choose another with --vault.</source>
        <translation>Der Tresor lässt sich nicht beschreiben. Prüfe seine Rechte, oder wähle mit --vault einen anderen.</translation>
    </message>
    <message>
        <source>The vault could not be opened: {error}</source>
        <translation>Der Tresor konnte nicht geöffnet werden: {error}</translation>
    </message>
    <message>
        <source>The vault has another attachment of this name, which stays.</source>
        <translation>Der Tresor hat einen anderen Anhang dieses Namens; der bleibt.</translation>
    </message>
    <message>
        <source>The vault in {folder} cannot be opened: {why}</source>
        <translation>Der Tresor in {folder} lässt sich nicht öffnen: {why}</translation>
    </message>
    <message>
        <source>The vault is closed.</source>
        <translation>Der Tresor ist geschlossen.</translation>
    </message>
    <message>
        <source>The vault is closing.</source>
        <translation>Der Tresor wird geschlossen.</translation>
    </message>
    <message>
        <source>The vault is not open.</source>
        <translation>Der Tresor ist nicht geöffnet.</translation>
    </message>
    <message>
        <source>The vault of an isolated agent stays on this machine.</source>
        <translation>Der eigene Tresor eines Agenten bleibt auf diesem Rechner.</translation>
    </message>
    <message>
        <source>The vault was backed up, but not every isolated agent&apos;s. {notes}</source>
        <translation>Der Tresor wurde gesichert, aber nicht der jedes Agenten mit eigenem Tresor. {notes}</translation>
    </message>
    <message>
        <source>The vault was closed before they were written.</source>
        <translation>Der Tresor wurde geschlossen, bevor sie geschrieben waren.</translation>
    </message>
    <message>
        <source>The vault was closed before this was done.</source>
        <translation>Der Tresor wurde geschlossen, bevor dies getan war.</translation>
    </message>
    <message>
        <source>The vault&apos;s database cannot be opened. Check that its folder exists and is yours.</source>
        <translation>Die Datenbank des Tresors lässt sich nicht öffnen. Prüfe, ob ihr Ordner da ist und dir gehört.</translation>
    </message>
    <message>
        <source>The vault&apos;s database is damaged. Run &apos;keepsake check&apos;, or restore a backup.</source>
        <translation>Die Datenbank des Tresors ist beschädigt. Führe „keepsake check“ aus, oder stelle eine Sicherung wieder her.</translation>
    </message>
    <message>
        <source>The vault&apos;s database is damaged. {advice}</source>
        <translation>Die Datenbank des Tresors ist beschädigt. {advice}</translation>
    </message>
    <message>
        <source>The vault&apos;s lock file was taken away, and another Keepsake has opened the vault since. Nothing is written from here any more: close one of the two.</source>
        <translation>Die Sperrdatei des Tresors wurde entfernt, und ein anderes Keepsake hat ihn seither geöffnet. Von hier wird nichts mehr geschrieben: Schließe eines der beiden.</translation>
    </message>
    <message>
        <source>The vault&apos;s path holds a NUL character. Name a folder with --vault.</source>
        <translation>Der Pfad des Tresors enthält ein NUL-Zeichen. Nenne mit --vault einen Ordner.</translation>
    </message>
    <message>
        <source>The vault&apos;s path leads through {place}, which is no folder.</source>
        <translation>Der Pfad des Tresors führt durch {place}, und das ist kein Ordner.</translation>
    </message>
    <message>
        <source>The vault&apos;s path {vault} is not UTF-8. Name another folder with --vault, or set LC_ALL=C.UTF-8.</source>
        <translation>Der Pfad des Tresors {vault} ist nicht UTF-8. Nenne mit --vault einen anderen Ordner, oder setze LC_ALL=C.UTF-8.</translation>
    </message>
    <message>
        <source>The vectors cannot be read ({error}).</source>
        <translation>Die Vektoren sind nicht lesbar ({error}).</translation>
    </message>
    <message>
        <source>The vectors of {model} answer searches already; name others.</source>
        <translation>Die Vektoren von {model} beantworten schon Suchen; nenne andere.</translation>
    </message>
    <message>
        <source>The vectors of {model} are not complete: {vectors} of {wanted} are there.</source>
        <translation>Die Vektoren von {model} sind nicht vollständig: {vectors} von {wanted} sind da.</translation>
    </message>
    <message>
        <source>The vectors so far cannot be used any more and are made anew: {reason}</source>
        <translation>Die bisherigen Vektoren sind nicht mehr brauchbar und werden neu erstellt: {reason}</translation>
    </message>
    <message>
        <source>The weights for facts in {path} are missing or damaged; reinstall Keepsake.</source>
        <translation>Die Gewichte für Fakten in {path} fehlen oder sind beschädigt; installiere Keepsake neu.</translation>
    </message>
    <message>
        <source>The weights of meaning and words must be 0 to {most}, and one of them above 0.</source>
        <translation>Die Gewichte von Bedeutung und Wörtern müssen zwischen 0 und {most} liegen, und eines muss über 0 sein.</translation>
    </message>
    <message>
        <source>The whole of it</source>
        <translation>Das Ganze</translation>
    </message>
    <message>
        <source>The word in place {number} is none of an invitation.</source>
        <translation>Das Wort an Stelle {number} kommt in keiner Einladung vor.</translation>
    </message>
    <message>
        <source>The word in place {number} is none of an invitation. Is it {word}?</source>
        <translation>Das Wort an Stelle {number} kommt in keiner Einladung vor. Heißt es {word}?</translation>
    </message>
    <message>
        <source>The word index does not match the texts: {reason}.</source>
        <translation>Der Wortindex passt nicht zu den Texten: {reason}.</translation>
    </message>
    <message>
        <source>The word index is damaged: {what}.</source>
        <translation>Der Wortindex ist beschädigt: {what}.</translation>
    </message>
    <message>
        <source>The words beside its times are not known ({words}); some times may be half a day off.</source>
        <translation>Die Wörter neben ihren Zeiten sind unbekannt ({words}); manche Zeiten können um einen halben Tag falsch sein.</translation>
    </message>
    <message>
        <source>The words of the search index were not checked: that needs a vault that can be written.</source>
        <translation>Die Wörter des Suchindex wurden nicht geprüft: Das braucht einen beschreibbaren Tresor.</translation>
    </message>
    <message>
        <source>The zip file is damaged from here on ({error}). Copy it again.</source>
        <translation>Die ZIP-Datei ist ab hier beschädigt ({error}). Kopiere sie noch einmal.</translation>
    </message>
    <message>
        <source>The zip file is damaged from here on ({error}). Download or copy it again.</source>
        <translation>Die ZIP-Datei ist ab hier beschädigt ({error}). Lade oder kopiere sie noch einmal.</translation>
    </message>
    <message>
        <source>The zip file is damaged here ({error}).</source>
        <translation>Die ZIP-Datei ist hier beschädigt ({error}).</translation>
    </message>
    <message>
        <source>The zip file is damaged here ({error}). Download it again.</source>
        <translation>Die ZIP-Datei ist hier beschädigt ({error}). Lade sie noch einmal herunter.</translation>
    </message>
    <message>
        <source>There already is another {wanted} called {clean}. Merge the two instead.</source>
        <translation>Es gibt schon einen anderen Eintrag dieser Art ({wanted}) namens {clean}. Führe beide stattdessen zusammen.</translation>
    </message>
    <message>
        <source>There already is another {wanted} called {name}. Choose another name.</source>
        <translation>Es gibt schon einen anderen Eintrag dieser Art ({wanted}) namens {name}. Wähle einen anderen Namen.</translation>
    </message>
    <message>
        <source>There are no earlier vectors to go back to; they are kept for a week.</source>
        <translation>Es gibt keine früheren Vektoren, zu denen man zurückkehren könnte; sie werden eine Woche aufbewahrt.</translation>
    </message>
    <message>
        <source>There are no other vectors to compare with. Prepare a model with &apos;embedding.change&apos; and &apos;waits&apos;.</source>
        <translation>Es gibt keine anderen Vektoren zum Vergleichen. Bereite mit „embedding.change“ und „waits“ ein Modell vor.</translation>
    </message>
    <message>
        <source>There are no vectors with the number {number}; &apos;embedding.status&apos; lists them.</source>
        <translation>Vektoren mit der Nummer {number} gibt es nicht; „embedding.status“ nennt sie.</translation>
    </message>
    <message>
        <source>There are too many attachments of this name. Give the file another name.</source>
        <translation>Es gibt zu viele Anhänge dieses Namens. Gib der Datei einen anderen Namen.</translation>
    </message>
    <message>
        <source>There are too many backups beside {path}. Remove some.</source>
        <translation>Neben {path} liegen zu viele Sicherungen. Entferne einige.</translation>
    </message>
    <message>
        <source>There are {max_schedules} schedules already. Delete some first.</source>
        <translation>Es gibt schon {max_schedules} Zeitpläne. Lösche zuerst einige.</translation>
    </message>
    <message>
        <source>There are {names}.</source>
        <translation>Es gibt {names}.</translation>
    </message>
    <message>
        <source>There is already a file or folder of this path.</source>
        <translation>Unter diesem Pfad gibt es schon eine Datei oder einen Ordner.</translation>
    </message>
    <message>
        <source>There is already a memory with the id {id}.</source>
        <translation>Es gibt schon eine Erinnerung mit der Kennung {id}.</translation>
    </message>
    <message>
        <source>There is already a memory with the id {id}; use update to change it.</source>
        <translation>Es gibt schon eine Erinnerung mit der Kennung {id}; ändere sie stattdessen.</translation>
    </message>
    <message>
        <source>There is an active memory with this id, which keeps it in the archive.</source>
        <translation>Es gibt eine aktive Erinnerung mit dieser Kennung; deshalb bleibt diese im Archiv.</translation>
    </message>
    <message>
        <source>There is an agent named &apos;{name}&apos; already. &apos;keepsake agent rotate&apos; gives it a new token; to let another program in by that name, end its access first with &apos;keepsake agent revoke&apos;.</source>
        <translation>Es gibt schon einen Agenten namens „{name}“. „keepsake agent rotate“ gibt ihm ein neues Token; um ein anderes Programm unter diesem Namen zuzulassen, beende zuerst seinen Zugriff mit „keepsake agent revoke“.</translation>
    </message>
    <message>
        <source>There is no agent named &apos;{agent}&apos;, and nothing was written by one.</source>
        <translation>Es gibt keinen Agenten namens „{agent}“, und keiner hat etwas geschrieben.</translation>
    </message>
    <message>
        <source>There is no agent named &apos;{name}&apos; with access.</source>
        <translation>Es gibt keinen Agenten namens „{name}“ mit Zugriff.</translation>
    </message>
    <message>
        <source>There is no backup of that name. &apos;keepsake backup list&apos; shows them.</source>
        <translation>Eine Sicherung dieses Namens gibt es nicht. „keepsake backup list“ zeigt sie.</translation>
    </message>
    <message>
        <source>There is no backup to verify yet.</source>
        <translation>Es gibt noch keine Sicherung zum Prüfen.</translation>
    </message>
    <message>
        <source>There is no backup.</source>
        <translation>Es gibt keine Sicherung.</translation>
    </message>
    <message>
        <source>There is no encryption to call off. To decrypt these memories, use the passphrase.</source>
        <translation>Es gibt keine Verschlüsselung abzusagen. Um diese Erinnerungen zu entschlüsseln, nimm die Passphrase.</translation>
    </message>
    <message>
        <source>There is no entity with the id {entity_id}.</source>
        <translation>Es gibt keinen Namen mit der Kennung {entity_id}.</translation>
    </message>
    <message>
        <source>There is no export format {format}; use {known}.</source>
        <translation>Es gibt kein Exportformat {format}; verwende {known}.</translation>
    </message>
    <message>
        <source>There is no fact of that category and key. &apos;fact.list&apos; shows those there are.</source>
        <translation>Einen Fakt dieser Kategorie und dieses Schlüssels gibt es nicht. „fact.list“ zeigt die vorhandenen.</translation>
    </message>
    <message>
        <source>There is no file at {path}.</source>
        <translation>Unter {path} gibt es keine Datei.</translation>
    </message>
    <message>
        <source>There is no file or folder at {path}.</source>
        <translation>Unter {path} gibt es weder eine Datei noch einen Ordner.</translation>
    </message>
    <message>
        <source>There is no file or folder of this path.</source>
        <translation>Unter diesem Pfad gibt es keine Datei und keinen Ordner.</translation>
    </message>
    <message>
        <source>There is no folder {parent}. Make it first, or choose another place.</source>
        <translation>Den Ordner {parent} gibt es nicht. Leg ihn zuerst an, oder wähle einen anderen Ort.</translation>
    </message>
    <message>
        <source>There is no folder {path}. Make it first.</source>
        <translation>Den Ordner {path} gibt es nicht. Leg ihn zuerst an.</translation>
    </message>
    <message>
        <source>There is no format of that name. {supported}</source>
        <translation>Ein Format dieses Namens gibt es nicht. {supported}</translation>
    </message>
    <message>
        <source>There is no home folder of that name.</source>
        <translation>Es gibt keinen persönlichen Ordner mit diesem Namen.</translation>
    </message>
    <message>
        <source>There is no invitation with these words: its ten minutes are over, or it is for another place. Make a new one.</source>
        <translation>Es gibt keine Einladung mit diesen Wörtern: Ihre zehn Minuten sind abgelaufen, oder sie gilt für einen anderen Ort. Erstelle eine neue.</translation>
    </message>
    <message>
        <source>There is no key for {service}. Give it in the settings or with &apos;keepsake secret set {service}&apos;, or name the environment variable that holds it in {section}.api_key_env.</source>
        <translation>Für {service} gibt es keinen Schlüssel. Gib ihn in den Einstellungen oder mit „keepsake secret set {service}“ ein, oder nenne in {section}.api_key_env die Umgebungsvariable, die ihn enthält.</translation>
    </message>
    <message>
        <source>There is no language model, and no agent has taken this goal.</source>
        <translation>Es gibt kein Sprachmodell, und kein Agent hat dieses Ziel übernommen.</translation>
    </message>
    <message>
        <source>There is no memory or message with the id {anchor}.</source>
        <translation>Es gibt keine Erinnerung oder Nachricht mit der Kennung {anchor}.</translation>
    </message>
    <message>
        <source>There is no memory or message with the id {id}.</source>
        <translation>Es gibt keine Erinnerung oder Nachricht mit der Kennung {id}.</translation>
    </message>
    <message>
        <source>There is no memory with the id {memory_id}.</source>
        <translation>Es gibt keine Erinnerung mit der Kennung {memory_id}.</translation>
    </message>
    <message>
        <source>There is no message or memory with the id {target}.</source>
        <translation>Es gibt keine Nachricht oder Erinnerung mit der Kennung {target}.</translation>
    </message>
    <message>
        <source>There is no operation &apos;{name}&apos;. See &apos;keepsake call --list&apos;.</source>
        <translation>Es gibt keine Operation „{name}“. Siehe „keepsake call --list“.</translation>
    </message>
    <message>
        <source>There is no operation &apos;{operation}&apos;.</source>
        <translation>Eine Operation „{operation}“ gibt es nicht.</translation>
    </message>
    <message>
        <source>There is no proposal {proposal_id}. See &apos;inbox.list&apos;.</source>
        <translation>Es gibt keinen Vorschlag {proposal_id}. Siehe „inbox.list“.</translation>
    </message>
    <message>
        <source>There is no rule for that agent and kind. See &apos;inbox.rules&apos;.</source>
        <translation>Für diesen Agenten und diese Art gibt es keine Regel. Siehe „inbox.rules“.</translation>
    </message>
    <message>
        <source>There is no run of a schedule with that id.</source>
        <translation>Einen Lauf mit dieser Kennung gibt es nicht.</translation>
    </message>
    <message>
        <source>There is no schedule with that id. See &apos;schedule.search&apos;.</source>
        <translation>Einen Zeitplan mit dieser Kennung gibt es nicht. Siehe „schedule.search“.</translation>
    </message>
    <message>
        <source>There is no search recipe of that name. Choose one of: {names}.</source>
        <translation>Ein Suchrezept dieses Namens gibt es nicht. Wähle eines von: {names}.</translation>
    </message>
    <message>
        <source>There is no session {session}.</source>
        <translation>Es gibt keine Unterhaltung {session}.</translation>
    </message>
    <message>
        <source>There is no setting of that name.{hint} &apos;keepsake config list&apos; shows them.</source>
        <translation>Eine Einstellung dieses Namens gibt es nicht.{hint} „keepsake config list“ zeigt sie.</translation>
    </message>
    <message>
        <source>There is no such client. Use one of {choices}; &apos;keepsake agent connect --print&apos; serves all others.</source>
        <translation>Ein solches Programm gibt es nicht. Verwende eines von {choices}; für alle anderen gibt es „keepsake agent connect --print“.</translation>
    </message>
    <message>
        <source>There is no such day in the Hijri calendar.</source>
        <translation>Diesen Tag gibt es im islamischen Kalender nicht.</translation>
    </message>
    <message>
        <source>There is no such day in the Persian calendar.</source>
        <translation>Diesen Tag gibt es im persischen Kalender nicht.</translation>
    </message>
    <message>
        <source>There is no such embedder; choose one of {choices}.</source>
        <translation>Einen solchen Embedder gibt es nicht; wähle einen von {choices}.</translation>
    </message>
    <message>
        <source>There is no such file among the attachments.</source>
        <translation>Eine solche Datei gibt es unter den Anhängen nicht.</translation>
    </message>
    <message>
        <source>There is no such job. The jobs are {names}.</source>
        <translation>Eine solche Arbeit gibt es nicht. Die Arbeiten sind {names}.</translation>
    </message>
    <message>
        <source>There is no such machine among those that share the memory.</source>
        <translation>Unter den Rechnern, die das Gedächtnis teilen, gibt es diesen nicht.</translation>
    </message>
    <message>
        <source>There is no such relation.</source>
        <translation>Eine solche Beziehung gibt es nicht.</translation>
    </message>
    <message>
        <source>There is no such service; choose one of {names}.</source>
        <translation>Einen solchen Dienst gibt es nicht; wähle einen von {names}.</translation>
    </message>
    <message>
        <source>There is no such time zone. Use a name such as Europe/Berlin.</source>
        <translation>Eine solche Zeitzone gibt es nicht. Nimm einen Namen wie Europe/Berlin.</translation>
    </message>
    <message>
        <source>There is no such {kind} as sources[{missing}] names.</source>
        <translation>Was sources[{missing}] nennt, gibt es nicht ({kind}).</translation>
    </message>
    <message>
        <source>There is no trust &apos;{trust}&apos;. Use one of {names}.</source>
        <translation>Die Vertrauensstufe „{trust}“ gibt es nicht. Möglich sind {names}.</translation>
    </message>
    <message>
        <source>There is no {database}.</source>
        <translation>{database} gibt es nicht.</translation>
    </message>
    <message>
        <source>There is no {kind} with the id {memory_id}.</source>
        <translation>Es gibt nichts dieser Art ({kind}) mit der Kennung {memory_id}.</translation>
    </message>
    <message>
        <source>There is nothing to append: &apos;messages&apos; is empty.</source>
        <translation>Es gibt nichts anzufügen: „messages“ ist leer.</translation>
    </message>
    <message>
        <source>There is nothing to do again.</source>
        <translation>Es gibt nichts zu wiederholen.</translation>
    </message>
    <message>
        <source>There is nothing to search for: type a word, or an operator such as kind:note.</source>
        <translation>Es gibt nichts zu suchen: Gib ein Wort ein oder einen Operator wie kind:note.</translation>
    </message>
    <message>
        <source>There is nothing to store: the title and the text are both empty.</source>
        <translation>Es gibt nichts zu speichern: Titel und Text sind leer.</translation>
    </message>
    <message>
        <source>There is nothing to undo.</source>
        <translation>Es gibt nichts rückgängig zu machen.</translation>
    </message>
    <message>
        <source>There is nothing with the id {id}; nothing was removed.</source>
        <translation>Mit der Kennung {id} gibt es nichts; nichts wurde entfernt.</translation>
    </message>
    <message>
        <source>There is too little to ask about. Add conversations or notes, or judge search results first.</source>
        <translation>Es gibt zu wenig, wonach sich fragen ließe. Füge Unterhaltungen oder Notizen hinzu, oder bewerte zuerst Suchergebnisse.</translation>
    </message>
    <message>
        <source>There was no backup to verify.</source>
        <translation>Es gab keine Sicherung zum Prüfen.</translation>
    </message>
    <message>
        <source>There was no entity with the id {entity_id} then.</source>
        <translation>Damals gab es keinen Namen mit der Kennung {entity_id}.</translation>
    </message>
    <message>
        <source>There was no room on the disk to write the database anew, which would have removed the last traces.</source>
        <translation>Auf dem Datenträger war kein Platz, um die Datenbank neu zu schreiben; das hätte die letzten Spuren entfernt.</translation>
    </message>
    <message>
        <source>There was nothing to read.</source>
        <translation>Es gab nichts zu lesen.</translation>
    </message>
    <message>
        <source>These memories are encrypted already.</source>
        <translation>Diese Erinnerungen sind schon verschlüsselt.</translation>
    </message>
    <message>
        <source>These memories are encrypted, and this export is not. Use the format &apos;encrypted&apos;, or say that it may be plain text (--plain-text). A copy of the whole folder stays encrypted, too.</source>
        <translation>Diese Erinnerungen sind verschlüsselt, dieser Export ist es nicht. Nimm das Format „encrypted“, oder erlaube Klartext (--plain-text). Auch eine Kopie des ganzen Ordners bleibt verschlüsselt.</translation>
    </message>
    <message>
        <source>These memories are encrypted. Open Keepsake and type the passphrase, or run &apos;keepsake serve&apos;.</source>
        <translation>Diese Erinnerungen sind verschlüsselt. Öffne Keepsake und gib die Passphrase ein, oder führe „keepsake serve“ aus.</translation>
    </message>
    <message>
        <source>These memories are not encrypted.</source>
        <translation>Diese Erinnerungen sind nicht verschlüsselt.</translation>
    </message>
    <message>
        <source>These memories were encrypted by a newer Keepsake. Update Keepsake to open them.</source>
        <translation>Diese Erinnerungen wurden von einem neueren Keepsake verschlüsselt. Aktualisiere Keepsake, um sie zu öffnen.</translation>
    </message>
    <message>
        <source>These memories will be encrypted now. Open Keepsake and type the passphrase, or run &apos;keepsake serve&apos;. &apos;keepsake encryption cancel&apos; calls it off.</source>
        <translation>Diese Erinnerungen werden jetzt verschlüsselt. Öffne Keepsake und gib die Passphrase ein, oder starte „keepsake serve“. „keepsake encryption cancel“ sagt es ab.</translation>
    </message>
    <message>
        <source>These words do not belong together: one of them is another word, or two have changed places.</source>
        <translation>Diese Wörter gehören nicht zusammen: Eines ist falsch, oder zwei sind vertauscht.</translation>
    </message>
    <message>
        <source>They said: {note}</source>
        <translation>Sie sagte dazu: {note}</translation>
    </message>
    <message>
        <source>This agent has access already.</source>
        <translation>Dieser Agent hat schon Zugang.</translation>
    </message>
    <message>
        <source>This caller stores in {names}, not in {store}.</source>
        <translation>Dieses Programm speichert in {names}, nicht in {store}.</translation>
    </message>
    <message>
        <source>This computer has too little free memory for that. Close some programs and try again.</source>
        <translation>Dieser Rechner hat dafür zu wenig freien Speicher. Schließ einige Programme und versuch es erneut.</translation>
    </message>
    <message>
        <source>This computer has too little free memory for that. Close some programs.</source>
        <translation>Dieser Rechner hat dafür zu wenig freien Speicher. Schließ einige Programme.</translation>
    </message>
    <message>
        <source>This computer has too many files open. Close some programs and try again.</source>
        <translation>Auf diesem Rechner sind zu viele Dateien offen. Schließ einige Programme und versuch es erneut.</translation>
    </message>
    <message>
        <source>This end of incognito has passed. Choose a later one.</source>
        <translation>Dieses Ende von Inkognito ist vorbei. Wähle ein späteres.</translation>
    </message>
    <message>
        <source>This entity was merged into another. Use that one, or undo the merge.</source>
        <translation>Dieser Name wurde mit einem anderen zusammengeführt. Nimm jenen, oder mach das rückgängig.</translation>
    </message>
    <message>
        <source>This expression matches no date, so it would never run.</source>
        <translation>Dieser Ausdruck passt auf kein Datum; er würde nie laufen.</translation>
    </message>
    <message>
        <source>This expression runs more often than every {min_interval_s} seconds.</source>
        <translation>Dieser Ausdruck läuft öfter als alle {min_interval_s} Sekunden.</translation>
    </message>
    <message>
        <source>This fact was superseded by {id}, which says “{content}”. Confirm that one instead.</source>
        <translation>An die Stelle dieses Fakts ist {id} getreten: „{content}“. Bestätige stattdessen diesen.</translation>
    </message>
    <message>
        <source>This file cannot be read: {reason}.</source>
        <translation>Diese Datei lässt sich nicht lesen: {reason}.</translation>
    </message>
    <message>
        <source>This file cannot be read: {strerror}.</source>
        <translation>Diese Datei lässt sich nicht lesen: {strerror}.</translation>
    </message>
    <message>
        <source>This file has {size} MB; one of its kind may have {allowed} MB.</source>
        <translation>Diese Datei hat {size} MB; erlaubt sind für ihre Art {allowed} MB.</translation>
    </message>
    <message>
        <source>This file is empty, so there is nothing to attach.</source>
        <translation>Diese Datei ist leer, es gibt also nichts anzuhängen.</translation>
    </message>
    <message>
        <source>This file is not there any more.</source>
        <translation>Diese Datei ist nicht mehr da.</translation>
    </message>
    <message>
        <source>This finding has no fix. Those that have one are {names}.</source>
        <translation>Für diesen Befund gibt es keine Behebung. Es gibt sie für {names}.</translation>
    </message>
    <message>
        <source>This installation of Keepsake cannot encrypt: the package apsw has taken the place of apsw-sqlite3mc. Remove both (pip uninstall apsw apsw-sqlite3mc) and install Keepsake&apos;s wheel again, or use one of its packages.</source>
        <translation>Diese Installation von Keepsake kann nicht verschlüsseln: Das Paket apsw ist an die Stelle von apsw-sqlite3mc getreten. Entferne beide (pip uninstall apsw apsw-sqlite3mc) und installiere Keepsakes Wheel neu, oder nimm eines seiner Pakete.</translation>
    </message>
    <message>
        <source>This invitation belongs to other words, or is not whole. Take the words and the file of one invitation.</source>
        <translation>Diese Einladung gehört zu anderen Wörtern oder ist nicht vollständig. Nimm die Wörter und die Datei derselben Einladung.</translation>
    </message>
    <message>
        <source>This is no address of S3 storage. It looks like s3://KEY:SECRET@bucket/prefix?region=…&amp;endpoint=https://…; write / and + within the secret as %2F and %2B.</source>
        <translation>Das ist keine Adresse eines S3-Speichers. Sie sieht so aus: s3://SCHLÜSSEL:GEHEIMNIS@bucket/präfix?region=…&amp;endpoint=https://…; schreib / und + im Geheimnis als %2F und %2B.</translation>
    </message>
    <message>
        <source>This is no address of a WebDAV server. It looks like https://name:password@server/path; write @, /, # and ? within the password as %40, %2F, %23 and %3F.</source>
        <translation>Das ist keine Adresse eines WebDAV-Servers. Sie sieht so aus: https://name:passwort@server/pfad; schreib @, /, # und ? im Passwort als %40, %2F, %23 und %3F.</translation>
    </message>
    <message>
        <source>This is no address of a database. It looks like postgresql://name@server/database.</source>
        <translation>Das ist keine Adresse einer Datenbank. Sie sieht so aus: postgresql://name@server/database.</translation>
    </message>
    <message>
        <source>This is not a cron expression. An example: 30 8 * * mon-fri.</source>
        <translation>Das ist kein Cron-Ausdruck. Ein Beispiel: 30 8 * * mon-fri.</translation>
    </message>
    <message>
        <source>This is not the passphrase of these memories. Try again.</source>
        <translation>Das ist nicht die Passphrase dieser Erinnerungen. Versuche es noch einmal.</translation>
    </message>
    <message>
        <source>This is not the passphrase of {name}. Try again.</source>
        <translation>Das ist nicht die Passphrase von {name}. Versuche es noch einmal.</translation>
    </message>
    <message>
        <source>This machine and your others do not hear of each other. {reason}</source>
        <translation>Dieser Rechner und deine anderen hören nichts voneinander. {reason}</translation>
    </message>
    <message>
        <source>This machine cannot remove itself. Leave here, and remove it on another one.</source>
        <translation>Dieser Rechner kann sich nicht selbst entfernen. Beende hier das Teilen und entferne ihn auf einem anderen Rechner.</translation>
    </message>
    <message>
        <source>This machine has no keyring that Keepsake can use. {instead}</source>
        <translation>Dieser Rechner hat keinen Schlüsselbund, den Keepsake verwenden kann. {instead}</translation>
    </message>
    <message>
        <source>This machine has no keyring: the keys that open what lies there are in a file that programs of yours can read.</source>
        <translation>Dieser Rechner hat keinen Schlüsselbund: Die Schlüssel, die öffnen, was dort liegt, stehen in einer Datei, die deine Programme lesen können.</translation>
    </message>
    <message>
        <source>This machine shares its memory there already.</source>
        <translation>Dieser Rechner teilt dort bereits sein Gedächtnis.</translation>
    </message>
    <message>
        <source>This machine waits no longer: its words were used, or ten minutes are over. Make a new invitation.</source>
        <translation>Dieser Rechner wartet nicht mehr: Seine Wörter wurden verwendet, oder die zehn Minuten sind abgelaufen. Erstelle eine neue Einladung.</translation>
    </message>
    <message>
        <source>This machine was added before.</source>
        <translation>Dieser Rechner wurde bereits hinzugefügt.</translation>
    </message>
    <message>
        <source>This machine was removed from those that share the memory. What is here stays here. To share again, make an invitation on another machine, and join with its words.</source>
        <translation>Dieser Rechner wurde aus denen entfernt, die das Gedächtnis teilen. Was hier ist, bleibt hier. Um wieder zu teilen, erstelle auf einem anderen Rechner eine Einladung und tritt mit deren Wörtern bei.</translation>
    </message>
    <message>
        <source>This memory is not deleted.</source>
        <translation>Diese Erinnerung ist nicht gelöscht.</translation>
    </message>
    <message>
        <source>This memory was changed in the meantime. Read it again and repeat the change.</source>
        <translation>Diese Erinnerung wurde inzwischen geändert. Lies sie neu und wiederhole die Änderung.</translation>
    </message>
    <message>
        <source>This part does not begin where the last one ended. Ask for the position first.</source>
        <translation>Dieser Abschnitt beginnt nicht dort, wo der letzte endete. Frage zuerst nach der Stelle.</translation>
    </message>
    <message>
        <source>This passphrase is one of the first that anyone tries. Choose several words that do not go together.</source>
        <translation>Diese Passphrase ist eine der ersten, die jeder ausprobiert. Wähle mehrere Wörter, die nicht zusammengehören.</translation>
    </message>
    <message>
        <source>This proposal is decided already.</source>
        <translation>Über diesen Vorschlag ist schon entschieden.</translation>
    </message>
    <message>
        <source>This reads as a sentence: texts with the quoted words side by side are preferred, others are found too. Search a quotation by itself to demand it.</source>
        <translation>Das liest sich wie ein Satz: Texte, in denen die Wörter in Anführungszeichen nebeneinanderstehen, gehen vor, andere werden auch gefunden. Suche ein Zitat allein, um es zu verlangen.</translation>
    </message>
    <message>
        <source>This removes {count} for ever; nothing can bring them back. Ask again with confirm=true.</source>
        <translation>Dies löscht {count} endgültig; nichts kann sie zurückbringen. Frag noch einmal mit confirm=true.</translation>
    </message>
    <message>
        <source>This role may not do that in the database. Let it make tables there, or name another.</source>
        <translation>Diese Rolle darf das in der Datenbank nicht. Erlaube ihr, dort Tabellen anzulegen, oder nenne eine andere.</translation>
    </message>
    <message>
        <source>This run has ended, or it is not yours.</source>
        <translation>Dieser Lauf ist beendet oder nicht deiner.</translation>
    </message>
    <message>
        <source>This schedule is there no more.</source>
        <translation>Diesen Zeitplan gibt es nicht mehr.</translation>
    </message>
    <message>
        <source>This schedule runs already.</source>
        <translation>Dieser Zeitplan läuft schon.</translation>
    </message>
    <message>
        <source>This search is no longer saved.</source>
        <translation>Diese Suche ist nicht mehr gespeichert.</translation>
    </message>
    <message>
        <source>This server cannot tell two machines apart that write at the same moment: add, rename and remove machines on one machine at a time.</source>
        <translation>Dieser Server kann zwei Rechner, die im selben Augenblick schreiben, nicht auseinanderhalten: Füge Rechner nur auf jeweils einem Rechner hinzu, benenne und entferne sie dort.</translation>
    </message>
    <message>
        <source>This vault could not be brought up to date (step {step}). Nothing was changed. &apos;keepsake salvage --into FOLDER&apos; copies everything readable into a new vault.</source>
        <translation>Dieser Tresor ließ sich nicht auf den neuesten Stand bringen (Schritt {step}). Nichts wurde geändert. „keepsake salvage --into FOLDER“ kopiert alles Lesbare in einen neuen Tresor.</translation>
    </message>
    <message>
        <source>This vault is from an older Keepsake (schema {have}; this one needs {known}) and must be brought up to date before it is read, which needs free space and a folder that can be written.</source>
        <translation>Dieser Tresor stammt von einem älteren Keepsake (Schema {have}; dieses braucht {known}) und muss vor dem Lesen auf den neuesten Stand gebracht werden; das braucht freien Platz und einen beschreibbaren Ordner.</translation>
    </message>
    <message>
        <source>This vault is open for reading only and has no vectors yet.</source>
        <translation>Dieser Tresor ist nur zum Lesen geöffnet und hat noch keine Vektoren.</translation>
    </message>
    <message>
        <source>This vault is shared nowhere yet. Name a place first.</source>
        <translation>Dieser Tresor wird noch nirgends geteilt. Nenne zuerst einen Ort.</translation>
    </message>
    <message>
        <source>This vault shares its changes through another place. If that one was moved, name the place where it is now. If it was lost, say that this one is to be filled anew.</source>
        <translation>Dieser Tresor teilt seine Änderungen über einen anderen Ort. Wenn jener umgezogen ist, nenne den neuen Ort. Wenn er verloren ist, sag, dass dieser neu gefüllt werden soll.</translation>
    </message>
    <message>
        <source>This vault shares its changes with no other machine. Name a place first.</source>
        <translation>Dieser Tresor teilt seine Änderungen mit keinem anderen Rechner. Nenne zuerst einen Ort.</translation>
    </message>
    <message>
        <source>This vault was made by an unreleased version of Keepsake, and its tables differ from those of every release. Nothing was changed. &apos;keepsake salvage --into FOLDER&apos; copies everything readable into a new vault.</source>
        <translation>Dieser Tresor wurde von einer unveröffentlichten Version von Keepsake angelegt, und seine Tabellen weichen von denen jeder Veröffentlichung ab. Nichts wurde geändert. „keepsake salvage --into FOLDER“ kopiert alles Lesbare in einen neuen Tresor.</translation>
    </message>
    <message>
        <source>This vault was written by a newer Keepsake (schema {have}; this one knows {known}). Update Keepsake, or open another vault.</source>
        <translation>Dieser Tresor wurde von einem neueren Keepsake geschrieben (Schema {have}; dieses kennt {known}). Aktualisiere Keepsake, oder öffne einen anderen Tresor.</translation>
    </message>
    <message>
        <source>This vault was written by a newer Keepsake (schema {schema}; this one knows {known}). Update Keepsake and salvage with that.</source>
        <translation>Dieser Tresor wurde von einem neueren Keepsake geschrieben (Schema {schema}; dieses kennt {known}). Aktualisiere Keepsake, und rette damit.</translation>
    </message>
    <message>
        <source>This version of Keepsake does not know {names}, which was left out.</source>
        <translation>Diese Version von Keepsake kennt {names} nicht; es blieb weg.</translation>
    </message>
    <message>
        <source>This version of Keepsake has no such work.</source>
        <translation>Diese Version von Keepsake kennt eine solche Arbeit nicht.</translation>
    </message>
    <message>
        <source>This was interrupted and finished later; the whole file was written anew.</source>
        <translation>Dies wurde unterbrochen und später abgeschlossen; die ganze Datei wurde neu geschrieben.</translation>
    </message>
    <message>
        <source>This was stopped before it was done.</source>
        <translation>Dies wurde angehalten, bevor es getan war.</translation>
    </message>
    <message>
        <source>This was stopped before it was done: the vault was closed, or you chose otherwise meanwhile.</source>
        <translation>Das wurde abgebrochen, bevor es getan war: Der Tresor wurde geschlossen, oder du hast inzwischen anders gewählt.</translation>
    </message>
    <message>
        <source>This {kind} was deleted. Restore it first, or look in its history.</source>
        <translation>Dies ({kind}) wurde gelöscht. Stelle es zuerst wieder her, oder sieh dir den Verlauf an.</translation>
    </message>
    <message>
        <source>Thursday</source>
        <translation>Donnerstag</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Time at which remaining conversations are consolidated.</source>
        <translation>Uhrzeit, zu der übrige Unterhaltungen gefestigt werden.</translation>
    </message>
    <message>
        <source>Timeout</source>
        <translation>Zeitgrenze</translation>
    </message>
    <message>
        <source>Tokens of a conversation that agents are given back.</source>
        <translation>Tokens einer Unterhaltung, die Agenten zurückerhalten.</translation>
    </message>
    <message>
        <source>Tokens of an agent&apos;s context, unless it asks for others.</source>
        <translation>Tokens im Kontext eines Agenten, sofern er nichts anderes verlangt.</translation>
    </message>
    <message>
        <source>Tokens that important messages take at most.</source>
        <translation>Tokens, die wichtige Nachrichten höchstens nehmen.</translation>
    </message>
    <message>
        <source>Tokens that one answer may have.</source>
        <translation>Tokens, die eine Antwort haben darf.</translation>
    </message>
    <message>
        <source>Tokens that relevant messages take at most.</source>
        <translation>Tokens, die passende Nachrichten höchstens nehmen.</translation>
    </message>
    <message>
        <source>Tokens that the latest messages take at most.</source>
        <translation>Tokens, die die letzten Nachrichten höchstens nehmen.</translation>
    </message>
    <message>
        <source>Tokens that the memory index takes at most.</source>
        <translation>Tokens, die das Erinnerungsverzeichnis höchstens nimmt.</translation>
    </message>
    <message>
        <source>Tokens that the weekly reflection takes at most.</source>
        <translation>Tokens, die die Wochenreflexion höchstens nimmt.</translation>
    </message>
    <message>
        <source>Tokens that these facts take at most.</source>
        <translation>Tokens, die diese Fakten höchstens nehmen.</translation>
    </message>
    <message>
        <source>Tokens that these summaries take at most.</source>
        <translation>Tokens, die diese Zusammenfassungen höchstens nehmen.</translation>
    </message>
    <message>
        <source>Too many levels of symbolic links</source>
        <translation>Zu viele Verknüpfungen hintereinander</translation>
    </message>
    <message>
        <source>Too many messages are waiting to be stored.</source>
        <translation>Zu viele Nachrichten warten darauf, gespeichert zu werden.</translation>
    </message>
    <message>
        <source>Too many programs wait to be let in. Ask the person to allow or refuse some first.</source>
        <translation>Zu viele Programme warten auf Zugriff. Erlaube oder verweigere zuerst einige.</translation>
    </message>
    <message>
        <source>Took 1 short name apart again, which may be of somebody else.</source>
        <translation>1 Kurznamen wieder getrennt, der jemand anderem gehören kann.</translation>
    </message>
    <message>
        <source>Took away 1 mention in texts that are gone.</source>
        <translation>1 Erwähnung in Texten entfernt, die es nicht mehr gibt.</translation>
    </message>
    <message>
        <source>Took away 1 row of {table} that belonged to nothing.</source>
        <translation>1 Zeile von {table} entfernt, die zu nichts gehörte.</translation>
    </message>
    <message>
        <source>Took away {count} mentions in texts that are gone.</source>
        <translation>{count} Erwähnungen in Texten entfernt, die es nicht mehr gibt.</translation>
    </message>
    <message>
        <source>Took away {count} rows of {table} that belonged to nothing.</source>
        <translation>{count} Zeilen von {table} entfernt, die zu nichts gehörten.</translation>
    </message>
    <message>
        <source>Took in part of a conversation</source>
        <translation>Hat einen Teil einer Unterhaltung aufgenommen</translation>
    </message>
    <message>
        <source>Took {count} short names apart again, which may be of somebody else.</source>
        <translation>{count} Kurznamen wieder getrennt, die jemand anderem gehören können.</translation>
    </message>
    <message>
        <source>Transcripts are not followed for now: {why}</source>
        <translation>Protokollen wird zurzeit nicht gefolgt: {why}</translation>
    </message>
    <message>
        <source>Transcripts of Cursor are not sent in lines. Import its state.vscdb.</source>
        <translation>Mitschriften von Cursor werden nicht zeilenweise gesendet. Importiere dessen state.vscdb.</translation>
    </message>
    <message>
        <source>Tri</source>
        <translation>Tri</translation>
    </message>
    <message>
        <source>Tri importance</source>
        <translation>Wichtigkeit für Tri</translation>
    </message>
    <message>
        <source>Tri recent</source>
        <translation>Letzte für Tri</translation>
    </message>
    <message>
        <source>Tri relevant</source>
        <translation>Passende für Tri</translation>
    </message>
    <message>
        <source>Tri salient</source>
        <translation>Herausragende für Tri</translation>
    </message>
    <message>
        <source>Tri similarity</source>
        <translation>Ähnlichkeit für Tri</translation>
    </message>
    <message>
        <source>Try {values}.</source>
        <translation>Versuche {values}.</translation>
    </message>
    <message>
        <source>Tuesday</source>
        <translation>Dienstag</translation>
    </message>
    <message>
        <source>Turns of a language model that one run of a goal takes at most.</source>
        <translation>Runden, die ein Sprachmodell in einem Lauf eines Ziels höchstens macht.</translation>
    </message>
    <message>
        <source>Two copies of one vault wrote as the same machine; what the second one wrote is not taken in.</source>
        <translation>Zwei Kopien eines Tresors haben als derselbe Rechner geschrieben; was die zweite geschrieben hat, wird nicht übernommen.</translation>
    </message>
    <message>
        <source>Two copies of this vault wrote to one place at the same time. The next time sets it right.</source>
        <translation>Zwei Kopien dieses Tresors haben zugleich an einen Ort geschrieben. Beim nächsten Mal kommt das in Ordnung.</translation>
    </message>
    <message>
        <source>Two of your machines changed the list of your machines at the same time, and the change that was made elsewhere counts. Make an invitation on another machine, and join here with its words: nothing that was written here is lost. Then change the list again where it is not as you want it.</source>
        <translation>Zwei deiner Rechner haben die Liste deiner Rechner gleichzeitig geändert, und es gilt die Änderung, die anderswo gemacht wurde. Lade auf einem anderen Rechner ein und tritt hier mit den Wörtern der Einladung bei: Nichts, was hier geschrieben wurde, geht verloren. Ändere die Liste danach noch einmal, wo sie nicht so ist, wie du sie willst.</translation>
    </message>
    <message>
        <source>Undid 1 change of {agent}</source>
        <translation>1 Änderung von {agent} rückgängig gemacht</translation>
    </message>
    <message>
        <source>Undid part of: {what}</source>
        <translation>Teilweise rückgängig gemacht: {what}</translation>
    </message>
    <message>
        <source>Undid {count} changes of {agent}</source>
        <translation>{count} Änderungen von {agent} rückgängig gemacht</translation>
    </message>
    <message>
        <source>Undid: {what}</source>
        <translation>Rückgängig gemacht: {what}</translation>
    </message>
    <message>
        <source>Undo this first: {what}.</source>
        <translation>Zuerst rückgängig machen: {what}.</translation>
    </message>
    <message>
        <source>Undoing what {name} wrote</source>
        <translation>Was {name} geschrieben hat, wird rückgängig gemacht</translation>
    </message>
    <message>
        <source>Unpack it, and import what is in it.</source>
        <translation>Entpacke sie, und importiere, was darin ist.</translation>
    </message>
    <message>
        <source>Unpinned {items}</source>
        <translation>Nicht mehr angeheftet: {items}</translation>
    </message>
    <message>
        <source>Use a language model or spaCy to find names, if available.</source>
        <translation>Ein Sprachmodell oder spaCy nutzen, um Namen zu finden, wo vorhanden.</translation>
    </message>
    <message>
        <source>Use or close that one; if it does not answer, end its process.</source>
        <translation>Benutze oder schließe jenes; antwortet es nicht, beende seinen Prozess.</translation>
    </message>
    <message>
        <source>Used schedules</source>
        <translation>Hat Zeitpläne benutzt</translation>
    </message>
    <message>
        <source>Used your facts</source>
        <translation>Hat deine Fakten benutzt</translation>
    </message>
    <message>
        <source>Used your memories</source>
        <translation>Hat deine Erinnerungen benutzt</translation>
    </message>
    <message>
        <source>Vector</source>
        <translation>Vektor</translation>
    </message>
    <message>
        <source>Vector weight</source>
        <translation>Gewicht der Vektoren</translation>
    </message>
    <message>
        <source>Wait</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>Waited 1 minute: {why}.</source>
        <translation>1 Minute gewartet: {why}.</translation>
    </message>
    <message>
        <source>Waited {count} hours: {why}.</source>
        <translation>{count} Stunden gewartet: {why}.</translation>
    </message>
    <message>
        <source>Waited {count} minutes: {why}.</source>
        <translation>{count} Minuten gewartet: {why}.</translation>
    </message>
    <message>
        <source>Waits because incognito is on.</source>
        <translation>Wartet, weil Inkognito an ist.</translation>
    </message>
    <message>
        <source>Waits because {agent}, who made it, is paused.</source>
        <translation>Wartet, weil {agent}, von dem es stammt, angehalten ist.</translation>
    </message>
    <message>
        <source>Waits for a language model or an agent.</source>
        <translation>Wartet auf ein Sprachmodell oder einen Agenten.</translation>
    </message>
    <message>
        <source>Waits until your other machines can be asked.</source>
        <translation>Wartet, bis deine anderen Rechner gefragt werden können.</translation>
    </message>
    <message>
        <source>Waits until your other machines can be asked. {reason}</source>
        <translation>Wartet, bis deine anderen Rechner gefragt werden können. {reason}</translation>
    </message>
    <message>
        <source>Waits: it is the turn of another of your machines.</source>
        <translation>Wartet: Ein anderer deiner Rechner ist an der Reihe.</translation>
    </message>
    <message>
        <source>Waits: it is the turn of {machine}.</source>
        <translation>Wartet: {machine} ist an der Reihe.</translation>
    </message>
    <message>
        <source>Waits: it runs already.</source>
        <translation>Wartet: Es läuft bereits.</translation>
    </message>
    <message>
        <source>Waits: {why}</source>
        <translation>Wartet: {why}</translation>
    </message>
    <message>
        <source>Waits: {why}.</source>
        <translation>Wartet: {why}.</translation>
    </message>
    <message>
        <source>Wednesday</source>
        <translation>Mittwoch</translation>
    </message>
    <message>
        <source>Weekly backups that are kept.</source>
        <translation>Wöchentliche Sicherungen, die behalten werden.</translation>
    </message>
    <message>
        <source>Weekly insight</source>
        <translation>Wochenrückblick</translation>
    </message>
    <message>
        <source>Weekly reflection</source>
        <translation>Wochenreflexion</translation>
    </message>
    <message>
        <source>Weighted</source>
        <translation>Gewichtet</translation>
    </message>
    <message>
        <source>What a built-in schedule does cannot be changed.</source>
        <translation>Was ein eingebauter Zeitplan tut, lässt sich nicht ändern.</translation>
    </message>
    <message>
        <source>What a machine wrote after it was removed is not taken in.</source>
        <translation>Was ein Rechner nach seiner Entfernung geschrieben hat, wird nicht übernommen.</translation>
    </message>
    <message>
        <source>What agents do is not recorded at the moment.</source>
        <translation>Was Agenten tun, wird zurzeit nicht aufgezeichnet.</translation>
    </message>
    <message>
        <source>What an edit or a retry replaced was left out.</source>
        <translation>Was durch Bearbeiten oder einen neuen Versuch ersetzt wurde, blieb weg.</translation>
    </message>
    <message>
        <source>What has expired could not be set aside: {why}</source>
        <translation>Abgelaufenes ließ sich nicht beiseitelegen: {why}</translation>
    </message>
    <message>
        <source>What is deleted leaves the archive; only the history keeps it, by which an undo brings it back.</source>
        <translation>Was gelöscht wird, verlässt das Archiv; nur der Verlauf behält es, und damit bringt ein Rückgängigmachen es zurück.</translation>
    </message>
    <message>
        <source>What is done with that folder: &apos;read&apos; takes its edits in and never writes to it; &apos;both&apos; also writes edits, new notes and deletions back, and keeps a note that is edited on both sides twice.</source>
        <translation>Was mit diesem Ordner geschieht: „read“ übernimmt seine Änderungen und schreibt nie hinein; „both“ schreibt auch Änderungen, neue Notizen und Löschungen zurück und behält eine auf beiden Seiten geänderte Notiz zweimal.</translation>
    </message>
    <message>
        <source>What one of your machines wrote after {time} UTC is lost: neither the place nor a machine has it.</source>
        <translation>Was einer deiner Rechner nach {time} UTC schrieb, ist verloren: Weder der Ort noch ein Rechner hat es.</translation>
    </message>
    <message>
        <source>What one of your machines wrote is lost: neither the place nor a machine has it.</source>
        <translation>Was einer deiner Rechner schrieb, ist verloren: Weder der Ort noch ein Rechner hat es.</translation>
    </message>
    <message>
        <source>What stands for the older messages of a long conversation: a list of them, one sentence each; a summary by the language model, or the list where there is none; or nothing.</source>
        <translation>Was für die älteren Nachrichten einer langen Unterhaltung steht: eine Liste von ihnen, je ein Satz; eine Zusammenfassung des Sprachmodells, oder die Liste, wo es keines gibt; oder nichts.</translation>
    </message>
    <message>
        <source>What this name means there was decided already. Undo that first.</source>
        <translation>Was dieser Name dort bedeutet, wurde schon entschieden. Mach das zuerst rückgängig.</translation>
    </message>
    <message>
        <source>What turns text into vectors: &apos;static&apos; (built in), &apos;hashed&apos; (for tests), &apos;fastembed:&lt;model name&gt;&apos;, or a remote service: &apos;openai:&apos;, &apos;voyage:&apos;, &apos;cohere:&apos; or &apos;openai-compatible:&apos; with a model name. What is searched for is sent to a remote service too.</source>
        <translation>Was Text in Vektoren verwandelt: „static“ (eingebaut), „hashed“ (für Tests), „fastembed:&lt;model name&gt;“ oder ein entfernter Dienst: „openai:“, „voyage:“, „cohere:“ oder „openai-compatible:“ mit einem Modellnamen. Auch Suchen werden dann an den entfernten Dienst gesendet.</translation>
    </message>
    <message>
        <source>What waits for the person may have at most {max_bytes} characters.</source>
        <translation>Was auf dich wartet, darf höchstens {max_bytes} Zeichen haben.</translation>
    </message>
    <message>
        <source>What was accepted changed nothing that the history keeps, but perhaps a setting or what was said in a conversation, so it cannot be undone here.</source>
        <translation>Was angenommen wurde, hat nichts geändert, was der Verlauf festhält, vielleicht aber eine Einstellung oder das in einer Unterhaltung Gesagte; hier lässt es sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>What was accepted changed nothing that the history keeps, so it cannot be undone here.</source>
        <translation>Das Angenommene hat nichts geändert, was der Verlauf festhält, und lässt sich hier daher nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>What was stored with this key, {id}, has been removed since. Use another key.</source>
        <translation>Was mit diesem Schlüssel gespeichert wurde, {id}, ist seither entfernt worden. Nimm einen anderen Schlüssel.</translation>
    </message>
    <message>
        <source>WhatsApp chat</source>
        <translation>WhatsApp-Chat</translation>
    </message>
    <message>
        <source>When it is written on that day.</source>
        <translation>Wann an diesem Tag sie geschrieben wird.</translation>
    </message>
    <message>
        <source>When that is done each night, unless its schedule was moved.</source>
        <translation>Wann das jede Nacht geschieht, sofern der Zeitplan nicht verlegt wurde.</translation>
    </message>
    <message>
        <source>When that is done each night.</source>
        <translation>Wann das jede Nacht geschieht.</translation>
    </message>
    <message>
        <source>When that is done, unless its schedule was moved.</source>
        <translation>Wann das geschieht, sofern der Zeitplan nicht verlegt wurde.</translation>
    </message>
    <message>
        <source>Whether goals wait while the connection is paid by volume, a day at most, or run on it too.</source>
        <translation>Ob Ziele warten, solange die Verbindung nach Volumen bezahlt wird, höchstens einen Tag, oder auch dann laufen.</translation>
    </message>
    <message>
        <source>Whether heavy work waits for mains power, a day at most, or runs on battery too.</source>
        <translation>Ob schwere Arbeit auf Netzstrom wartet, höchstens einen Tag, oder auch mit Akku läuft.</translation>
    </message>
    <message>
        <source>Whether your other machines have forgotten it is not known here.</source>
        <translation>Ob deine anderen Rechner es vergessen haben, ist hier nicht bekannt.</translation>
    </message>
    <message>
        <source>While you write, show quietly what you already know about it, and what a new text may contradict.</source>
        <translation>Beim Schreiben leise zeigen, was du darüber schon weißt und wem ein neuer Text widersprechen kann.</translation>
    </message>
    <message>
        <source>Who answers where a language model helps: nobody, or a service that speaks OpenAI&apos;s protocol.</source>
        <translation>Wer antwortet, wo ein Sprachmodell hilft: niemand, oder ein Dienst mit dem Protokoll von OpenAI.</translation>
    </message>
    <message>
        <source>Without encryption, others could read the password on its way. Begin the address with https://.</source>
        <translation>Ohne Verschlüsselung könnten andere das Passwort unterwegs mitlesen. Beginne die Adresse mit https://.</translation>
    </message>
    <message>
        <source>Word document</source>
        <translation>Word-Dokument</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>Wörter</translation>
    </message>
    <message>
        <source>Working turns</source>
        <translation>Nachrichten im Speicher</translation>
    </message>
    <message>
        <source>Would archive 1 observation.</source>
        <translation>Würde 1 Beobachtung archivieren.</translation>
    </message>
    <message>
        <source>Would archive {count} observations.</source>
        <translation>Würde {count} Beobachtungen archivieren.</translation>
    </message>
    <message>
        <source>Would compress 1 observation into {digests}.</source>
        <translation>Würde 1 Beobachtung in {digests} verdichten.</translation>
    </message>
    <message>
        <source>Would compress {count} observations into {digests}.</source>
        <translation>Würde {count} Beobachtungen in {digests} verdichten.</translation>
    </message>
    <message>
        <source>Would delete 1 observation after its time in the archive.</source>
        <translation>Würde 1 Beobachtung nach ihrer Zeit im Archiv löschen.</translation>
    </message>
    <message>
        <source>Would delete {count} observations after their time in the archive.</source>
        <translation>Würde {count} Beobachtungen nach ihrer Zeit im Archiv löschen.</translation>
    </message>
    <message>
        <source>Would let 1 fact fade.</source>
        <translation>Würde 1 Fakt verblassen lassen.</translation>
    </message>
    <message>
        <source>Would let {count} facts fade.</source>
        <translation>Würde {count} Fakten verblassen lassen.</translation>
    </message>
    <message>
        <source>Write [{name}] on a line of its own, and its settings below.</source>
        <translation>Schreibe [{name}] in eine eigene Zeile und seine Einstellungen darunter.</translation>
    </message>
    <message>
        <source>Write a reflection on the week.</source>
        <translation>Eine Reflexion über die Woche schreiben.</translation>
    </message>
    <message>
        <source>Write behind queue</source>
        <translation>Warteschlange der Schreibvorgänge</translation>
    </message>
    <message>
        <source>Write it from the top or from &apos;~&apos;.</source>
        <translation>Schreibe ihn von der Wurzel oder von „~“ an.</translation>
    </message>
    <message>
        <source>Write the week: people and what changed with them, plans due, open promises, changes of mind, what faded.</source>
        <translation>Die Woche schreiben: Menschen und was sich bei ihnen änderte, fällige Pläne, offene Versprechen, geänderte Meinungen, Verblasstes.</translation>
    </message>
    <message>
        <source>Write {name} = &quot;{provider}&quot;.</source>
        <translation>Schreibe {name} = &quot;{provider}&quot;.</translation>
    </message>
    <message>
        <source>Write {name} = &quot;{provider}:&lt;model name&gt;&quot;.</source>
        <translation>Schreibe {name} = &quot;{provider}:&lt;model name&gt;&quot;.</translation>
    </message>
    <message>
        <source>Write {new} instead; the next change of a setting does it too.</source>
        <translation>Schreibe stattdessen {new}; die nächste Änderung einer Einstellung tut es auch.</translation>
    </message>
    <message>
        <source>Write “{title}”.</source>
        <translation>„{title}“ schreiben.</translation>
    </message>
    <message>
        <source>Wrote a note</source>
        <translation>Hat eine Notiz geschrieben</translation>
    </message>
    <message>
        <source>Wrote a reflection</source>
        <translation>Hat eine Reflexion geschrieben</translation>
    </message>
    <message>
        <source>Wrote {items}</source>
        <translation>Geschrieben: {items}</translation>
    </message>
    <message>
        <source>Wrote “{title}” from 1 source.</source>
        <translation>„{title}“ aus 1 Quelle geschrieben.</translation>
    </message>
    <message>
        <source>Wrote “{title}” from {count} sources.</source>
        <translation>„{title}“ aus {count} Quellen geschrieben.</translation>
    </message>
    <message>
        <source>Your memory in {database} is as it was before.</source>
        <translation>Dein Gedächtnis in {database} ist, wie es vorher war.</translation>
    </message>
    <message>
        <source>Your other machines could not be asked.</source>
        <translation>Deine anderen Rechner konnten nicht gefragt werden.</translation>
    </message>
    <message>
        <source>Your other machines could not be asked. {reason}</source>
        <translation>Deine anderen Rechner konnten nicht gefragt werden. {reason}</translation>
    </message>
    <message>
        <source>a change of conversation was not noticed</source>
        <translation>ein Wechsel der Unterhaltung wurde nicht bemerkt</translation>
    </message>
    <message>
        <source>a fact</source>
        <translation>ein Fakt</translation>
    </message>
    <message>
        <source>a long conversation could not be condensed</source>
        <translation>eine lange Unterhaltung ließ sich nicht verdichten</translation>
    </message>
    <message>
        <source>a name that is no plain word</source>
        <translation>ein Name, der kein einfaches Wort ist</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>eine Zahl</translation>
    </message>
    <message>
        <source>a text</source>
        <translation>ein Text</translation>
    </message>
    <message>
        <source>a text on one line, without control characters</source>
        <translation>ein Text in einer Zeile ohne Steuerzeichen</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>eine ganze Zahl</translation>
    </message>
    <message>
        <source>an error inside Keepsake ({kind}). Restart it.</source>
        <translation>ein Fehler in Keepsake ({kind}). Starte es neu.</translation>
    </message>
    <message>
        <source>another encoding</source>
        <translation>in einer anderen Kodierung</translation>
    </message>
    <message>
        <source>are kept with the message, where no search finds them</source>
        <translation>ist bei der Nachricht aufbewahrt, wo keine Suche ihn findet</translation>
    </message>
    <message>
        <source>beyond the {most} that are looked at in one folder</source>
        <translation>über die {most} hinaus, die in einem Ordner angesehen werden</translation>
    </message>
    <message>
        <source>category</source>
        <translation>Kategorie</translation>
    </message>
    <message>
        <source>change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>changes</source>
        <translation>Änderungen</translation>
    </message>
    <message>
        <source>choose the embedder static</source>
        <translation>wähle den Embedder static</translation>
    </message>
    <message>
        <source>comment</source>
        <translation>Kommentar</translation>
    </message>
    <message>
        <source>comments</source>
        <translation>Kommentare</translation>
    </message>
    <message>
        <source>confidence</source>
        <translation>Sicherheit</translation>
    </message>
    <message>
        <source>confidence {before} to {after}</source>
        <translation>Gewissheit {before} zu {after}</translation>
    </message>
    <message>
        <source>conversation</source>
        <translation>Unterhaltung</translation>
    </message>
    <message>
        <source>conversation {key}</source>
        <translation>Unterhaltung {key}</translation>
    </message>
    <message>
        <source>conversations</source>
        <translation>Unterhaltungen</translation>
    </message>
    <message>
        <source>copies</source>
        <translation>Kopien</translation>
    </message>
    <message>
        <source>copy</source>
        <translation>Kopie</translation>
    </message>
    <message>
        <source>date</source>
        <translation>Datum</translation>
    </message>
    <message>
        <source>decision</source>
        <translation>Entscheidung</translation>
    </message>
    <message>
        <source>digest</source>
        <translation>Auszug</translation>
    </message>
    <message>
        <source>document</source>
        <translation>Dokument</translation>
    </message>
    <message>
        <source>documents</source>
        <translation>Dokumente</translation>
    </message>
    <message>
        <source>email</source>
        <translation>E-Mail-Adresse</translation>
    </message>
    <message>
        <source>entities</source>
        <translation>Einträge</translation>
    </message>
    <message>
        <source>entity</source>
        <translation>Eintrag</translation>
    </message>
    <message>
        <source>entries</source>
        <translation>Einträge</translation>
    </message>
    <message>
        <source>entry</source>
        <translation>Eintrag</translation>
    </message>
    <message>
        <source>fact</source>
        <translation>Fakt</translation>
    </message>
    <message>
        <source>facts</source>
        <translation>Fakten</translation>
    </message>
    <message>
        <source>fastembed cannot rerank with this model, only with {choices}.</source>
        <translation>fastembed kann mit diesem Modell nicht umsortieren, nur mit {choices}.</translation>
    </message>
    <message>
        <source>fastembed does not support this model; it supports {choices}.</source>
        <translation>fastembed unterstützt dieses Modell nicht; unterstützt werden {choices}.</translation>
    </message>
    <message>
        <source>field</source>
        <translation>Feld</translation>
    </message>
    <message>
        <source>fields</source>
        <translation>Felder</translation>
    </message>
    <message>
        <source>file</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>file that is attached to a mail</source>
        <translation>Datei, die an einer E-Mail hängt,</translation>
    </message>
    <message>
        <source>files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>files that are attached to mails</source>
        <translation>Dateien, die an E-Mails hängen,</translation>
    </message>
    <message>
        <source>from the archive</source>
        <translation>aus dem Archiv</translation>
    </message>
    <message>
        <source>goal</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>hashtag</source>
        <translation>Hashtag</translation>
    </message>
    <message>
        <source>head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>Köpfe</translation>
    </message>
    <message>
        <source>hidden file</source>
        <translation>verborgene Datei</translation>
    </message>
    <message>
        <source>hidden file or folder</source>
        <translation>verborgene Datei oder verborgener Ordner</translation>
    </message>
    <message>
        <source>hidden files</source>
        <translation>verborgene Dateien</translation>
    </message>
    <message>
        <source>hidden files or folders</source>
        <translation>verborgene Dateien oder Ordner</translation>
    </message>
    <message>
        <source>holds a {file} that is neither ChatGPT&apos;s nor Claude&apos;s</source>
        <translation>enthält eine Datei {file}, die weder von ChatGPT noch von Claude stammt</translation>
    </message>
    <message>
        <source>holds no Markdown notes, no documents and no conversations.json</source>
        <translation>enthält weder Markdown-Notizen noch Dokumente noch eine conversations.json</translation>
    </message>
    <message>
        <source>holds other zip files; unpack it, and import the folder</source>
        <translation>enthält weitere Zip-Dateien; entpacke es, und importiere den Ordner</translation>
    </message>
    <message>
        <source>how fast it fades</source>
        <translation>wie schnell es verblasst</translation>
    </message>
    <message>
        <source>iCloud has moved {database} off this computer. Download it in the file manager, then move the vault out of iCloud Drive.</source>
        <translation>iCloud hat {database} von diesem Rechner ausgelagert. Lade die Datei im Dateimanager herunter, und verschiebe dann den Tresor aus iCloud Drive.</translation>
    </message>
    <message>
        <source>in &apos;{field}&apos;</source>
        <translation>in „{field}“</translation>
    </message>
    <message>
        <source>in it</source>
        <translation>darin</translation>
    </message>
    <message>
        <source>in no format that is known</source>
        <translation>in keinem bekannten Format</translation>
    </message>
    <message>
        <source>integrity, repaired where it is derived</source>
        <translation>Unversehrtheit; repariert, wo sie abgeleitet ist</translation>
    </message>
    <message>
        <source>into the trash</source>
        <translation>in den Papierkorb</translation>
    </message>
    <message>
        <source>is a SQLite database without memories in tables that are known</source>
        <translation>ist eine SQLite-Datenbank, deren Tabellen keine bekannten Erinnerungen enthalten</translation>
    </message>
    <message>
        <source>is a damaged zip file ({reason})</source>
        <translation>ist eine beschädigte Zip-Datei ({reason})</translation>
    </message>
    <message>
        <source>is a tar archive, and not an export of Joplin; unpack it and import the folder</source>
        <translation>ist ein Tar-Archiv, aber kein Export von Joplin; entpacke es, und importiere den Ordner</translation>
    </message>
    <message>
        <source>is a zip without a conversations.json in it</source>
        <translation>ist eine Zip-Datei ohne conversations.json</translation>
    </message>
    <message>
        <source>is compressed, and not Keepsake&apos;s JSONL</source>
        <translation>ist komprimiert, aber kein JSONL von Keepsake</translation>
    </message>
    <message>
        <source>is in no format that is known</source>
        <translation>hat kein bekanntes Format</translation>
    </message>
    <message>
        <source>is larger than 1 MiB, which no settings are</source>
        <translation>ist größer als 1 MiB, was keine Einstellungen sind</translation>
    </message>
    <message>
        <source>is not text</source>
        <translation>ist kein Text</translation>
    </message>
    <message>
        <source>is not valid TOML: a key or section is there twice</source>
        <translation>ist kein gültiges TOML: Ein Schlüssel oder Abschnitt steht zweimal da</translation>
    </message>
    <message>
        <source>is not valid TOML: it is nested too deeply</source>
        <translation>ist kein gültiges TOML: Es ist zu tief verschachtelt</translation>
    </message>
    <message>
        <source>is not valid TOML: line {line} is not UTF-8 text</source>
        <translation>ist kein gültiges TOML: Zeile {line} ist kein UTF-8-Text</translation>
    </message>
    <message>
        <source>is not valid TOML: something is wrong at line {line}, column {column}</source>
        <translation>ist kein gültiges TOML: In Zeile {line}, Spalte {column} stimmt etwas nicht</translation>
    </message>
    <message>
        <source>it is not valid JSON: {error}</source>
        <translation>es ist kein gültiges JSON: {error}</translation>
    </message>
    <message>
        <source>item</source>
        <translation>Eintrag</translation>
    </message>
    <message>
        <source>items</source>
        <translation>Einträge</translation>
    </message>
    <message>
        <source>its folder</source>
        <translation>seinem Ordner</translation>
    </message>
    <message>
        <source>its sender</source>
        <translation>dem Absender</translation>
    </message>
    <message>
        <source>key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>leave search.reranker empty</source>
        <translation>lass search.reranker leer</translation>
    </message>
    <message>
        <source>less than a day</source>
        <translation>weniger als einen Tag</translation>
    </message>
    <message>
        <source>line</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>lines</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>link</source>
        <translation>Verknüpfung</translation>
    </message>
    <message>
        <source>links</source>
        <translation>Verknüpfungen</translation>
    </message>
    <message>
        <source>llm.base_url is no address that can be used.</source>
        <translation>llm.base_url ist keine verwendbare Adresse.</translation>
    </message>
    <message>
        <source>location</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>looks like an export of {program}, which is not supported yet</source>
        <translation>sieht nach einem Export von {program} aus, der noch nicht unterstützt wird</translation>
    </message>
    <message>
        <source>mail</source>
        <translation>Mail</translation>
    </message>
    <message>
        <source>mails</source>
        <translation>Mails</translation>
    </message>
    <message>
        <source>mem0</source>
        <translation>mem0</translation>
    </message>
    <message>
        <source>memories</source>
        <translation>Erinnerungen</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Erinnerung</translation>
    </message>
    <message>
        <source>memory with few names</source>
        <translation>Erinnerung mit wenigen Namen</translation>
    </message>
    <message>
        <source>mention</source>
        <translation>Erwähnung</translation>
    </message>
    <message>
        <source>mentions</source>
        <translation>Erwähnungen</translation>
    </message>
    <message>
        <source>message</source>
        <translation>Nachricht</translation>
    </message>
    <message>
        <source>message with few names</source>
        <translation>Nachricht mit wenigen Namen</translation>
    </message>
    <message>
        <source>messages</source>
        <translation>Nachrichten</translation>
    </message>
    <message>
        <source>name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>names</source>
        <translation>Namen</translation>
    </message>
    <message>
        <source>no memories could be taken</source>
        <translation>es ließen sich keine Erinnerungen übernehmen</translation>
    </message>
    <message>
        <source>no new facts</source>
        <translation>keine neuen Fakten</translation>
    </message>
    <message>
        <source>note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>einer leeren Antwort</translation>
    </message>
    <message>
        <source>nothing is done any more</source>
        <translation>es wird nichts mehr getan</translation>
    </message>
    <message>
        <source>nothing is drawn from it</source>
        <translation>daraus wird nichts entnommen</translation>
    </message>
    <message>
        <source>nothing of use</source>
        <translation>etwas Unbrauchbarem</translation>
    </message>
    <message>
        <source>notices</source>
        <translation>Mitteilungen</translation>
    </message>
    <message>
        <source>observation</source>
        <translation>Beobachtung</translation>
    </message>
    <message>
        <source>on battery</source>
        <translation>Akkubetrieb</translation>
    </message>
    <message>
        <source>on or off</source>
        <translation>ein oder aus</translation>
    </message>
    <message>
        <source>one name has a middle name or initial more</source>
        <translation>ein Name hat einen zweiten Vornamen oder eine Initiale mehr</translation>
    </message>
    <message>
        <source>one name has an initial for the first name of the other</source>
        <translation>ein Name hat statt des Vornamens des anderen nur eine Initiale</translation>
    </message>
    <message>
        <source>one name is made of the first letters of the other</source>
        <translation>ein Name besteht aus den Anfangsbuchstaben des anderen</translation>
    </message>
    <message>
        <source>one name is part of the other, and both are mentioned in one conversation</source>
        <translation>ein Name ist Teil des anderen, und beide werden in derselben Unterhaltung erwähnt</translation>
    </message>
    <message>
        <source>one of {choices}</source>
        <translation>eines von {choices}</translation>
    </message>
    <message>
        <source>only shows a ChatGPT export in a browser; import its conversations.json or its zip</source>
        <translation>zeigt nur einen ChatGPT-Export im Browser; importiere dessen conversations.json oder Zip-Datei</translation>
    </message>
    <message>
        <source>organization</source>
        <translation>Organisation</translation>
    </message>
    <message>
        <source>other</source>
        <translation>anderer Name</translation>
    </message>
    <message>
        <source>other names</source>
        <translation>andere Namen</translation>
    </message>
    <message>
        <source>page</source>
        <translation>Seite</translation>
    </message>
    <message>
        <source>pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>people</source>
        <translation>Personen</translation>
    </message>
    <message>
        <source>person</source>
        <translation>Person</translation>
    </message>
    <message>
        <source>picture or recording</source>
        <translation>Bild oder Aufnahme</translation>
    </message>
    <message>
        <source>picture, recording or document</source>
        <translation>Bild, Aufnahme oder Dokument</translation>
    </message>
    <message>
        <source>pictures or recordings</source>
        <translation>Bilder oder Aufnahmen</translation>
    </message>
    <message>
        <source>pictures, recordings or documents</source>
        <translation>Bilder, Aufnahmen oder Dokumente</translation>
    </message>
    <message>
        <source>pinned or not</source>
        <translation>angeheftet oder nicht</translation>
    </message>
    <message>
        <source>pipe, socket or device</source>
        <translation>Pipe, Socket oder Gerät</translation>
    </message>
    <message>
        <source>pipes, sockets or devices</source>
        <translation>Pipes, Sockets oder Geräte</translation>
    </message>
    <message>
        <source>project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>projects</source>
        <translation>Projekte</translation>
    </message>
    <message>
        <source>queries</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>query</source>
        <translation>Anfrage</translation>
    </message>
    <message>
        <source>question</source>
        <translation>Frage</translation>
    </message>
    <message>
        <source>questions</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <source>reflection</source>
        <translation>Reflexion</translation>
    </message>
    <message>
        <source>relation</source>
        <translation>Beziehung</translation>
    </message>
    <message>
        <source>relation {first} {verb} {second}</source>
        <translation>Beziehung {first} {verb} {second}</translation>
    </message>
    <message>
        <source>relations</source>
        <translation>Beziehungen</translation>
    </message>
    <message>
        <source>row</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>session {key}</source>
        <translation>Unterhaltung {key}</translation>
    </message>
    <message>
        <source>something else</source>
        <translation>etwas anderes</translation>
    </message>
    <message>
        <source>something that is no chat answer</source>
        <translation>etwas, das keine Chat-Antwort ist</translation>
    </message>
    <message>
        <source>statistics for the query planner</source>
        <translation>Statistiken für die Abfrageplanung</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>table {name}</source>
        <translation>Tabelle {name}</translation>
    </message>
    <message>
        <source>tags</source>
        <translation>Tags</translation>
    </message>
    <message>
        <source>text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>texts</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>texts for which making vectors failed</source>
        <translation>Texte, für die das Erstellen von Vektoren fehlschlug</translation>
    </message>
    <message>
        <source>that lead out of the folder or nowhere</source>
        <translation>, die aus dem Ordner oder ins Leere führen,</translation>
    </message>
    <message>
        <source>that leads out of it or nowhere</source>
        <translation>, die hinaus oder ins Leere führt,</translation>
    </message>
    <message>
        <source>that no import takes</source>
        <translation>die kein Import nimmt</translation>
    </message>
    <message>
        <source>that no message shows</source>
        <translation>die keine Nachricht zeigt</translation>
    </message>
    <message>
        <source>that no note shows</source>
        <translation>die keine Notiz zeigt</translation>
    </message>
    <message>
        <source>that this version does not know</source>
        <translation>die diese Version nicht kennt</translation>
    </message>
    <message>
        <source>the battery is low</source>
        <translation>der Akku ist schwach</translation>
    </message>
    <message>
        <source>the connection is metered</source>
        <translation>die Verbindung ist getaktet</translation>
    </message>
    <message>
        <source>the conversation ‘{title}’</source>
        <translation>die Unterhaltung ‚{title}‘</translation>
    </message>
    <message>
        <source>the default</source>
        <translation>der Standardwert</translation>
    </message>
    <message>
        <source>the digest ‘{title}’</source>
        <translation>die Zusammenfassung ‚{title}‘</translation>
    </message>
    <message>
        <source>the environment variable that {section}.api_key_env names</source>
        <translation>die Umgebungsvariable, die {section}.api_key_env nennt</translation>
    </message>
    <message>
        <source>the environment variable {name}</source>
        <translation>die Umgebungsvariable {name}</translation>
    </message>
    <message>
        <source>the fact ‘{title}’</source>
        <translation>der Fakt ‚{title}‘</translation>
    </message>
    <message>
        <source>the file is cut off in the middle of it</source>
        <translation>die Datei ist mitten darin abgeschnitten</translation>
    </message>
    <message>
        <source>the inbox rule ‘{title}’</source>
        <translation>die Regel des Eingangs ‚{title}‘</translation>
    </message>
    <message>
        <source>the keyring</source>
        <translation>der Schlüsselbund</translation>
    </message>
    <message>
        <source>the memory ‘{title}’</source>
        <translation>die Erinnerung ‚{title}‘</translation>
    </message>
    <message>
        <source>the name ‘{title}’</source>
        <translation>der Name ‚{title}‘</translation>
    </message>
    <message>
        <source>the names differ in one letter</source>
        <translation>die Namen unterscheiden sich in einem Buchstaben</translation>
    </message>
    <message>
        <source>the names differ only in a title</source>
        <translation>die Namen unterscheiden sich nur in einem Titel</translation>
    </message>
    <message>
        <source>the names differ only in accents, dots or hyphens</source>
        <translation>die Namen unterscheiden sich nur in Akzenten, Punkten oder Bindestrichen</translation>
    </message>
    <message>
        <source>the names differ only in words such as Inc. or The</source>
        <translation>die Namen unterscheiden sich nur in Wörtern wie Inc. oder The</translation>
    </message>
    <message>
        <source>the note ‘{title}’</source>
        <translation>die Notiz ‚{title}‘</translation>
    </message>
    <message>
        <source>the observation ‘{title}’</source>
        <translation>die Beobachtung ‚{title}‘</translation>
    </message>
    <message>
        <source>the proposal ‘{title}’</source>
        <translation>der Vorschlag ‚{title}‘</translation>
    </message>
    <message>
        <source>the reflection ‘{title}’</source>
        <translation>der Rückblick ‚{title}‘</translation>
    </message>
    <message>
        <source>the same words in another order</source>
        <translation>dieselben Wörter in anderer Reihenfolge</translation>
    </message>
    <message>
        <source>the saved search ‘{title}’</source>
        <translation>die gespeicherte Suche ‚{title}‘</translation>
    </message>
    <message>
        <source>the schedule ‘{title}’</source>
        <translation>der Zeitplan ‚{title}‘</translation>
    </message>
    <message>
        <source>the text ‘{title}’</source>
        <translation>der Text ‚{title}‘</translation>
    </message>
    <message>
        <source>the value from the command line</source>
        <translation>der Wert von der Befehlszeile</translation>
    </message>
    <message>
        <source>the value in config.toml</source>
        <translation>der Wert in config.toml</translation>
    </message>
    <message>
        <source>the value in the environment</source>
        <translation>der Wert in der Umgebung</translation>
    </message>
    <message>
        <source>time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>times</source>
        <translation>Zeiten</translation>
    </message>
    <message>
        <source>title</source>
        <translation>Titel</translation>
    </message>
    <message>
        <source>to the archive</source>
        <translation>ins Archiv</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true oder false</translation>
    </message>
    <message>
        <source>trust</source>
        <translation>Vertrauen</translation>
    </message>
    <message>
        <source>turn</source>
        <translation>Runde</translation>
    </message>
    <message>
        <source>turns</source>
        <translation>Runden</translation>
    </message>
    <message>
        <source>type</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>until when it holds</source>
        <translation>bis wann es gilt</translation>
    </message>
    <message>
        <source>until when it is kept</source>
        <translation>bis wann es bleibt</translation>
    </message>
    <message>
        <source>updated {items}</source>
        <translation>aktualisiert: {items}</translation>
    </message>
    <message>
        <source>url</source>
        <translation>Webadresse</translation>
    </message>
    <message>
        <source>were left out</source>
        <translation>blieb weg</translation>
    </message>
    <message>
        <source>what a conversation was about could not be written</source>
        <translation>wovon eine Unterhaltung handelte, ließ sich nicht schreiben</translation>
    </message>
    <message>
        <source>what is remembered of a conversation could not be looked up</source>
        <translation>was von einer Unterhaltung behalten wird, ließ sich nicht nachschlagen</translation>
    </message>
    <message>
        <source>what it was merged into</source>
        <translation>womit es zusammengeführt wurde</translation>
    </message>
    <message>
        <source>what took its place</source>
        <translation>was an seine Stelle trat</translation>
    </message>
    <message>
        <source>who may see it</source>
        <translation>wer es sehen darf</translation>
    </message>
    <message>
        <source>with lists, settings or a copy of the conversations,</source>
        <translation>mit Listen, Einstellungen oder einer Kopie der Unterhaltungen</translation>
    </message>
    <message>
        <source>with ratings of answers, and remarks on them,</source>
        <translation>mit Bewertungen von Antworten und Anmerkungen dazu</translation>
    </message>
    <message>
        <source>within it</source>
        <translation>darin</translation>
    </message>
    <message>
        <source>without contents</source>
        <translation>ohne Inhalt</translation>
    </message>
    <message>
        <source>wording</source>
        <translation>Wortlaut</translation>
    </message>
    <message>
        <source>you are typing</source>
        <translation>du tippst gerade</translation>
    </message>
    <message>
        <source>zip file</source>
        <translation>ZIP-Datei</translation>
    </message>
    <message>
        <source>zip files</source>
        <translation>ZIP-Dateien</translation>
    </message>
    <message>
        <source>{agent} has not called.</source>
        <translation>{agent} hat nichts aufgerufen.</translation>
    </message>
    <message>
        <source>{agent} has {trust} trust and stores in {allowed}.</source>
        <translation>{agent} hat Vertrauen der Stufe {trust} und speichert in {allowed}.</translation>
    </message>
    <message>
        <source>{agent}, who made this schedule, has no access any more.</source>
        <translation>{agent}, von dem dieser Zeitplan stammt, hat keinen Zugang mehr.</translation>
    </message>
    <message>
        <source>{client} has an entry named &apos;{entry}&apos; already, in {path}. Remove it first.</source>
        <translation>{client} hat in {path} schon einen Eintrag „{entry}“. Entferne ihn zuerst.</translation>
    </message>
    <message>
        <source>{client} has no hooks. Leave out --hooks; its transcripts can be watched instead.</source>
        <translation>{client} hat keine Hooks. Lass --hooks weg; seine Mitschriften können stattdessen verfolgt werden.</translation>
    </message>
    <message>
        <source>{client} is connected already. Disconnect it first (&apos;keepsake agent disconnect {client_name}&apos;).</source>
        <translation>{client} ist schon verbunden. Trenne es zuerst („keepsake agent disconnect {client_name}“).</translation>
    </message>
    <message>
        <source>{count} Markdown files</source>
        <translation>{count} Markdown-Dateien</translation>
    </message>
    <message>
        <source>{count} agents or conversations store mostly what is deleted or rejected.</source>
        <translation>{count} Agenten oder Gespräche speichern meist, was gelöscht oder abgelehnt wird.</translation>
    </message>
    <message>
        <source>{count} agents try to store again what they have just recalled.</source>
        <translation>{count} Agenten wollen wieder speichern, was sie gerade abgerufen haben.</translation>
    </message>
    <message>
        <source>{count} attached files that no note shows were left out.</source>
        <translation>{count} angehängte Dateien, die keine Notiz zeigt, blieben weg.</translation>
    </message>
    <message>
        <source>{count} attachments of the folder {root} were left out.</source>
        <translation>{count} Anhänge des Ordners {root} wurden ausgelassen.</translation>
    </message>
    <message>
        <source>{count} calls were lost.</source>
        <translation>{count} Aufrufe gingen verloren.</translation>
    </message>
    <message>
        <source>{count} conversations wait for it.</source>
        <translation>{count} Unterhaltungen warten darauf.</translation>
    </message>
    <message>
        <source>{count} conversations wait for the language model: {why}</source>
        <translation>{count} Unterhaltungen warten auf das Sprachmodell: {why}</translation>
    </message>
    <message>
        <source>{count} days</source>
        <translation>{count} Tage</translation>
    </message>
    <message>
        <source>{count} digests</source>
        <translation>{count} Zusammenfassungen</translation>
    </message>
    <message>
        <source>{count} encrypted passages were left out. Decrypt the text in Evernote, and export the note again.</source>
        <translation>{count} verschlüsselte Passagen blieben weg. Entschlüssele den Text in Evernote, und exportiere die Notiz noch einmal.</translation>
    </message>
    <message>
        <source>{count} entities are mentioned nowhere.</source>
        <translation>{count} Namen werden nirgends erwähnt.</translation>
    </message>
    <message>
        <source>{count} entries of other Google products were left out.</source>
        <translation>{count} Einträge anderer Google-Produkte blieben weg.</translation>
    </message>
    <message>
        <source>{count} facts</source>
        <translation>{count} Fakten</translation>
    </message>
    <message>
        <source>{count} facts are stale.</source>
        <translation>{count} Fakten sind veraltet.</translation>
    </message>
    <message>
        <source>{count} facts contradict others of the same category and key.</source>
        <translation>{count} Fakten widersprechen anderen derselben Kategorie und desselben Schlüssels.</translation>
    </message>
    <message>
        <source>{count} faded facts are kept for now, because a run and a month may set aside only a share of the facts.</source>
        <translation>{count} verblasste Fakten bleiben vorerst, weil ein Lauf und ein Monat nur einen Teil der Fakten beiseitelegen dürfen.</translation>
    </message>
    <message>
        <source>{count} files</source>
        <translation>{count} Dateien</translation>
    </message>
    <message>
        <source>{count} files of the archive are none of Joplin&apos;s and were left out.</source>
        <translation>{count} Dateien des Archivs stammen nicht von Joplin und blieben weg.</translation>
    </message>
    <message>
        <source>{count} files of the folder {root} cannot be read.</source>
        <translation>{count} Dateien im Ordner {root} sind nicht lesbar.</translation>
    </message>
    <message>
        <source>{count} files that are no ENEX were left out.</source>
        <translation>{count} Dateien, die kein ENEX sind, blieben weg.</translation>
    </message>
    <message>
        <source>{count} files that are not Markdown were left out ({kinds}).</source>
        <translation>{count} Dateien, die kein Markdown sind, blieben weg ({kinds}).</translation>
    </message>
    <message>
        <source>{count} files that belong to no note were left out.</source>
        <translation>{count} Dateien, die zu keiner Notiz gehören, blieben weg.</translation>
    </message>
    <message>
        <source>{count} files that no page shows were left out.</source>
        <translation>{count} Dateien, die keine Seite zeigt, blieben weg.</translation>
    </message>
    <message>
        <source>{count} for you to decide in the inbox</source>
        <translation>{count} zur Entscheidung im Eingang</translation>
    </message>
    <message>
        <source>{count} hidden folders were left out ({names}).</source>
        <translation>{count} verborgene Ordner blieben weg ({names}).</translation>
    </message>
    <message>
        <source>{count} known already</source>
        <translation>{count} schon bekannt</translation>
    </message>
    <message>
        <source>{count} later changes were undone before that, the last of them {last}, and can be done again.</source>
        <translation>Zuvor wurden {count} spätere Änderungen rückgängig gemacht, zuletzt {last}; sie lassen sich wiederherstellen.</translation>
    </message>
    <message>
        <source>{count} memories and messages have passwords or keys in clear.</source>
        <translation>{count} Erinnerungen und Nachrichten enthalten Passwörter oder Schlüssel im Klartext.</translation>
    </message>
    <message>
        <source>{count} memories say nothing beyond another one.</source>
        <translation>{count} Erinnerungen sagen nichts, was nicht schon eine andere sagt.</translation>
    </message>
    <message>
        <source>{count} mentions of people and things stand in texts that are gone.</source>
        <translation>{count} Erwähnungen von Personen und Sachen stehen in Texten, die es nicht mehr gibt.</translation>
    </message>
    <message>
        <source>{count} messages</source>
        <translation>{count} Nachrichten</translation>
    </message>
    <message>
        <source>{count} messages cannot be found by search.</source>
        <translation>{count} Nachrichten lassen sich durch Suche nicht finden.</translation>
    </message>
    <message>
        <source>{count} messages could not be stored in the background. The last reason: {last}</source>
        <translation>{count} Nachrichten ließen sich im Hintergrund nicht speichern. Der letzte Grund: {last}</translation>
    </message>
    <message>
        <source>{count} messages have no date; the time of the import stands in its place.</source>
        <translation>{count} Nachrichten haben kein Datum; an seiner Stelle steht die Zeit des Imports.</translation>
    </message>
    <message>
        <source>{count} more files hold words and were left out.</source>
        <translation>{count} weitere Dateien enthalten Text und blieben weg.</translation>
    </message>
    <message>
        <source>{count} more lines begin with a date and a time and were read as part of a message.</source>
        <translation>{count} weitere Zeilen beginnen mit Datum und Uhrzeit und wurden als Teil einer Nachricht gelesen.</translation>
    </message>
    <message>
        <source>{count} new facts</source>
        <translation>{count} neue Fakten</translation>
    </message>
    <message>
        <source>{count} notes are missing from the folder {root} at once, so none was moved to the trash. Put the files back, or delete the notes here.</source>
        <translation>{count} Notizen fehlen auf einmal im Ordner {root}, darum wurde keine in den Papierkorb verschoben. Lege die Dateien zurück, oder lösche die Notizen hier.</translation>
    </message>
    <message>
        <source>{count} notes cannot be found by search.</source>
        <translation>{count} Notizen lassen sich durch Suche nicht finden.</translation>
    </message>
    <message>
        <source>{count} notes of the folder {root} could not be mirrored: {reason}</source>
        <translation>{count} Notizen im Ordner {root} ließen sich nicht spiegeln: {reason}</translation>
    </message>
    <message>
        <source>{count} notes of the folder {root} were deleted here at once, so their files were left there. Restore the notes, or delete the files.</source>
        <translation>{count} Notizen des Ordners {root} wurden hier auf einmal gelöscht, darum blieben ihre Dateien dort. Stelle die Notizen wieder her, oder lösche die Dateien.</translation>
    </message>
    <message>
        <source>{count} observations into one digest</source>
        <translation>{count} Beobachtungen in eine Zusammenfassung</translation>
    </message>
    <message>
        <source>{count} of its observations are no texts and were left out.</source>
        <translation>{count} seiner Beobachtungen sind keine Texte und blieben weg.</translation>
    </message>
    <message>
        <source>{count} of them against an older one</source>
        <translation>davon {count} gegen einen älteren</translation>
    </message>
    <message>
        <source>{count} pages have no text, such as scanned pages.</source>
        <translation>{count} Seiten haben keinen Text, wie gescannte Seiten.</translation>
    </message>
    <message>
        <source>{count} pictures were left out.</source>
        <translation>{count} Bilder blieben weg.</translation>
    </message>
    <message>
        <source>{count} places in it were not valid UTF-8 and were replaced with �.</source>
        <translation>{count} Stellen darin waren kein gültiges UTF-8 und wurden durch � ersetzt.</translation>
    </message>
    <message>
        <source>{count} private texts are not sent to the embedding service and found by words only; the setting embedding.send_private changes that.</source>
        <translation>{count} private Texte werden nicht an den Embedding-Dienst gesendet und nur über Wörter gefunden; die Einstellung embedding.send_private ändert das.</translation>
    </message>
    <message>
        <source>{count} search entries belong to nothing.</source>
        <translation>{count} Sucheinträge gehören zu nichts.</translation>
    </message>
    <message>
        <source>{count} search entries have no vector and wait for none.</source>
        <translation>{count} Sucheinträge haben keinen Vektor und warten auf keinen.</translation>
    </message>
    <message>
        <source>{count} search entries lack their number of words, which search ranks by.</source>
        <translation>{count} Sucheinträgen fehlt die Wortzahl, nach der die Suche ordnet.</translation>
    </message>
    <message>
        <source>{count} sentences without sources left out.</source>
        <translation>{count} Sätze ohne Quellen wurden weggelassen.</translation>
    </message>
    <message>
        <source>{count} sessions lack the note of how far they are.</source>
        <translation>{count} Unterhaltungen fehlt der Vermerk, wie weit sie sind.</translation>
    </message>
    <message>
        <source>{count} texts are not yet indexed for search by meaning.</source>
        <translation>{count} Texte sind noch nicht für die Suche nach Bedeutung erfasst.</translation>
    </message>
    <message>
        <source>{count} texts that are gone wait to be read for names.</source>
        <translation>{count} Texte, die es nicht mehr gibt, warten noch auf das Erkennen von Namen.</translation>
    </message>
    <message>
        <source>{count} that newer ones had overtaken</source>
        <translation>{count}, die von neueren überholt waren</translation>
    </message>
    <message>
        <source>{count} transcripts</source>
        <translation>{count} Mitschriften</translation>
    </message>
    <message>
        <source>{count} vectors belong to nothing.</source>
        <translation>{count} Vektoren gehören zu nichts.</translation>
    </message>
    <message>
        <source>{count} views of databases were left out; the whole tables hold their rows.</source>
        <translation>{count} Ansichten von Datenbanken blieben weg; die ganzen Tabellen enthalten ihre Zeilen.</translation>
    </message>
    <message>
        <source>{count} were set aside.</source>
        <translation>{count} wurden beiseitegelegt.</translation>
    </message>
    <message>
        <source>{count} would be set aside.</source>
        <translation>{count} würden beiseitegelegt.</translation>
    </message>
    <message>
        <source>{count} {things} hold words {where} that this version does not know; they {end}, here: {sample}.</source>
        <translation>{count} {things} enthalten {where} Text, den diese Version nicht kennt; er {end}, hier: {sample}.</translation>
    </message>
    <message>
        <source>{count} {things} were left out ({names}).</source>
        <translation>{count} {things} blieben weg ({names}).</translation>
    </message>
    <message>
        <source>{ended} &apos;{operation}&apos; may or may not have been done. Look before you repeat it.</source>
        <translation>{ended} Ob „{operation}“ noch ausgeführt wurde, ist offen. Sieh nach, bevor du es wiederholst.</translation>
    </message>
    <message>
        <source>{file} does not hold the key of {database}, or the beginning of that file is damaged. Nothing was changed. Bring both back from one copy of the folder.</source>
        <translation>{file} enthält nicht den Schlüssel von {database}, oder der Anfang jener Datei ist beschädigt. Nichts wurde geändert. Hole beide aus ein und derselben Kopie des Ordners zurück.</translation>
    </message>
    <message>
        <source>{file} has &apos;{old}&apos;, which has no effect beside &apos;{new}&apos;, its new name.</source>
        <translation>{file} enthält „{old}“, das neben seinem neuen Namen „{new}“ nicht wirkt.</translation>
    </message>
    <message>
        <source>{file} has &apos;{old}&apos;, which is now called &apos;{new}&apos;. It still works.</source>
        <translation>{file} enthält „{old}“, das jetzt „{new}“ heißt. Es wirkt noch.</translation>
    </message>
    <message>
        <source>{file} has the section {shown}, which has no effect.</source>
        <translation>{file} enthält den Abschnitt {shown}, der nicht wirkt.</translation>
    </message>
    <message>
        <source>{file} has the setting {shown}, which has no effect.</source>
        <translation>{file} enthält die Einstellung {shown}, die nicht wirkt.</translation>
    </message>
    <message>
        <source>{file} has {shown}, which looks like a secret.</source>
        <translation>{file} enthält {shown}; das sieht nach einem Geheimnis aus.</translation>
    </message>
    <message>
        <source>{file} is missing, and files of these memories are encrypted: it holds their key. Bring it back from a copy of the folder; another passphrase would not open them.</source>
        <translation>{file} fehlt, und Dateien dieser Erinnerungen sind verschlüsselt: Sie enthält deren Schlüssel. Hole sie aus einer Kopie des Ordners zurück; eine andere Passphrase würde sie nicht öffnen.</translation>
    </message>
    <message>
        <source>{file} of these encrypted memories is gone, and its copy too. It holds their key: bring it back from a copy of the folder.</source>
        <translation>{file} dieser verschlüsselten Erinnerungen ist weg, und die Kopie davon auch. Sie enthält deren Schlüssel: Hole sie aus einer Kopie des Ordners zurück.</translation>
    </message>
    <message>
        <source>{folder} holds an earlier export in which {name} was added or changed. Choose another folder.</source>
        <translation>{folder} enthält einen früheren Export, in dem {name} hinzugefügt oder geändert wurde. Wähle einen anderen Ordner.</translation>
    </message>
    <message>
        <source>{folder} holds another file called {name}. Choose another name to export to.</source>
        <translation>{folder} enthält eine andere Datei namens {name}. Wähle einen anderen Namen für den Export.</translation>
    </message>
    <message>
        <source>{folder} holds no {files}, which the model {name} needs.</source>
        <translation>In {folder} fehlt, was das Modell {name} braucht: {files}.</translation>
    </message>
    <message>
        <source>{folder} is not empty and holds no Keepsake export. Choose a new or empty folder.</source>
        <translation>{folder} ist nicht leer und enthält keinen Export von Keepsake. Wähle einen neuen oder leeren Ordner.</translation>
    </message>
    <message>
        <source>{folder} is not finished: something was being salvaged into it. Run &apos;keepsake salvage&apos; again with the same --into, or delete the folder.</source>
        <translation>{folder} ist nicht fertig: Es wurde gerade etwas dorthin gerettet. Führe „keepsake salvage“ mit demselben --into noch einmal aus, oder lösche den Ordner.</translation>
    </message>
    <message>
        <source>{host} answered with {detail}.</source>
        <translation>{host} antwortete mit {detail}.</translation>
    </message>
    <message>
        <source>{host} cannot be reached.</source>
        <translation>{host} ist nicht erreichbar.</translation>
    </message>
    <message>
        <source>{host} did not answer within {seconds} seconds.</source>
        <translation>{host} hat nicht innerhalb von {seconds} Sekunden geantwortet.</translation>
    </message>
    <message>
        <source>{host} is busy (HTTP {status}).</source>
        <translation>{host} ist überlastet (HTTP {status}).</translation>
    </message>
    <message>
        <source>{host} knows no model &apos;{model}&apos;, or llm.base_url is not right (HTTP 404).</source>
        <translation>{host} kennt kein Modell „{model}“, oder llm.base_url stimmt nicht (HTTP 404).</translation>
    </message>
    <message>
        <source>{host} refused the key (HTTP {status}).</source>
        <translation>{host} hat den Schlüssel abgelehnt (HTTP {status}).</translation>
    </message>
    <message>
        <source>{host} refused the request (HTTP {status}).</source>
        <translation>{host} hat die Anfrage abgelehnt (HTTP {status}).</translation>
    </message>
    <message>
        <source>{into} is in use. Name a new or empty folder with --into.</source>
        <translation>{into} wird schon benutzt. Nenne mit --into einen neuen oder leeren Ordner.</translation>
    </message>
    <message>
        <source>{into} lies inside the damaged vault. Name a folder elsewhere with --into.</source>
        <translation>{into} liegt im beschädigten Tresor. Nenne mit --into einen Ordner anderswo.</translation>
    </message>
    <message>
        <source>{key_file} of these memories was changed, and not by Keepsake. Nothing was opened. Put a copy in its place that Keepsake wrote: {copies}/{key_file} in the same folder, or one of an older copy of the folder.</source>
        <translation>{key_file} dieser Erinnerungen wurde geändert, und nicht von Keepsake. Es wurde nichts geöffnet. Ersetze die Datei durch eine Kopie, die Keepsake geschrieben hat: {copies}/{key_file} im selben Ordner, oder die einer älteren Kopie des Ordners.</translation>
    </message>
    <message>
        <source>{max_saved} searches are saved already. Delete one first.</source>
        <translation>{max_saved} Suchen sind schon gespeichert. Lösche zuerst eine.</translation>
    </message>
    <message>
        <source>{max_waiting} of your proposals wait for the person already. Try again when some are decided.</source>
        <translation>{max_waiting} Vorschläge warten schon. Versuch es wieder, wenn einige entschieden sind.</translation>
    </message>
    <message>
        <source>{model} is another model than before; choose it with &apos;embedding.change&apos; to make its vectors anew.</source>
        <translation>{model} ist ein anderes Modell als zuvor; wähle es mit „embedding.change“, um seine Vektoren neu zu erstellen.</translation>
    </message>
    <message>
        <source>{model} is not the model that made its vectors.</source>
        <translation>{model} ist nicht das Modell, das die Vektoren erstellt hat.</translation>
    </message>
    <message>
        <source>{model} is not the same model as before.</source>
        <translation>{model} ist nicht dasselbe Modell wie zuvor.</translation>
    </message>
    <message>
        <source>{model} is not the same model as before; the vectors are made anew.</source>
        <translation>{model} ist nicht dasselbe Modell wie zuvor; die Vektoren werden neu erstellt.</translation>
    </message>
    <message>
        <source>{model} writes the text.</source>
        <translation>{model} schreibt den Text.</translation>
    </message>
    <message>
        <source>{names} and {count} more</source>
        <translation>{names} und {count} weitere</translation>
    </message>
    <message>
        <source>{name} belongs to a Keepsake vault that is open here, and is not imported.</source>
        <translation>{name} gehört zu einem Keepsake-Tresor, der hier geöffnet ist, und wird nicht importiert.</translation>
    </message>
    <message>
        <source>{name} cannot be compared with the vault. {problem}</source>
        <translation>{name} lässt sich nicht mit dem Tresor vergleichen. {problem}</translation>
    </message>
    <message>
        <source>{name} cannot be imported. {problem}</source>
        <translation>{name} lässt sich nicht importieren. {problem}</translation>
    </message>
    <message>
        <source>{name} cannot be restored: {problem} Nothing was changed.</source>
        <translation>{name} lässt sich nicht wiederherstellen: {problem} Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>{name} could be imported until {day}. Ask {sender} for a new one.</source>
        <translation>{name} konnte bis {day} importiert werden. Nötig ist eine neue von {sender}.</translation>
    </message>
    <message>
        <source>{name} could not be read as a database of Cursor. {problem}</source>
        <translation>{name} ist als Datenbank von Cursor nicht lesbar. {problem}</translation>
    </message>
    <message>
        <source>{name} could not be read: {reason}.</source>
        <translation>{name} konnte nicht gelesen werden: {reason}.</translation>
    </message>
    <message>
        <source>{name} has no access any more. Reject what it proposed, or let it in again.</source>
        <translation>{name} hat keinen Zugang mehr. Lehne ab, was er vorgeschlagen hat, oder lass ihn wieder herein.</translation>
    </message>
    <message>
        <source>{name} holds a database that a restore replaced.</source>
        <translation>{name} enthält eine Datenbank, die eine Wiederherstellung ersetzt hat.</translation>
    </message>
    <message>
        <source>{name} holds no text of its own; a program makes what a browser shows. Import its data instead.</source>
        <translation>{name} enthält selbst keinen Text; was ein Browser zeigt, erzeugt erst ein Programm. Importiere stattdessen dessen Daten.</translation>
    </message>
    <message>
        <source>{name} holds no text, as scanned documents do; run it through text recognition (OCR) first.</source>
        <translation>{name} enthält keinen Text, wie gescannte Dokumente; lass zuerst eine Texterkennung (OCR) darüber laufen.</translation>
    </message>
    <message>
        <source>{name} holds the files of a damaged database. Save what is readable of it with &apos;keepsake --vault {path} salvage&apos;.</source>
        <translation>{name} enthält die Dateien einer beschädigten Datenbank. Rette, was lesbar ist, mit „keepsake --vault {path} salvage“.</translation>
    </message>
    <message>
        <source>{name} in the attachments is not encrypted, and these memories are: another program has put it there. It was not read. Move it out of the folder; if you want it, attach it again.</source>
        <translation>{name} unter den Anhängen ist nicht verschlüsselt, diese Erinnerungen aber sind es: Ein anderes Programm hat die Datei dorthin gelegt. Sie wurde nicht gelesen. Verschiebe sie aus dem Ordner; wenn du sie willst, häng sie neu an.</translation>
    </message>
    <message>
        <source>{name} in the backups is no database.</source>
        <translation>{name} unter den Sicherungen ist keine Datenbank.</translation>
    </message>
    <message>
        <source>{name} is a Keepsake vault. {advice}</source>
        <translation>{name} ist ein Keepsake-Tresor. {advice}</translation>
    </message>
    <message>
        <source>{name} is a backup that could not be restored, so the restore was called off.</source>
        <translation>{name} ist eine Sicherung, die sich nicht wiederherstellen ließ; die Wiederherstellung wurde abgesagt.</translation>
    </message>
    <message>
        <source>{name} is empty; there is nothing to import.</source>
        <translation>{name} ist leer; es gibt nichts zu importieren.</translation>
    </message>
    <message>
        <source>{name} is encrypted: it needs the passphrase of its export.</source>
        <translation>{name} ist verschlüsselt: Nötig ist die Passphrase des Exports.</translation>
    </message>
    <message>
        <source>{name} is larger than {most} MB; it was not read.</source>
        <translation>{name} ist größer als {most} MB; es wurde nicht gelesen.</translation>
    </message>
    <message>
        <source>{name} is no Word document: it has no text part.</source>
        <translation>{name} ist kein Word-Dokument: Der Textteil fehlt.</translation>
    </message>
    <message>
        <source>{name} is no complete JEX file; export it again.</source>
        <translation>{name} ist keine vollständige JEX-Datei; exportiere sie noch einmal.</translation>
    </message>
    <message>
        <source>{name} is no complete PDF: it is cut short or damaged.</source>
        <translation>{name} ist keine vollständige PDF-Datei: Sie ist abgeschnitten oder beschädigt.</translation>
    </message>
    <message>
        <source>{name} is not a complete zip file: it is cut short or damaged. Download or copy it again.</source>
        <translation>{name} ist keine vollständige Zip-Datei: Sie ist abgeschnitten oder beschädigt. Lade oder kopiere sie noch einmal.</translation>
    </message>
    <message>
        <source>{name} is not a list, so nothing can be added to it.</source>
        <translation>{name} ist keine Liste, deshalb lässt sich dort nichts einfügen.</translation>
    </message>
    <message>
        <source>{name} is not an object, so nothing can be added to it.</source>
        <translation>{name} ist kein Objekt, deshalb lässt sich dort nichts einfügen.</translation>
    </message>
    <message>
        <source>{name} is not encrypted, and these memories are: another program has put it there.</source>
        <translation>{name} ist nicht verschlüsselt, diese Erinnerungen aber schon: Ein anderes Programm hat sie dort abgelegt.</translation>
    </message>
    <message>
        <source>{name} is not text; it was not read.</source>
        <translation>{name} ist kein Text; es wurde nicht gelesen.</translation>
    </message>
    <message>
        <source>{name} is not valid JSON: {reason}. Nothing was imported.</source>
        <translation>{name} ist kein gültiges JSON: {reason}. Es wurde nichts importiert.</translation>
    </message>
    <message>
        <source>{name} is not what its sender signed: it was changed, or is damaged. Nothing was imported.</source>
        <translation>{name} ist nicht das, was der Absender unterschrieben hat: Es wurde geändert oder ist beschädigt. Es wurde nichts importiert.</translation>
    </message>
    <message>
        <source>{name} is protected with a password. Print or save it as a PDF without one first.</source>
        <translation>{name} ist mit einem Passwort geschützt. Drucke oder speichere es zuerst als PDF ohne Passwort.</translation>
    </message>
    <message>
        <source>{name} is protected with a password. Save it without one first.</source>
        <translation>{name} ist mit einem Passwort geschützt. Speichere es zuerst ohne Passwort.</translation>
    </message>
    <message>
        <source>{name} is protected with a password. Unpack it first, then import the folder.</source>
        <translation>{name} ist mit einem Passwort geschützt. Entpacke es zuerst, und importiere dann den Ordner.</translation>
    </message>
    <message>
        <source>{name} is the database of a Keepsake vault. {advice}</source>
        <translation>{name} ist die Datenbank eines Keepsake-Tresors. {advice}</translation>
    </message>
    <message>
        <source>{name} looks like a copy that a sync program made. Keepsake does not read it.</source>
        <translation>{name} sieht nach einer Kopie aus, die ein Synchronisierungsprogramm angelegt hat. Keepsake liest sie nicht.</translation>
    </message>
    <message>
        <source>{name} reads back differently from what was written: the disk may be failing. Nothing was replaced. Export to another disk.</source>
        <translation>Beim Lesen kam aus {name} etwas anderes zurück, als geschrieben wurde: Vielleicht versagt der Datenträger. Nichts wurde ersetzt. Exportiere auf einen anderen Datenträger.</translation>
    </message>
    <message>
        <source>{name} was made by a newer Keepsake. Update Keepsake to import it.</source>
        <translation>{name} stammt von einem neueren Keepsake. Aktualisiere Keepsake, um es zu importieren.</translation>
    </message>
    <message>
        <source>{name} would swell from {packed} to {swollen} bytes, which no real export does. It was not opened.</source>
        <translation>{name} würde von {packed} auf {swollen} Bytes anwachsen, was kein echter Export tut. Es wurde nicht geöffnet.</translation>
    </message>
    <message>
        <source>{name} would swell to {size} bytes, which is more than Keepsake reads of a document.</source>
        <translation>{name} würde auf {size} Bytes anwachsen; so viel liest Keepsake von einem Dokument nicht.</translation>
    </message>
    <message>
        <source>{name}: does not know the time “{value}”.</source>
        <translation>{name}: kennt die Zeit „{value}“ nicht.</translation>
    </message>
    <message>
        <source>{name}: does not know “{value}”.</source>
        <translation>{name}: kennt „{value}“ nicht.</translation>
    </message>
    <message>
        <source>{name}: needs a value right after the colon to match anything.</source>
        <translation>{name}: braucht gleich nach dem Doppelpunkt einen Wert, um etwas zu finden.</translation>
    </message>
    <message>
        <source>{n} conversations</source>
        <translation>{n} Unterhaltungen</translation>
    </message>
    <message>
        <source>{n} digests</source>
        <translation>{n} Zusammenfassungen</translation>
    </message>
    <message>
        <source>{n} facts</source>
        <translation>{n} Fakten</translation>
    </message>
    <message>
        <source>{n} inbox rules</source>
        <translation>{n} Regeln des Eingangs</translation>
    </message>
    <message>
        <source>{n} memories</source>
        <translation>{n} Erinnerungen</translation>
    </message>
    <message>
        <source>{n} names</source>
        <translation>{n} Namen</translation>
    </message>
    <message>
        <source>{n} notes</source>
        <translation>{n} Notizen</translation>
    </message>
    <message>
        <source>{n} observations</source>
        <translation>{n} Beobachtungen</translation>
    </message>
    <message>
        <source>{n} proposals</source>
        <translation>{n} Vorschläge</translation>
    </message>
    <message>
        <source>{n} reflections</source>
        <translation>{n} Rückblicke</translation>
    </message>
    <message>
        <source>{n} saved searches</source>
        <translation>{n} gespeicherte Suchen</translation>
    </message>
    <message>
        <source>{n} schedules</source>
        <translation>{n} Zeitpläne</translation>
    </message>
    <message>
        <source>{n} texts</source>
        <translation>{n} Texte</translation>
    </message>
    <message>
        <source>{path} cannot be read. {reason}</source>
        <translation>{path} ist nicht lesbar. {reason}</translation>
    </message>
    <message>
        <source>{path} cannot be used: {strerror}.</source>
        <translation>{path} lässt sich nicht verwenden: {strerror}.</translation>
    </message>
    <message>
        <source>{path} cannot be written. Choose another folder.</source>
        <translation>{path} lässt sich nicht schreiben. Wähle einen anderen Ordner.</translation>
    </message>
    <message>
        <source>{path} cannot be written: {strerror}.</source>
        <translation>{path} lässt sich nicht beschreiben: {strerror}.</translation>
    </message>
    <message>
        <source>{path} could not be read: {reason}.</source>
        <translation>{path} konnte nicht gelesen werden: {reason}.</translation>
    </message>
    <message>
        <source>{path} could not be written: {reason}.</source>
        <translation>{path} konnte nicht geschrieben werden: {reason}.</translation>
    </message>
    <message>
        <source>{path} could not be written: {strerror}.</source>
        <translation>{path} konnte nicht geschrieben werden: {strerror}.</translation>
    </message>
    <message>
        <source>{path} does not hold what your machines share. Connect the disk, or wait until the folder is complete.</source>
        <translation>{path} enthält nicht, was deine Rechner teilen. Schließe den Datenträger an, oder warte, bis der Ordner vollständig ist.</translation>
    </message>
    <message>
        <source>{path} has {size} bytes, which no configuration has. Nothing was changed.</source>
        <translation>{path} ist {size} Bytes groß, so groß ist keine Konfiguration. Es wurde nichts geändert.</translation>
    </message>
    <message>
        <source>{path} holds something else and was not overwritten. Choose another name.</source>
        <translation>{path} enthält etwas anderes und wurde nicht überschrieben. Wähle einen anderen Namen.</translation>
    </message>
    <message>
        <source>{path} is a file. Name a folder to export to.</source>
        <translation>{path} ist eine Datei. Nenne einen Ordner für den Export.</translation>
    </message>
    <message>
        <source>{path} is a folder. Name a file to export to, such as keepsake.jsonl.</source>
        <translation>{path} ist ein Ordner. Nenne eine Datei für den Export, etwa keepsake.jsonl.</translation>
    </message>
    <message>
        <source>{path} is a link that leads nowhere. Nothing was changed.</source>
        <translation>{path} ist eine Verknüpfung, die ins Leere führt. Es wurde nichts geändert.</translation>
    </message>
    <message>
        <source>{path} is damaged. It holds the key of these memories: bring it back from a copy of the folder.</source>
        <translation>{path} ist beschädigt. Darin liegt der Schlüssel dieser Erinnerungen: Hole die Datei aus einer Kopie des Ordners zurück.</translation>
    </message>
    <message>
        <source>{path} is damaged. Quit Keepsake if it runs, and start it again.</source>
        <translation>{path} ist beschädigt. Beende Keepsake, falls es läuft, und starte es wieder.</translation>
    </message>
    <message>
        <source>{path} is damaged. Remove it, and the entries named &apos;keepsake&apos; by hand.</source>
        <translation>{path} ist beschädigt. Entferne die Datei und die Einträge namens „keepsake“ von Hand.</translation>
    </message>
    <message>
        <source>{path} is empty</source>
        <translation>{path} ist leer</translation>
    </message>
    <message>
        <source>{path} is encrypted, and its vault is not.</source>
        <translation>{path} ist verschlüsselt, ihr Tresor aber nicht.</translation>
    </message>
    <message>
        <source>{path} is gone already.</source>
        <translation>{path} ist schon weg.</translation>
    </message>
    <message>
        <source>{path} is larger than any file that Keepsake keeps there.</source>
        <translation>{path} ist größer als jede Datei, die Keepsake dort ablegt.</translation>
    </message>
    <message>
        <source>{path} is neither a file nor a folder. Choose one of these.</source>
        <translation>{path} ist weder eine Datei noch ein Ordner. Wähle eines davon.</translation>
    </message>
    <message>
        <source>{path} is not UTF-8 but {encoding}. Nothing was changed. Add the entry yourself.</source>
        <translation>{path} ist nicht UTF-8, sondern {encoding}. Es wurde nichts geändert. Füge den Eintrag selbst ein.</translation>
    </message>
    <message>
        <source>{path} is not a JSON object.</source>
        <translation>{path} ist kein JSON-Objekt.</translation>
    </message>
    <message>
        <source>{path} is not a file. Nothing was changed.</source>
        <translation>{path} ist keine Datei. Es wurde nichts geändert.</translation>
    </message>
    <message>
        <source>{path} is not encrypted, and these memories are: another program has put it there. Nothing was read from it or written to it. Move it out of the folder and put the encrypted one back; a plain copy that you trust is taken over with &apos;keepsake backup restore&apos; and its path.</source>
        <translation>{path} ist nicht verschlüsselt, diese Erinnerungen aber schon: Ein anderes Programm hat die Datei dort abgelegt. Es wurde nichts davon gelesen und nichts hineingeschrieben. Verschiebe sie aus dem Ordner, und lege die verschlüsselte zurück; eine unverschlüsselte Kopie, der du vertraust, übernimmst du mit „keepsake backup restore“ und ihrem Pfad.</translation>
    </message>
    <message>
        <source>{path} is not text. Nothing was changed. Add the entry yourself.</source>
        <translation>{path} ist kein Text. Es wurde nichts geändert. Füge den Eintrag selbst ein.</translation>
    </message>
    <message>
        <source>{path} is not there</source>
        <translation>{path} ist nicht da</translation>
    </message>
    <message>
        <source>{path} is read-only. Make it writable, or add the entry yourself.</source>
        <translation>{path} ist schreibgeschützt. Hebe den Schutz auf, oder füge den Eintrag selbst ein.</translation>
    </message>
    <message>
        <source>{path} is shared by more than one vault. Name another folder, or remove one of them.</source>
        <translation>{path} wird von mehr als einem Tresor geteilt. Nenne einen anderen Ordner, oder entferne einen davon.</translation>
    </message>
    <message>
        <source>{path} is written in a way that cannot be changed safely. Add the entry yourself.</source>
        <translation>{path} ist so geschrieben, dass es sich nicht sicher ändern lässt. Füge den Eintrag selbst ein.</translation>
    </message>
    <message>
        <source>{path} was changed by another program meanwhile. Try again.</source>
        <translation>{path} wurde inzwischen von einem anderen Programm geändert. Versuche es noch einmal.</translation>
    </message>
    <message>
        <source>{path} {what}. Correct it or move it away.</source>
        <translation>{path} {what}. Berichtige die Datei oder leg sie woanders hin.</translation>
    </message>
    <message>
        <source>{place} cannot be written.</source>
        <translation>{place} lässt sich nicht schreiben.</translation>
    </message>
    <message>
        <source>{problem}, or the account has nothing left to spend</source>
        <translation>{problem}, oder das Guthaben ist verbraucht</translation>
    </message>
    <message>
        <source>{problem}; results keep their original order.</source>
        <translation>{problem}; die Ergebnisse behalten ihre Reihenfolge.</translation>
    </message>
    <message>
        <source>{problem}; search goes on by words, and it is tried again later.</source>
        <translation>{problem}; gesucht wird weiter nach Wörtern, und später wird es noch einmal versucht.</translation>
    </message>
    <message>
        <source>{provider} needs the address of the service; set embedding.base_url.</source>
        <translation>{provider} braucht die Adresse des Dienstes; stelle embedding.base_url ein.</translation>
    </message>
    <message>
        <source>{reason} It is not known whether this call was carried out; look before you repeat it.</source>
        <translation>{reason} Ob dieser Aufruf ausgeführt wurde, ist nicht bekannt; sieh nach, bevor du ihn wiederholst.</translation>
    </message>
    <message>
        <source>{reason} It is tried again soon.</source>
        <translation>{reason} Bald wird es noch einmal versucht.</translation>
    </message>
    <message>
        <source>{section}.base_url is not an address; one looks like https://example.org/v1.</source>
        <translation>{section}.base_url ist keine Adresse; eine Adresse sieht so aus: https://example.org/v1.</translation>
    </message>
    <message>
        <source>{sentence} &apos;keepsake config check&apos; says more.</source>
        <translation>{sentence} „keepsake config check“ sagt mehr.</translation>
    </message>
    <message>
        <source>{sentence} It cannot be attached.</source>
        <translation>{sentence} Sie lässt sich nicht anhängen.</translation>
    </message>
    <message>
        <source>{server} cannot be reached. See whether this machine is online and the address is right; nothing is lost meanwhile.</source>
        <translation>{server} ist nicht erreichbar. Sieh nach, ob dieser Rechner online ist und die Adresse stimmt; bis dahin geht nichts verloren.</translation>
    </message>
    <message>
        <source>{server} did not answer in time. It is tried again by itself; nothing is lost meanwhile.</source>
        <translation>{server} hat nicht rechtzeitig geantwortet. Es wird von selbst erneut versucht; bis dahin geht nichts verloren.</translation>
    </message>
    <message>
        <source>{server} did not keep a file that it took. See whether the address is right; nothing is lost meanwhile.</source>
        <translation>{server} hat eine Datei angenommen, aber nicht behalten. Sieh nach, ob die Adresse stimmt; bis dahin geht nichts verloren.</translation>
    </message>
    <message>
        <source>{server} does not accept the key or its secret. Correct them in the address.</source>
        <translation>{server} akzeptiert den Schlüssel oder sein Geheimnis nicht. Berichtige sie in der Adresse.</translation>
    </message>
    <message>
        <source>{server} does not accept the name or the password. Correct them in the address; where the server asks for a second factor, make a password for apps there.</source>
        <translation>{server} akzeptiert den Namen oder das Passwort nicht. Berichtige sie in der Adresse; verlangt der Server einen zweiten Faktor, leg dort ein App-Passwort an.</translation>
    </message>
    <message>
        <source>{server} does not hold what your machines share: the folder is another one, or was emptied.</source>
        <translation>{server} enthält nicht, was deine Rechner teilen: Der Ordner ist ein anderer, oder er wurde geleert.</translation>
    </message>
    <message>
        <source>{server} does not let this key do that in the bucket. Allow it to list, read, write and remove there, or name another bucket.</source>
        <translation>{server} erlaubt diesem Schlüssel das in dem Bucket nicht. Erlaube ihm dort, aufzulisten, zu lesen, zu schreiben und zu löschen, oder nenne einen anderen Bucket.</translation>
    </message>
    <message>
        <source>{server} does not let this name do that in the folder. Allow it to read and write there, or name another folder.</source>
        <translation>{server} erlaubt diesem Namen das in dem Ordner nicht. Gib ihm dort Lese- und Schreibrechte, oder nenne einen anderen Ordner.</translation>
    </message>
    <message>
        <source>{server} does not speak S3 at that address. See whether the endpoint in the address is right.</source>
        <translation>{server} spricht unter dieser Adresse kein S3. Sieh nach, ob der Endpunkt in der Adresse stimmt.</translation>
    </message>
    <message>
        <source>{server} does not speak WebDAV at that address. Copy the address for WebDAV from the settings of the server.</source>
        <translation>{server} spricht unter dieser Adresse kein WebDAV. Kopiere die WebDAV-Adresse aus den Einstellungen des Servers.</translation>
    </message>
    <message>
        <source>{server} has no room left for you. Make room there; nothing is lost meanwhile.</source>
        <translation>Auf {server} ist für dich kein Platz mehr. Schaff dort Platz; bis dahin geht nichts verloren.</translation>
    </message>
    <message>
        <source>{server} has no such bucket. Make it there first, and see whether the address is right.</source>
        <translation>Auf {server} gibt es diesen Bucket nicht. Leg ihn dort zuerst an, und sieh nach, ob die Adresse stimmt.</translation>
    </message>
    <message>
        <source>{server} has no such folder. Make it there first, and see whether the address is right.</source>
        <translation>Auf {server} gibt es diesen Ordner nicht. Leg ihn dort zuerst an, und sieh nach, ob die Adresse stimmt.</translation>
    </message>
    <message>
        <source>{server} refers to another address on {other}, to which Keepsake sends no password. Name that address if it is the right one.</source>
        <translation>{server} verweist auf eine andere Adresse auf {other}, an die Keepsake kein Passwort sendet. Nenne jene Adresse, wenn sie die richtige ist.</translation>
    </message>
    <message>
        <source>{server} sent an unexpected answer (status {status}). See whether the address is right.</source>
        <translation>{server} hat unerwartet geantwortet (Status {status}). Sieh nach, ob die Adresse stimmt.</translation>
    </message>
    <message>
        <source>{server} sent far more than was requested, so nothing of it was read. See whether the address is right.</source>
        <translation>{server} hat weit mehr gesendet als verlangt, darum wurde nichts davon gelesen. Sieh nach, ob die Adresse stimmt.</translation>
    </message>
    <message>
        <source>{server} takes no file of that size. Allow larger ones there; nothing is lost meanwhile.</source>
        <translation>{server} nimmt keine Datei dieser Größe an. Erlaube dort größere; bis dahin geht nichts verloren.</translation>
    </message>
    <message>
        <source>{server} takes no requests at the moment (status {status}). It is tried again by itself; nothing is lost meanwhile.</source>
        <translation>{server} nimmt zurzeit keine Anfragen an (Status {status}). Es wird von selbst erneut versucht; bis dahin geht nichts verloren.</translation>
    </message>
    <message>
        <source>{service} cannot be reached ({reason})</source>
        <translation>{service} ist nicht erreichbar ({reason})</translation>
    </message>
    <message>
        <source>{service} does not answer in time</source>
        <translation>{service} antwortet nicht rechtzeitig</translation>
    </message>
    <message>
        <source>{service} fails (status {status}); search goes on by words, and it is tried again later.</source>
        <translation>{service} hat einen Fehler (Status {status}); gesucht wird weiter nach Wörtern, und später wird es noch einmal versucht.</translation>
    </message>
    <message>
        <source>{service} knows no such model, or its address is wrong; check embedding.model.</source>
        <translation>{service} kennt dieses Modell nicht, oder die Adresse ist falsch; prüfe embedding.model.</translation>
    </message>
    <message>
        <source>{service} needs a key; set one.</source>
        <translation>{service} braucht einen Schlüssel; gib einen an.</translation>
    </message>
    <message>
        <source>{service} redirects to another address (status {status}), to which Keepsake sends nothing; check embedding.base_url.</source>
        <translation>{service} leitet auf eine andere Adresse um (Status {status}), an die Keepsake nichts sendet; prüfe embedding.base_url.</translation>
    </message>
    <message>
        <source>{service} refuses the key in {place}; check it.</source>
        <translation>{service} lehnt den Schlüssel ab; prüfe ihn (Quelle: {place}).</translation>
    </message>
    <message>
        <source>{service} refuses the request (status {status}); check embedding.model and its settings.</source>
        <translation>{service} lehnt die Anfrage ab (Status {status}); prüfe embedding.model und dessen Einstellungen.</translation>
    </message>
    <message>
        <source>{service} sent an unexpected response (status {status})</source>
        <translation>{service} hat unerwartet geantwortet (Status {status})</translation>
    </message>
    <message>
        <source>{service} sent far more than was requested</source>
        <translation>{service} hat weit mehr gesendet als angefragt</translation>
    </message>
    <message>
        <source>{service} sent something other than a list of vectors; check embedding.model and its address.</source>
        <translation>{service} hat etwas anderes als eine Liste von Vektoren gesendet; prüfe embedding.model und die Adresse.</translation>
    </message>
    <message>
        <source>{service} sent vectors of {odd} numbers, not of {width}; set embedding.dimensions to what the model gives, or choose another model.</source>
        <translation>{service} hat Vektoren mit {odd} statt {width} Zahlen gesendet; setze embedding.dimensions auf das, was das Modell liefert, oder wähle ein anderes Modell.</translation>
    </message>
    <message>
        <source>{service} shows no certificate that this machine trusts, so nothing was sent. See whether its address is right; the variable SSL_CERT_FILE names a file of certificates to trust.</source>
        <translation>{service} zeigt kein Zertifikat, dem dieser Rechner vertraut; deshalb wurde nichts gesendet. Prüfe, ob die Adresse stimmt; die Variable SSL_CERT_FILE nennt eine Datei mit Zertifikaten, denen vertraut wird.</translation>
    </message>
    <message>
        <source>{service} takes no requests at the moment (status {status})</source>
        <translation>{service} nimmt im Moment keine Anfragen an (Status {status})</translation>
    </message>
    <message>
        <source>{state} is called {clean} too. Merge the two, or split that name off first.</source>
        <translation>{state} heißt auch {clean}. Führe beide zusammen, oder trenn diesen Namen zuerst ab.</translation>
    </message>
    <message>
        <source>{state}, although this vault was in use. Nothing was changed. &apos;keepsake backup list&apos; shows what can be restored. To begin anew, move the whole folder away.</source>
        <translation>{state}, obwohl dieser Tresor benutzt wurde. Nichts wurde geändert. „keepsake backup list“ zeigt, was sich wiederherstellen lässt. Um neu zu beginnen, verschiebe den ganzen Ordner.</translation>
    </message>
    <message>
        <source>{state}, so there is nothing to salvage. &apos;keepsake backup list&apos; shows the backups.</source>
        <translation>{state}, also gibt es nichts zu retten. „keepsake backup list“ zeigt die Sicherungen.</translation>
    </message>
    <message>
        <source>{thing} was brought back since.</source>
        <translation>{thing} wurde seither zurückgeholt.</translation>
    </message>
    <message>
        <source>{thing} was changed again since ({fields}).</source>
        <translation>{thing} wurde seither wieder geändert ({fields}).</translation>
    </message>
    <message>
        <source>{thing} was changed and changed back since.</source>
        <translation>{thing} wurde seither geändert und zurückgeändert.</translation>
    </message>
    <message>
        <source>{thing} was deleted since.</source>
        <translation>{thing} wurde seither gelöscht.</translation>
    </message>
    <message>
        <source>{thing} was put into the archive since. Bring it back first.</source>
        <translation>{thing} wurde seither archiviert. Zuerst muss es zurückgeholt werden.</translation>
    </message>
    <message>
        <source>{thing} went on since. It stays, with all that was said in it.</source>
        <translation>{thing} ging seither weiter. Alles, was darin gesagt wurde, bleibt.</translation>
    </message>
    <message>
        <source>{vault} cannot be written, so this vault is open for reading only. Make its folder writable, or copy the folder to a place that is, and restart Keepsake.</source>
        <translation>{vault} lässt sich nicht schreiben, darum ist dieser Tresor nur zum Lesen geöffnet. Mach seinen Ordner beschreibbar, oder kopiere ihn an einen beschreibbaren Ort, und starte Keepsake neu.</translation>
    </message>
    <message>
        <source>{vault} cannot be written.</source>
        <translation>{vault} lässt sich nicht schreiben.</translation>
    </message>
    <message>
        <source>{vault} is a file, not a folder. Name a folder with --vault.</source>
        <translation>{vault} ist eine Datei, kein Ordner. Nenne mit --vault einen Ordner.</translation>
    </message>
    <message>
        <source>{wanted} from {low} to {high}</source>
        <translation>{wanted} von {low} bis {high}</translation>
    </message>
    <message>
        <source>{what}, from {source}</source>
        <translation>{what}, aus: {source}</translation>
    </message>
    <message>
        <source>{whole}, after conversation {number}</source>
        <translation>{whole}, nach Unterhaltung {number}</translation>
    </message>
    <message>
        <source>{whole}, after entry {number}</source>
        <translation>{whole}, nach Eintrag {number}</translation>
    </message>
    <message>
        <source>{whole}, after mail {number}</source>
        <translation>{whole}, nach Mail {number}</translation>
    </message>
    <message>
        <source>{whole}, after memory {number}</source>
        <translation>{whole}, nach Erinnerung {number}</translation>
    </message>
    <message>
        <source>{whole}, after message {number}</source>
        <translation>{whole}, nach Nachricht {number}</translation>
    </message>
    <message>
        <source>{whole}, after name {number}</source>
        <translation>{whole}, nach Name {number}</translation>
    </message>
    <message>
        <source>{whole}, after note {number}</source>
        <translation>{whole}, nach Notiz {number}</translation>
    </message>
    <message>
        <source>{whole}, after project {number}</source>
        <translation>{whole}, nach Projekt {number}</translation>
    </message>
    <message>
        <source>{whole}, after value {number}</source>
        <translation>{whole}, nach Wert {number}</translation>
    </message>
    <message>
        <source>{whole}, comments and fields</source>
        <translation>{whole}, Kommentare und Felder</translation>
    </message>
    <message>
        <source>{whole}, conversation {number}</source>
        <translation>{whole}, Unterhaltung {number}</translation>
    </message>
    <message>
        <source>{whole}, document {number}</source>
        <translation>{whole}, Dokument {number}</translation>
    </message>
    <message>
        <source>{whole}, entity {number}</source>
        <translation>{whole}, Eintrag {number}</translation>
    </message>
    <message>
        <source>{whole}, entry {number}</source>
        <translation>{whole}, Eintrag {number}</translation>
    </message>
    <message>
        <source>{whole}, file {number}</source>
        <translation>{whole}, Datei {number}</translation>
    </message>
    <message>
        <source>{whole}, just before it</source>
        <translation>{whole}, unmittelbar davor</translation>
    </message>
    <message>
        <source>{whole}, line {number}</source>
        <translation>{whole}, Zeile {number}</translation>
    </message>
    <message>
        <source>{whole}, mail {number}</source>
        <translation>{whole}, Mail {number}</translation>
    </message>
    <message>
        <source>{whole}, memory {number}</source>
        <translation>{whole}, Erinnerung {number}</translation>
    </message>
    <message>
        <source>{whole}, message {number}</source>
        <translation>{whole}, Nachricht {number}</translation>
    </message>
    <message>
        <source>{whole}, name {number}</source>
        <translation>{whole}, Name {number}</translation>
    </message>
    <message>
        <source>{whole}, note {number}</source>
        <translation>{whole}, Notiz {number}</translation>
    </message>
    <message>
        <source>{whole}, page {number}</source>
        <translation>{whole}, Seite {number}</translation>
    </message>
    <message>
        <source>{whole}, part {number} of {count}</source>
        <translation>{whole}, Teil {number} von {count}</translation>
    </message>
    <message>
        <source>{whole}, project {number}</source>
        <translation>{whole}, Projekt {number}</translation>
    </message>
    <message>
        <source>{whole}, relation {number}</source>
        <translation>{whole}, Beziehung {number}</translation>
    </message>
    <message>
        <source>{whole}, session {number}</source>
        <translation>{whole}, Unterhaltung {number}</translation>
    </message>
    <message>
        <source>{whole}, tab {number}</source>
        <translation>{whole}, Reiter {number}</translation>
    </message>
    <message>
        <source>{whole}, table {number}</source>
        <translation>{whole}, Tabelle {number}</translation>
    </message>
    <message>
        <source>{whole}, value {number}</source>
        <translation>{whole}, Wert {number}</translation>
    </message>
    <message>
        <source>{why} Another value counts.</source>
        <translation>{why} Ein anderer Wert gilt.</translation>
    </message>
    <message>
        <source>{why} Until then the vectors made so far answer searches.</source>
        <translation>{why} Bis dahin beantworten die bisherigen Vektoren Suchen.</translation>
    </message>
    <message>
        <source>‘{name}’ failed.</source>
        <translation>„{name}“ ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>‘{name}’ is done.</source>
        <translation>„{name}“ ist fertig.</translation>
    </message>
    <message>
        <source>‘{name}’ is paused after 1 failure.</source>
        <translation>„{name}“ ist nach 1 Fehler angehalten.</translation>
    </message>
    <message>
        <source>‘{name}’ is paused after {count} failures in a row.</source>
        <translation>„{name}“ ist nach {count} Fehlern hintereinander angehalten.</translation>
    </message>
    <message>
        <source>‘{name}’ is paused because its times cannot be worked out: {why}</source>
        <translation>„{name}“ ist angehalten, weil sich seine Zeiten nicht ermitteln lassen: {why}</translation>
    </message>
    <message>
        <source>‘{name}’ was left out once. {why}</source>
        <translation>„{name}“ wurde einmal ausgelassen. {why}</translation>
    </message>
    <message>
        <source>‘{name}’ was left out {count} times. {why}</source>
        <translation>„{name}“ wurde {count}-mal ausgelassen. {why}</translation>
    </message>
    <message>
        <source>“{around}” is neither the id of a memory or message nor a time such as 2026-03-01 or ‘last week’.</source>
        <translation>„{around}“ ist weder die Kennung einer Erinnerung oder Nachricht noch eine Zeit wie 2026-03-01 oder „last week“.</translation>
    </message>
    <message>
        <source>“{name}:” is not an operator, so it was searched as a word.</source>
        <translation>„{name}:“ ist kein Operator, darum wurde es als Wort gesucht.</translation>
    </message>
    <message>
        <source>“{other}” may be “{into}”: {reason}.</source>
        <translation>„{other}“ ist vielleicht „{into}“: {reason}.</translation>
    </message>
</context>
<context>
    <name>EntityActions</name>
    <message>
        <source>Changed ‘{title}’</source>
        <translation>„{title}“ geändert</translation>
    </message>
    <message>
        <source>Merged {count} names into ‘{title}’</source>
        <translation>{count} Namen zu „{title}“ zusammengeführt</translation>
    </message>
    <message>
        <source>Merged ‘{title}’</source>
        <translation>„{title}“ zusammengeführt</translation>
    </message>
    <message>
        <source>Related ‘{title}’</source>
        <translation>„{title}“ verknüpft</translation>
    </message>
    <message>
        <source>Renamed to ‘{title}’</source>
        <translation>In „{title}“ umbenannt</translation>
    </message>
    <message>
        <source>Split off ‘{title}’</source>
        <translation>„{title}“ abgetrennt</translation>
    </message>
    <message>
        <source>Took back a relation of ‘{title}’</source>
        <translation>Eine Beziehung von „{title}“ zurückgenommen</translation>
    </message>
</context>
<context>
    <name>EntityField</name>
    <message>
        <source>Names that fit</source>
        <translation>Passende Namen</translation>
    </message>
    <message>
        <source>{type}, 1 mention</source>
        <translation>{type}, 1 Erwähnung</translation>
    </message>
    <message>
        <source>{type}, {count} mentions</source>
        <translation>{type}, {count} Erwähnungen</translation>
    </message>
</context>
<context>
    <name>EntityForm</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>EntityPage</name>
    <message>
        <source>1 mention</source>
        <translation>1 Erwähnung</translation>
    </message>
    <message>
        <source>Also called</source>
        <translation>Auch genannt</translation>
    </message>
    <message>
        <source>Click a name to see what is known of it.</source>
        <translation>Klicke auf einen Namen, um zu sehen, was über ihn bekannt ist.</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Unterhaltungen</translation>
    </message>
    <message>
        <source>Draw around</source>
        <translation>Graph darum zeichnen</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>Zusammenführen</translation>
    </message>
    <message>
        <source>Notes and facts</source>
        <translation>Notizen und Fakten</translation>
    </message>
    <message>
        <source>Other names in the same texts</source>
        <translation>Andere Namen in denselben Texten</translation>
    </message>
    <message>
        <source>Page of the chosen name</source>
        <translation>Seite des gewählten Namens</translation>
    </message>
    <message>
        <source>People in the same texts</source>
        <translation>Personen in denselben Texten</translation>
    </message>
    <message>
        <source>Relate</source>
        <translation>Verknüpfen</translation>
    </message>
    <message>
        <source>Relations</source>
        <translation>Beziehungen</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Show all {count}</source>
        <translation>Alle {count} zeigen</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>Trennen</translation>
    </message>
    <message>
        <source>Take back: {words}</source>
        <translation>Zurücknehmen: {words}</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Ohne Titel</translation>
    </message>
    <message>
        <source>once together</source>
        <translation>einmal zusammen</translation>
    </message>
    <message>
        <source>{count} mentions</source>
        <translation>{count} Erwähnungen</translation>
    </message>
    <message>
        <source>{count} times together</source>
        <translation>{count}-mal zusammen</translation>
    </message>
    <message>
        <source>{name} {predicate} this</source>
        <translation>{name} {predicate} dies</translation>
    </message>
    <message>
        <source>{predicate} {name}</source>
        <translation>{predicate} {name}</translation>
    </message>
</context>
<context>
    <name>Erasure</name>
    <message>
        <source>An error message was removed, because it may have quoted what was erased for ever.</source>
        <translation>Eine Fehlermeldung wurde entfernt, weil sie endgültig Gelöschtes zitiert haben könnte.</translation>
    </message>
    <message>
        <source>Erase for ever</source>
        <translation>Endgültig löschen</translation>
    </message>
    <message>
        <source>{done}.</source>
        <translation>{done}.</translation>
    </message>
    <message>
        <source>{what} Earlier backups may still hold it. Nothing can undo this.</source>
        <translation>{what} In früheren Sicherungen kann es noch stehen. Das lässt sich nicht rückgängig machen.</translation>
    </message>
</context>
<context>
    <name>ErrorReporter</name>
    <message>
        <source>It happened once more.</source>
        <translation>Es geschah noch einmal.</translation>
    </message>
    <message>
        <source>It happened {n} more times.</source>
        <translation>Es geschah noch {n}-mal.</translation>
    </message>
    <message>
        <source>Something went wrong inside Keepsake ({name}). What you wrote is kept.</source>
        <translation>In Keepsake ist etwas schiefgegangen ({name}). Was du geschrieben hast, ist erhalten.</translation>
    </message>
</context>
<context>
    <name>Errors</name>
    <message>
        <source>Your memories are damaged on the disk. “Check now” on the Status page says how far; Settings, Backups, brings an earlier copy back.</source>
        <translation>Deine Erinnerungen sind auf dem Datenträger beschädigt. „Jetzt prüfen“ auf der Seite „Status“ sagt, wie weit; „Einstellungen“, „Sicherungen“ holt eine frühere Kopie zurück.</translation>
    </message>
</context>
<context>
    <name>ExportSheet</name>
    <message>
        <source>1 attachment could not be read and was left out:</source>
        <translation>1 Anhang konnte nicht gelesen werden und fehlt:</translation>
    </message>
    <message>
        <source>1 conversation</source>
        <translation>1 Unterhaltung</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 Nachricht</translation>
    </message>
    <message>
        <source>1 note or fact</source>
        <translation>1 Notiz oder Fakt</translation>
    </message>
    <message>
        <source>A browser reads and searches it by its index.html; other programs read its Markdown.</source>
        <translation>Ein Browser zeigt und durchsucht ihn über index.html; andere Programme lesen das Markdown.</translation>
    </message>
    <message>
        <source>Also the history of all changes</source>
        <translation>Auch den Verlauf aller Änderungen</translation>
    </message>
    <message>
        <source>An unchanged earlier export there is replaced, anything else is not.</source>
        <translation>Ein unveränderter früherer Export dort wird ersetzt, alles andere nicht.</translation>
    </message>
    <message>
        <source>Choose where to export to</source>
        <translation>Wählen, wohin exportiert wird</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Encrypted file</source>
        <translation>Verschlüsselte Datei</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Export everything</source>
        <translation>Alles exportieren</translation>
    </message>
    <message>
        <source>Export progress</source>
        <translation>Fortschritt des Exports</translation>
    </message>
    <message>
        <source>Export without encryption</source>
        <translation>Unverschlüsselt exportieren</translation>
    </message>
    <message>
        <source>Folder to read</source>
        <translation>Ordner zum Lesen</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>Ausblenden</translation>
    </message>
    <message>
        <source>JSON lines</source>
        <translation>JSON-Zeilen</translation>
    </message>
    <message>
        <source>Keepsake can import it.</source>
        <translation>Keepsake kann das wieder importieren.</translation>
    </message>
    <message>
        <source>One file for programs, with a folder of the attachments beside it.</source>
        <translation>Eine Datei für Programme, mit einem Ordner der Anhänge daneben.</translation>
    </message>
    <message>
        <source>One file with everything, attachments too, that only a passphrase opens.</source>
        <translation>Eine Datei mit allem, auch den Anhängen, die nur eine Passphrase öffnet.</translation>
    </message>
    <message>
        <source>Passphrase of the file</source>
        <translation>Passphrase der Datei</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner anzeigen</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Beginnt …</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Stopped. Nothing was written.</source>
        <translation>Angehalten. Es wurde nichts geschrieben.</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Hält an …</translation>
    </message>
    <message>
        <source>The same again</source>
        <translation>Noch einmal dieselbe</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Where to</source>
        <translation>Wohin</translation>
    </message>
    <message>
        <source>Write it down where only you find it: nobody can bring a forgotten passphrase back.</source>
        <translation>Schreib sie auf, wo nur du sie findest: Eine vergessene Passphrase kann niemand wiederbeschaffen.</translation>
    </message>
    <message>
        <source>Writes all conversations, notes, facts and attachments, also what is deleted or archived. Your memories here stay as they are.</source>
        <translation>Schreibt alle Unterhaltungen, Notizen, Fakten und Anhänge, auch Gelöschtes und Archiviertes. Deine Erinnerungen hier bleiben, wie sie sind.</translation>
    </message>
    <message>
        <source>Wrote {what} ({size}) to {path}.</source>
        <translation>{what} ({size}) nach {path} geschrieben.</translation>
    </message>
    <message>
        <source>Your memories are encrypted, and this export is not: everybody who has it can read all of it.</source>
        <translation>Deine Erinnerungen sind verschlüsselt, dieser Export ist es nicht: Wer ihn hat, kann alles lesen.</translation>
    </message>
    <message>
        <source>{n} attachments could not be read and were left out:</source>
        <translation>{n} Anhänge konnten nicht gelesen werden und fehlen:</translation>
    </message>
    <message>
        <source>{n} conversations</source>
        <translation>{n} Unterhaltungen</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} Nachrichten</translation>
    </message>
    <message>
        <source>{n} notes and facts</source>
        <translation>{n} Notizen und Fakten</translation>
    </message>
</context>
<context>
    <name>FacetFilter</name>
    <message>
        <source>Agent</source>
        <translation>Agent</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Said by</source>
        <translation>Gesagt von</translation>
    </message>
    <message>
        <source>Store</source>
        <translation>Bereich</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
</context>
<context>
    <name>FactCard</name>
    <message>
        <source>A message without words</source>
        <translation>Eine Nachricht ohne Worte</translation>
    </message>
    <message>
        <source>Confirm: it is certain and never fades</source>
        <translation>Bestätigen: Er ist sicher und verblasst nie</translation>
    </message>
    <message>
        <source>Correct it</source>
        <translation>Berichtigen</translation>
    </message>
    <message>
        <source>Delete it</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Open it in Notes</source>
        <translation>In Notizen öffnen</translation>
    </message>
    <message>
        <source>People and things in it</source>
        <translation>Personen und Dinge darin</translation>
    </message>
    <message>
        <source>Show this message</source>
        <translation>Diese Nachricht zeigen</translation>
    </message>
    <message>
        <source>What is right</source>
        <translation>Was richtig ist</translation>
    </message>
    <message>
        <source>confirmed</source>
        <translation>bestätigt</translation>
    </message>
    <message>
        <source>said {n} times</source>
        <translation>{n}-mal gesagt</translation>
    </message>
    <message>
        <source>{n} % certain</source>
        <translation>zu {n} % sicher</translation>
    </message>
</context>
<context>
    <name>FactPanel</name>
    <message>
        <source>Confidence</source>
        <translation>Sicherheit</translation>
    </message>
    <message>
        <source>Confirm</source>
        <translation>Bestätigen</translation>
    </message>
    <message>
        <source>Confirmed the fact</source>
        <translation>Fakt bestätigt</translation>
    </message>
    <message>
        <source>Corrected the fact</source>
        <translation>Fakt berichtigt</translation>
    </message>
    <message>
        <source>Correct…</source>
        <translation>Berichtigen …</translation>
    </message>
    <message>
        <source>Held true over time</source>
        <translation>Gültig im Lauf der Zeit</translation>
    </message>
    <message>
        <source>It is right: it stays certain and never fades</source>
        <translation>Er stimmt: Er bleibt sicher und verblasst nie</translation>
    </message>
    <message>
        <source>It no longer holds: another fact took its place.</source>
        <translation>Er gilt nicht mehr: Ein anderer Fakt trat an seine Stelle.</translation>
    </message>
    <message>
        <source>It was deleted.</source>
        <translation>Er wurde gelöscht.</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Pinned the fact</source>
        <translation>Fakt angeheftet</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Unpinned the fact</source>
        <translation>Fakt gelöst</translation>
    </message>
    <message>
        <source>You keep this for good.</source>
        <translation>Das behältst du für immer.</translation>
    </message>
    <message>
        <source>about {n} months</source>
        <translation>etwa {n} Monate</translation>
    </message>
    <message>
        <source>about {n} weeks</source>
        <translation>etwa {n} Wochen</translation>
    </message>
    <message>
        <source>about {n} years</source>
        <translation>etwa {n} Jahre</translation>
    </message>
    <message>
        <source>one day</source>
        <translation>ein Tag</translation>
    </message>
    <message>
        <source>{n} days</source>
        <translation>{n} Tage</translation>
    </message>
    <message>
        <source>{percent} certain now. If nobody uses it, it fades on {day}, {span} from now.</source>
        <translation>Jetzt zu {percent} sicher. Wenn niemand ihn nutzt, verblasst er am {day} (noch {span}).</translation>
    </message>
    <message>
        <source>{percent} certain. Even without use it hardly fades.</source>
        <translation>Zu {percent} sicher. Auch ohne Nutzung verblasst er kaum.</translation>
    </message>
    <message>
        <source>{percent} certain. It has faded; the next night may set it aside.</source>
        <translation>Zu {percent} sicher. Er ist verblasst; die nächste Nacht legt ihn vielleicht beiseite.</translation>
    </message>
    <message>
        <source>{percent} certain. It never fades.</source>
        <translation>Zu {percent} sicher. Er verblasst nie.</translation>
    </message>
    <message>
        <source>{percent} certain. While it is pinned it does not fade.</source>
        <translation>Zu {percent} sicher. Solange er angeheftet ist, verblasst er nicht.</translation>
    </message>
</context>
<context>
    <name>FactsTab</name>
    <message>
        <source>Confirmed ‘{title}’</source>
        <translation>„{title}“ bestätigt</translation>
    </message>
    <message>
        <source>Corrected ‘{title}’</source>
        <translation>„{title}“ berichtigt</translation>
    </message>
    <message>
        <source>Deleted ‘{title}’</source>
        <translation>„{title}“ gelöscht</translation>
    </message>
    <message>
        <source>Draw facts from it now</source>
        <translation>Jetzt Fakten daraus ziehen</translation>
    </message>
    <message>
        <source>Keepsake reads conversations when they have come to rest, and keeps what lasts: each fact with the message that says so.</source>
        <translation>Keepsake liest Unterhaltungen, wenn sie zur Ruhe gekommen sind, und behält, was bleibt: jeden Fakt mit der Nachricht, die ihn sagt.</translation>
    </message>
    <message>
        <source>No facts were drawn from it yet</source>
        <translation>Noch wurden keine Fakten daraus gezogen</translation>
    </message>
    <message>
        <source>Show more</source>
        <translation>Mehr zeigen</translation>
    </message>
    <message>
        <source>{n} drawn from this conversation. A line below each shows the message that says so.</source>
        <translation>{n} aus dieser Unterhaltung gezogen. Eine Zeile unter jedem zeigt die Nachricht, die ihn sagt.</translation>
    </message>
</context>
<context>
    <name>FieldIcons</name>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
</context>
<context>
    <name>FilterChip</name>
    <message>
        <source>Clear the filter</source>
        <translation>Filter aufheben</translation>
    </message>
    <message>
        <source>Filtered by {names}</source>
        <translation>Gefiltert nach {names}</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>1 message</source>
        <translation>1 Nachricht</translation>
    </message>
    <message>
        <source>Find in this conversation</source>
        <translation>In dieser Unterhaltung suchen</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Nächster Treffer</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>Voriger Treffer</translation>
    </message>
    <message>
        <source>Stop finding</source>
        <translation>Suche beenden</translation>
    </message>
    <message>
        <source>no match</source>
        <translation>kein Treffer</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} Nachrichten</translation>
    </message>
    <message>
        <source>{n} of {m}</source>
        <translation>{n} von {m}</translation>
    </message>
</context>
<context>
    <name>Frame</name>
    <message>
        <source>About Keepsake</source>
        <translation>Über Keepsake</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Close window</source>
        <translation>Fenster schließen</translation>
    </message>
    <message>
        <source>Command palette…</source>
        <translation>Befehlspalette …</translation>
    </message>
    <message>
        <source>Copy link to this place</source>
        <translation>Link zu dieser Stelle kopieren</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Export everything…</source>
        <translation>Alles exportieren…</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>First steps</source>
        <translation>Erste Schritte</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vor</translation>
    </message>
    <message>
        <source>Go</source>
        <translation>Gehe zu</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>History…</source>
        <translation>Verlauf…</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importieren …</translation>
    </message>
    <message>
        <source>Jump to…</source>
        <translation>Springen zu …</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>Größerer Text</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>Sperren</translation>
    </message>
    <message>
        <source>Make a capsule…</source>
        <translation>Eine Kapsel erstellen…</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>Menü</translation>
    </message>
    <message>
        <source>New note</source>
        <translation>Neue Notiz</translation>
    </message>
    <message>
        <source>Newest notice</source>
        <translation>Neueste Meldung</translation>
    </message>
    <message>
        <source>Next part of the window</source>
        <translation>Nächster Teil des Fensters</translation>
    </message>
    <message>
        <source>Normal text size</source>
        <translation>Normale Textgröße</translation>
    </message>
    <message>
        <source>Previous part</source>
        <translation>Voriger Teil</translation>
    </message>
    <message>
        <source>Quick capture…</source>
        <translation>Schnellerfassung …</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Search everything</source>
        <translation>Alles durchsuchen</translation>
    </message>
    <message>
        <source>Search models…</source>
        <translation>Suchmodelle …</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Einstellungen …</translation>
    </message>
    <message>
        <source>Show or hide the inspector</source>
        <translation>Inspektor ein- oder ausblenden</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>Kleinerer Text</translation>
    </message>
    <message>
        <source>Test the language model</source>
        <translation>Sprachmodell testen</translation>
    </message>
    <message>
        <source>Theme: dark</source>
        <translation>Design: dunkel</translation>
    </message>
    <message>
        <source>Theme: light</source>
        <translation>Design: hell</translation>
    </message>
    <message>
        <source>Theme: like the system</source>
        <translation>Design: wie das System</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Ansicht</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>Arbeit</translation>
    </message>
</context>
<context>
    <name>GlobalCapture</name>
    <message>
        <source>Quick capture</source>
        <translation>Schnellerfassung</translation>
    </message>
    <message>
        <source>Quick capture opens from anywhere</source>
        <translation>Die Schnellerfassung öffnet sich von überall</translation>
    </message>
    <message>
        <source>Quick capture opens from anywhere with {keys}</source>
        <translation>Die Schnellerfassung öffnet sich von überall mit {keys}</translation>
    </message>
    <message>
        <source>Settings, Desktop shows a command that a shortcut of your desktop can run instead.</source>
        <translation>Unter Einstellungen, Desktop steht ein Befehl, den ein Tastenkürzel deines Desktops stattdessen ausführen kann.</translation>
    </message>
</context>
<context>
    <name>GoalLimitsForm</name>
    <message>
        <source>Cost at most</source>
        <translation>Höchstkosten</translation>
    </message>
    <message>
        <source>It may read</source>
        <translation>Es darf lesen</translation>
    </message>
    <message>
        <source>Steps at most</source>
        <translation>Höchstens so viele Schritte</translation>
    </message>
    <message>
        <source>Turns: how often the language model may answer in one run</source>
        <translation>Runden: wie oft das Sprachmodell in einem Lauf antworten darf</translation>
    </message>
    <message>
        <source>everything, private too</source>
        <translation>alles, auch Privates</translation>
    </message>
    <message>
        <source>nothing of mine</source>
        <translation>nichts von mir</translation>
    </message>
    <message>
        <source>the usual limit</source>
        <translation>die übliche Grenze</translation>
    </message>
    <message>
        <source>what is shared and social</source>
        <translation>Geteiltes und Soziales</translation>
    </message>
    <message>
        <source>what is social</source>
        <translation>Soziales</translation>
    </message>
</context>
<context>
    <name>GraphCanvas</name>
    <message>
        <source>1 link</source>
        <translation>1 Verbindung</translation>
    </message>
    <message>
        <source>1 mention</source>
        <translation>1 Erwähnung</translation>
    </message>
    <message>
        <source>1 name.</source>
        <translation>1 Name.</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>{names} Arrow keys go to neighbours, Enter opens the page.</source>
        <translation>{names} Pfeiltasten gehen zu Nachbarn, Eingabe öffnet die Seite.</translation>
    </message>
    <message>
        <source>{n} links</source>
        <translation>{n} Verbindungen</translation>
    </message>
    <message>
        <source>{n} mentions</source>
        <translation>{n} Erwähnungen</translation>
    </message>
    <message>
        <source>{n} names.</source>
        <translation>{n} Namen.</translation>
    </message>
</context>
<context>
    <name>GraphPane</name>
    <message>
        <source>1 link</source>
        <translation>1 Verbindung</translation>
    </message>
    <message>
        <source>1 text is still to be read for names.</source>
        <translation>1 Text muss noch nach Namen durchsucht werden.</translation>
    </message>
    <message>
        <source>Arrange again</source>
        <translation>Neu anordnen</translation>
    </message>
    <message>
        <source>Arrange the graph again</source>
        <translation>Graph neu anordnen</translation>
    </message>
    <message>
        <source>Bring everything into sight</source>
        <translation>Alles ins Bild holen</translation>
    </message>
    <message>
        <source>Bring the whole graph into sight</source>
        <translation>Den ganzen Graphen ins Bild holen</translation>
    </message>
    <message>
        <source>Draw around it</source>
        <translation>Graph darum zeichnen</translation>
    </message>
    <message>
        <source>Draw the graph around this name</source>
        <translation>Den Graphen um diesen Namen zeichnen</translation>
    </message>
    <message>
        <source>Find a name</source>
        <translation>Namen finden</translation>
    </message>
    <message>
        <source>Graph of all names</source>
        <translation>Graph aller Namen</translation>
    </message>
    <message>
        <source>Imported conversations are read for names, too.</source>
        <translation>Auch importierte Unterhaltungen werden nach Namen durchsucht.</translation>
    </message>
    <message>
        <source>Keepsake recognises names in your conversations and notes as they come in, and draws who and what belongs together. Write about somebody, and they appear here.</source>
        <translation>Keepsake erkennt Namen in deinen Unterhaltungen und Notizen, wenn sie eintreffen, und zeichnet, wer und was zusammengehört. Schreib über jemanden, und er erscheint hier.</translation>
    </message>
    <message>
        <source>Merge all</source>
        <translation>Alle zusammenführen</translation>
    </message>
    <message>
        <source>Merge into another…</source>
        <translation>Mit anderem zusammenführen …</translation>
    </message>
    <message>
        <source>Merge this name into another</source>
        <translation>Diesen Namen mit einem anderen zusammenführen</translation>
    </message>
    <message>
        <source>Names are being read</source>
        <translation>Namen werden gelesen</translation>
    </message>
    <message>
        <source>No people or things are known yet</source>
        <translation>Noch sind keine Personen oder Dinge bekannt</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Pin or unpin this name</source>
        <translation>Diesen Namen anheften oder lösen</translation>
    </message>
    <message>
        <source>Relate this name to another</source>
        <translation>Diesen Namen mit einem anderen verknüpfen</translation>
    </message>
    <message>
        <source>Relate…</source>
        <translation>Verknüpfen …</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Rename this name</source>
        <translation>Diesen Namen umbenennen</translation>
    </message>
    <message>
        <source>Save as data (GraphML)…</source>
        <translation>Als Daten speichern (GraphML) …</translation>
    </message>
    <message>
        <source>Save as drawing (SVG)…</source>
        <translation>Als Zeichnung speichern (SVG) …</translation>
    </message>
    <message>
        <source>Save as picture (PNG)…</source>
        <translation>Als Bild speichern (PNG) …</translation>
    </message>
    <message>
        <source>Save the graph</source>
        <translation>Graphen speichern</translation>
    </message>
    <message>
        <source>Save the graph as a drawing</source>
        <translation>Graphen als Zeichnung speichern</translation>
    </message>
    <message>
        <source>Save the graph as a picture</source>
        <translation>Graphen als Bild speichern</translation>
    </message>
    <message>
        <source>Save the graph as data</source>
        <translation>Graphen als Daten speichern</translation>
    </message>
    <message>
        <source>Search for it</source>
        <translation>Danach suchen</translation>
    </message>
    <message>
        <source>Select with the lasso</source>
        <translation>Mit dem Lasso auswählen</translation>
    </message>
    <message>
        <source>Show names as a list</source>
        <translation>Namen als Liste zeigen</translation>
    </message>
    <message>
        <source>Split this name</source>
        <translation>Diesen Namen trennen</translation>
    </message>
    <message>
        <source>Split…</source>
        <translation>Trennen …</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Write a note</source>
        <translation>Notiz schreiben</translation>
    </message>
    <message>
        <source>Zoom into the graph</source>
        <translation>Graph vergrößern</translation>
    </message>
    <message>
        <source>Zoom out of the graph</source>
        <translation>Graph verkleinern</translation>
    </message>
    <message>
        <source>{count} names selected</source>
        <translation>{count} Namen ausgewählt</translation>
    </message>
    <message>
        <source>{n} links</source>
        <translation>{n} Verbindungen</translation>
    </message>
    <message>
        <source>{n} texts are still to be read for names.</source>
        <translation>{n} Texte müssen noch nach Namen durchsucht werden.</translation>
    </message>
    <message>
        <source>{shown} of 1 name shown</source>
        <translation>{shown} von 1 Namen gezeigt</translation>
    </message>
    <message>
        <source>{shown} of {n} names shown</source>
        <translation>{shown} von {n} Namen gezeigt</translation>
    </message>
</context>
<context>
    <name>GraphToolbar</name>
    <message>
        <source>1 step</source>
        <translation>1 Schritt</translation>
    </message>
    <message>
        <source>All names</source>
        <translation>Alle Namen</translation>
    </message>
    <message>
        <source>Around a name</source>
        <translation>Um einen Namen</translation>
    </message>
    <message>
        <source>Around {name}</source>
        <translation>Um {name}</translation>
    </message>
    <message>
        <source>Bring everything into sight (0)</source>
        <translation>Alles ins Bild holen (0)</translation>
    </message>
    <message>
        <source>Colour by group</source>
        <translation>Farbe nach Gruppe</translation>
    </message>
    <message>
        <source>Colour by type</source>
        <translation>Farbe nach Art</translation>
    </message>
    <message>
        <source>Data (GraphML)…</source>
        <translation>Daten (GraphML) …</translation>
    </message>
    <message>
        <source>Draw around names to select them</source>
        <translation>Um Namen herum zeichnen, um sie auszuwählen</translation>
    </message>
    <message>
        <source>Drawing (SVG)…</source>
        <translation>Zeichnung (SVG) …</translation>
    </message>
    <message>
        <source>Find a name in the graph</source>
        <translation>Einen Namen im Graphen finden</translation>
    </message>
    <message>
        <source>Find a name…</source>
        <translation>Namen finden …</translation>
    </message>
    <message>
        <source>How far from the middle</source>
        <translation>Wie weit von der Mitte</translation>
    </message>
    <message>
        <source>How many names at most</source>
        <translation>Wie viele Namen höchstens</translation>
    </message>
    <message>
        <source>Picture (PNG)…</source>
        <translation>Bild (PNG) …</translation>
    </message>
    <message>
        <source>Save the graph as a file</source>
        <translation>Graphen als Datei speichern</translation>
    </message>
    <message>
        <source>Show only names that match</source>
        <translation>Nur passende Namen zeigen</translation>
    </message>
    <message>
        <source>Show the names as a list, too</source>
        <translation>Namen auch als Liste zeigen</translation>
    </message>
    <message>
        <source>What colours mean</source>
        <translation>Was die Farben bedeuten</translation>
    </message>
    <message>
        <source>{count} names</source>
        <translation>{count} Namen</translation>
    </message>
    <message>
        <source>{count} steps</source>
        <translation>{count} Schritte</translation>
    </message>
</context>
<context>
    <name>GraphWriter</name>
    <message>
        <source>Saved {name}</source>
        <translation>{name} gespeichert</translation>
    </message>
</context>
<context>
    <name>HelpDialog</name>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Help page</source>
        <translation>Hilfeseite</translation>
    </message>
    <message>
        <source>Help pages</source>
        <translation>Hilfeseiten</translation>
    </message>
    <message>
        <source>The help pages are missing from this installation.</source>
        <translation>Die Hilfeseiten fehlen in dieser Installation.</translation>
    </message>
</context>
<context>
    <name>HistorySheet</name>
    <message>
        <source>By agents</source>
        <translation>Von Agenten</translation>
    </message>
    <message>
        <source>By me</source>
        <translation>Von mir</translation>
    </message>
    <message>
        <source>By upkeep</source>
        <translation>Von der Pflege</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Imports</source>
        <translation>Importe</translation>
    </message>
    <message>
        <source>Nothing was done yet.</source>
        <translation>Noch wurde nichts getan.</translation>
    </message>
    <message>
        <source>Show earlier ones</source>
        <translation>Frühere anzeigen</translation>
    </message>
    <message>
        <source>What was done here, newest first. Undoing something is an entry, too.</source>
        <translation>Was hier getan wurde, das Neueste zuerst. Auch Rückgängigmachen ist ein Eintrag.</translation>
    </message>
    <message>
        <source>Whose changes are shown</source>
        <translation>Wessen Änderungen gezeigt werden</translation>
    </message>
</context>
<context>
    <name>HitMenu</name>
    <message>
        <source>Add tags…</source>
        <translation>Schlagwörter hinzufügen …</translation>
    </message>
    <message>
        <source>Copied the text</source>
        <translation>Text kopiert</translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation>Link kopieren</translation>
    </message>
    <message>
        <source>Copy text</source>
        <translation>Text kopieren</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Deleted ‘{title}’</source>
        <translation>„{title}“ gelöscht</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open in its conversation</source>
        <translation>In der Unterhaltung öffnen</translation>
    </message>
    <message>
        <source>Open its conversation</source>
        <translation>Unterhaltung öffnen</translation>
    </message>
    <message>
        <source>Open the page of ‘{name}’</source>
        <translation>Seite von „{name}“ öffnen</translation>
    </message>
    <message>
        <source>Pin or unpin</source>
        <translation>Anheften oder lösen</translation>
    </message>
    <message>
        <source>Pinned ‘{title}’</source>
        <translation>„{title}“ angeheftet</translation>
    </message>
    <message>
        <source>Tagged ‘{title}’</source>
        <translation>„{title}“ mit Schlagwörtern versehen</translation>
    </message>
    <message>
        <source>Tags, separated by commas:</source>
        <translation>Schlagwörter, durch Kommas getrennt:</translation>
    </message>
    <message>
        <source>This message is no longer there.</source>
        <translation>Diese Nachricht ist nicht mehr da.</translation>
    </message>
    <message>
        <source>Unpinned ‘{title}’</source>
        <translation>„{title}“ gelöst</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Ohne Titel</translation>
    </message>
    <message>
        <source>Why this was found</source>
        <translation>Warum dies gefunden wurde</translation>
    </message>
</context>
<context>
    <name>ImportDialog</name>
    <message>
        <source>An export of ChatGPT or Claude, chats of a messenger, notes of Obsidian, Notion, Joplin, Evernote or Apple, or documents such as PDF and Word. Nothing leaves this computer.</source>
        <translation>Ein Export von ChatGPT oder Claude, Chats eines Messengers, Notizen von Obsidian, Notion, Joplin, Evernote oder Apple, oder Dokumente wie PDF und Word. Nichts verlässt diesen Rechner.</translation>
    </message>
    <message>
        <source>Bring your conversations and notes</source>
        <translation>Hol deine Unterhaltungen und Notizen herein</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Datei wählen …</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Ordner wählen …</translation>
    </message>
    <message>
        <source>Choose another…</source>
        <translation>Andere wählen …</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Copy problems</source>
        <translation>Probleme kopieren</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>Ausblenden</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>Import progress</source>
        <translation>Fortschritt des Imports</translation>
    </message>
    <message>
        <source>Importing {name}</source>
        <translation>Import von {name}</translation>
    </message>
    <message>
        <source>Looking at {name}…</source>
        <translation>{name} wird angesehen…</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Or drop it on this window.</source>
        <translation>Oder zieh es auf dieses Fenster.</translation>
    </message>
    <message>
        <source>Parts to import</source>
        <translation>Teile zum Importieren</translation>
    </message>
    <message>
        <source>Passphrase of the file</source>
        <translation>Passphrase der Datei</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problem</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Probleme</translation>
    </message>
    <message>
        <source>Show them</source>
        <translation>Anzeigen</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Beginnt …</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Hält an …</translation>
    </message>
    <message>
        <source>This could not be imported</source>
        <translation>Dies konnte nicht importiert werden</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>What was imported so far stays. Import it again to continue.</source>
        <translation>Was bisher importiert wurde, bleibt. Importiere es noch einmal, um fortzufahren.</translation>
    </message>
</context>
<context>
    <name>Inbox</name>
    <message>
        <source>Accepted</source>
        <translation>Angenommen</translation>
    </message>
    <message>
        <source>Account</source>
        <translation>Konto</translation>
    </message>
    <message>
        <source>Archive: {title}</source>
        <translation>Archivieren: {title}</translation>
    </message>
    <message>
        <source>Are {other} and {into} the same person?</source>
        <translation>Sind {other} und {into} dieselbe Person?</translation>
    </message>
    <message>
        <source>Are {other} and {into} the same?</source>
        <translation>Sind {other} und {into} dasselbe?</translation>
    </message>
    <message>
        <source>Call {operation}</source>
        <translation>{operation} aufrufen</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>Kategorie</translation>
    </message>
    <message>
        <source>Change: {title}</source>
        <translation>Ändern: {title}</translation>
    </message>
    <message>
        <source>Confirm: {title}</source>
        <translation>Bestätigen: {title}</translation>
    </message>
    <message>
        <source>Content</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Delete: {title}</source>
        <translation>Löschen: {title}</translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>Verfallen</translation>
    </message>
    <message>
        <source>Facts</source>
        <translation>Fakten</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Merge: {title}</source>
        <translation>Zusammenführen: {title}</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>New: {title}</source>
        <translation>Neu: {title}</translation>
    </message>
    <message>
        <source>Other names</source>
        <translation>Andere Namen</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>Angeheftet</translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation>Abgelehnt</translation>
    </message>
    <message>
        <source>Rename: {title}</source>
        <translation>Umbenennen: {title}</translation>
    </message>
    <message>
        <source>Restore: {title}</source>
        <translation>Wiederherstellen: {title}</translation>
    </message>
    <message>
        <source>Store</source>
        <translation>Bereich</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>Titel</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>{words} (and {n} more)</source>
        <translation>{words} (und {n} weitere)</translation>
    </message>
</context>
<context>
    <name>InboxPane</name>
    <message>
        <source>Accept the proposal</source>
        <translation>Vorschlag annehmen</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>Angenommen</translation>
    </message>
    <message>
        <source>Both are kept.</source>
        <translation>Beide bleiben.</translation>
    </message>
    <message>
        <source>From now on this is accepted without asking: {kind} of {agent}</source>
        <translation>Ab jetzt wird dies ohne Frage angenommen: {kind} von {agent}</translation>
    </message>
    <message>
        <source>From now on this is refused: {kind} of {agent}</source>
        <translation>Ab jetzt wird dies abgelehnt: {kind} von {agent}</translation>
    </message>
    <message>
        <source>It could not be done; it still waits.</source>
        <translation>Es ging nicht; der Vorschlag wartet weiter.</translation>
    </message>
    <message>
        <source>Kept both</source>
        <translation>Beide behalten</translation>
    </message>
    <message>
        <source>Nothing waits for you</source>
        <translation>Nichts wartet auf dich</translation>
    </message>
    <message>
        <source>One job ran</source>
        <translation>Eine Aufgabe lief</translation>
    </message>
    <message>
        <source>Open Agents</source>
        <translation>Agenten öffnen</translation>
    </message>
    <message>
        <source>Reject the proposal</source>
        <translation>Vorschlag ablehnen</translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation>Abgelehnt</translation>
    </message>
    <message>
        <source>Stored the new fact beside the old one</source>
        <translation>Neuen Fakt neben dem alten gespeichert</translation>
    </message>
    <message>
        <source>There is nothing left to undo.</source>
        <translation>Es gibt nichts mehr rückgängig zu machen.</translation>
    </message>
    <message>
        <source>Undone</source>
        <translation>Zurückgenommen</translation>
    </message>
    <message>
        <source>What agents want to write appears here when you review them, and so does what contradicts something that you pinned or confirmed. Nothing is stored before you accept it.</source>
        <translation>Hier erscheint, was Agenten schreiben wollen, wenn du sie prüfst, und was Angeheftetem oder Bestätigtem widerspricht. Nichts wird gespeichert, bevor du es annimmst.</translation>
    </message>
    <message>
        <source>{n} jobs ran</source>
        <translation>{n} Aufgaben liefen</translation>
    </message>
</context>
<context>
    <name>IncognitoBar</name>
    <message>
        <source>For 1 hour</source>
        <translation>Für 1 Stunde</translation>
    </message>
    <message>
        <source>Incognito</source>
        <translation>Inkognito</translation>
    </message>
    <message>
        <source>Incognito for 1 hour</source>
        <translation>Inkognito für 1 Stunde</translation>
    </message>
    <message>
        <source>Turn incognito off</source>
        <translation>Inkognito ausschalten</translation>
    </message>
    <message>
        <source>Turn incognito on</source>
        <translation>Inkognito einschalten</translation>
    </message>
</context>
<context>
    <name>IncognitoIndicator</name>
    <message>
        <source>Incognito</source>
        <translation>Inkognito</translation>
    </message>
    <message>
        <source>{state} Click to end it.</source>
        <translation>{state} Klicke, um es zu beenden.</translation>
    </message>
</context>
<context>
    <name>JoinRequests</name>
    <message>
        <source>{name} asks to hold your whole memory. Let it in if you typed the words there yourself.</source>
        <translation>{name} bittet darum, dein ganzes Gedächtnis zu halten. Lass ihn herein, wenn du die Wörter dort selbst eingetippt hast.</translation>
    </message>
</context>
<context>
    <name>KeptTextBar</name>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Delete again</source>
        <translation>Erneut löschen</translation>
    </message>
    <message>
        <source>Deleted on one machine while it was edited on another, so it is still here</source>
        <translation>Auf einem Rechner gelöscht, während sie auf einem anderen bearbeitet wurde; darum ist sie noch da</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Edited on another machine at the same time</source>
        <translation>Zur selben Zeit auf einem anderen Rechner bearbeitet</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Keep this text</source>
        <translation>Diesen Text behalten</translation>
    </message>
    <message>
        <source>Lines with + are of the other text, written on {when}; lines with − are of this one.</source>
        <translation>Zeilen mit + sind aus dem anderen Text, geschrieben am {when}; Zeilen mit − sind aus diesem.</translation>
    </message>
    <message>
        <source>Take the other text</source>
        <translation>Den anderen Text nehmen</translation>
    </message>
</context>
<context>
    <name>KeyField</name>
    <message>
        <source>A key is kept in {place}.</source>
        <translation>In {place} ist ein Schlüssel hinterlegt.</translation>
    </message>
    <message>
        <source>Asking the keyring…</source>
        <translation>Der Schlüsselbund wird gefragt …</translation>
    </message>
    <message>
        <source>Choose a service</source>
        <translation>Dienst wählen</translation>
    </message>
    <message>
        <source>It is kept in the keyring of this machine, never in the settings or the vault.</source>
        <translation>Er wird im Schlüsselbund dieses Rechners behalten, nie in den Einstellungen oder im Tresor.</translation>
    </message>
    <message>
        <source>It is taken from {place}.</source>
        <translation>Er wird aus {place} genommen.</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Key of a remote service</source>
        <translation>Schlüssel eines entfernten Dienstes</translation>
    </message>
    <message>
        <source>Key of the service</source>
        <translation>Schlüssel des Dienstes</translation>
    </message>
    <message>
        <source>Paste the key</source>
        <translation>Schlüssel einfügen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Service of the key</source>
        <translation>Dienst des Schlüssels</translation>
    </message>
    <message>
        <source>There is no key yet. It will be kept in {place}.</source>
        <translation>Es gibt noch keinen Schlüssel. Er wird in {place} behalten.</translation>
    </message>
</context>
<context>
    <name>KnownRow</name>
    <message>
        <source>No hints for this text</source>
        <translation>Keine Hinweise zu diesem Text</translation>
    </message>
    <message>
        <source>You already know</source>
        <translation>Du weißt schon</translation>
    </message>
    <message>
        <source>You already know: {what}</source>
        <translation>Du weißt schon: {what}</translation>
    </message>
    <message>
        <source>You already know: {what} ({when})</source>
        <translation>Du weißt schon: {what} ({when})</translation>
    </message>
</context>
<context>
    <name>LanguageModelPanel</name>
    <message>
        <source>Asking…</source>
        <translation>Wird gefragt …</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>Kosten</translation>
    </message>
    <message>
        <source>For</source>
        <translation>Wofür</translation>
    </message>
    <message>
        <source>Key of the service</source>
        <translation>Schlüssel des Dienstes</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>Result of the test</source>
        <translation>Ergebnis des Tests</translation>
    </message>
    <message>
        <source>Share of the monthly limit that is spent</source>
        <translation>Verbrauchter Anteil der Monatsgrenze</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Testen</translation>
    </message>
    <message>
        <source>Test the language model</source>
        <translation>Sprachmodell testen</translation>
    </message>
    <message>
        <source>This month</source>
        <translation>Diesen Monat</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>What the language model was asked for this month</source>
        <translation>Was das Sprachmodell diesen Monat gefragt wurde</translation>
    </message>
    <message>
        <source>{cost} of at most {cap} spent.</source>
        <translation>{cost} von höchstens {cap} ausgegeben.</translation>
    </message>
    <message>
        <source>{cost} spent; there is no limit.</source>
        <translation>{cost} ausgegeben; es gibt keine Grenze.</translation>
    </message>
    <message>
        <source>{model} answered in {seconds} seconds.</source>
        <translation>{model} antwortete in {seconds} Sekunden.</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <source>Around {name} {count}</source>
        <translation>Um {name} {count}</translation>
    </message>
    <message>
        <source>Hide {words}</source>
        <translation>{words} ausblenden</translation>
    </message>
    <message>
        <source>Legend</source>
        <translation>Legende</translation>
    </message>
    <message>
        <source>Note links</source>
        <translation>Links zwischen Notizen</translation>
    </message>
    <message>
        <source>Select the group: {words}</source>
        <translation>Gruppe auswählen: {words}</translation>
    </message>
    <message>
        <source>Show {words}</source>
        <translation>{words} zeigen</translation>
    </message>
</context>
<context>
    <name>MarkdownEditor</name>
    <message>
        <source>Attach a file…</source>
        <translation>Datei anhängen …</translation>
    </message>
    <message>
        <source>Completions</source>
        <translation>Vervollständigungen</translation>
    </message>
    <message>
        <source>That text is too long to put into a note. Import it as a file instead.</source>
        <translation>Dieser Text ist zu lang für eine Notiz. Importiere ihn stattdessen als Datei.</translation>
    </message>
</context>
<context>
    <name>MarkdownView</name>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open a web page</source>
        <translation>Webseite öffnen</translation>
    </message>
    <message>
        <source>Open the page of ‘{name}’</source>
        <translation>Seite von „{name}“ öffnen</translation>
    </message>
    <message>
        <source>Show more</source>
        <translation>Mehr zeigen</translation>
    </message>
    <message>
        <source>This link leads out of Keepsake. Open it in your browser?</source>
        <translation>Dieser Link führt aus Keepsake hinaus. Im Browser öffnen?</translation>
    </message>
    <message>
        <source>This text has {count} characters, so it is shown as written: the first {part}.</source>
        <translation>Dieser Text hat {count} Zeichen und wird darum gezeigt, wie er geschrieben ist: die ersten {part}.</translation>
    </message>
    <message>
        <source>not shown, it is not in the attachments folder</source>
        <translation>nicht gezeigt, es liegt nicht im Ordner der Anhänge</translation>
    </message>
</context>
<context>
    <name>MentionSection</name>
    <message>
        <source>Link it in ‘{title}’</source>
        <translation>In „{title}“ verlinken</translation>
    </message>
    <message>
        <source>Linked it in ‘{title}’</source>
        <translation>In „{title}“ verlinkt</translation>
    </message>
    <message>
        <source>Named without a link</source>
        <translation>Ohne Link genannt</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Ohne Titel</translation>
    </message>
</context>
<context>
    <name>MergeForm</name>
    <message>
        <source>All names and mentions of ‘{name}’ will mean the one you choose.</source>
        <translation>Alle Namen und Erwähnungen von „{name}“ meinen dann den gewählten Namen.</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>Zusammenführen</translation>
    </message>
    <message>
        <source>Merge into</source>
        <translation>Zusammenführen mit</translation>
    </message>
    <message>
        <source>Merge into…</source>
        <translation>Zusammenführen mit …</translation>
    </message>
</context>
<context>
    <name>MissingPane</name>
    <message>
        <source>This installation is incomplete: {reason}. Installing Keepsake again repairs it.</source>
        <translation>Diese Installation ist unvollständig: {reason}. Keepsake neu zu installieren behebt das.</translation>
    </message>
    <message>
        <source>This part could not be loaded</source>
        <translation>Dieser Teil konnte nicht geladen werden</translation>
    </message>
</context>
<context>
    <name>ModelRow</name>
    <message>
        <source>Answered before; kept until {until}</source>
        <translation>Antwortete früher; wird bis {until} behalten</translation>
    </message>
    <message>
        <source>Answers searches</source>
        <translation>Beantwortet Suchen</translation>
    </message>
    <message>
        <source>Being prepared</source>
        <translation>Wird vorbereitet</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Give up</source>
        <translation>Aufgeben</translation>
    </message>
    <message>
        <source>Given up before it was complete; kept until {until}</source>
        <translation>Aufgegeben, bevor es fertig war; wird bis {until} behalten</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Fortfahren</translation>
    </message>
    <message>
        <source>Go on with it</source>
        <translation>Damit fortfahren</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>Progress of {model}</source>
        <translation>Fortschritt von {model}</translation>
    </message>
    <message>
        <source>Ready; the old one answers until you switch</source>
        <translation>Bereit; das alte antwortet, bis du wechselst</translation>
    </message>
    <message>
        <source>Switch back</source>
        <translation>Zurückwechseln</translation>
    </message>
    <message>
        <source>Switch to it</source>
        <translation>Dahin wechseln</translation>
    </message>
    <message>
        <source>a remote service</source>
        <translation>ein entfernter Dienst</translation>
    </message>
    <message>
        <source>on this computer</source>
        <translation>auf diesem Rechner</translation>
    </message>
    <message>
        <source>{made} of 1 text</source>
        <translation>{made} von 1 Text</translation>
    </message>
    <message>
        <source>{made} of {n} texts</source>
        <translation>{made} von {n} Texten</translation>
    </message>
    <message>
        <source>{n} numbers each</source>
        <translation>je {n} Zahlen</translation>
    </message>
</context>
<context>
    <name>ModelsDialog</name>
    <message>
        <source>Search models</source>
        <translation>Suchmodelle</translation>
    </message>
    <message>
        <source>The earlier model answers searches again</source>
        <translation>Das frühere Modell beantwortet wieder Suchen</translation>
    </message>
    <message>
        <source>The model {model} is not on this machine.</source>
        <translation>Das Modell {model} ist nicht auf diesem Rechner.</translation>
    </message>
    <message>
        <source>The new model answers as soon as its last texts are in</source>
        <translation>Das neue Modell antwortet, sobald seine letzten Texte bereit sind</translation>
    </message>
</context>
<context>
    <name>MonthSheet</name>
    <message>
        <source>Calendar</source>
        <translation>Kalender</translation>
    </message>
    <message>
        <source>conversations: {count}</source>
        <translation>Unterhaltungen: {count}</translation>
    </message>
    <message>
        <source>daily note</source>
        <translation>Tagesnotiz</translation>
    </message>
    <message>
        <source>notes: {count}</source>
        <translation>Notizen: {count}</translation>
    </message>
</context>
<context>
    <name>NameModel</name>
    <message>
        <source>Links</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>Mentions</source>
        <translation>Erwähnungen</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Art</translation>
    </message>
</context>
<context>
    <name>NameTable</name>
    <message>
        <source>Names in the graph</source>
        <translation>Namen im Graphen</translation>
    </message>
</context>
<context>
    <name>NewAgentForm</name>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Add an agent</source>
        <translation>Agent hinzufügen</translation>
    </message>
    <message>
        <source>An agent is a program that you let use your memories. It gets a token, with which it shows who it is.</source>
        <translation>Ein Agent ist ein Programm, das deine Erinnerungen nutzen darf. Es bekommt ein Token, mit dem es zeigt, wer es ist.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Put it into the variable KEEPSAKE_TOKEN of the program. It is not shown again.</source>
        <translation>Trag es in die Variable KEEPSAKE_TOKEN des Programms ein. Es wird nicht noch einmal gezeigt.</translation>
    </message>
    <message>
        <source>Such as claude-code</source>
        <translation>Etwa claude-code</translation>
    </message>
    <message>
        <source>The token of {name}</source>
        <translation>Token von {name}</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Trust</source>
        <translation>Vertrauen</translation>
    </message>
    <message>
        <source>What it writes waits in the inbox until you accept it</source>
        <translation>Was er schreibt, wartet im Eingang, bis du es annimmst</translation>
    </message>
</context>
<context>
    <name>NewNotes</name>
    <message>
        <source>Began ‘{title}’ from its template</source>
        <translation>„{title}“ aus der Vorlage begonnen</translation>
    </message>
    <message>
        <source>New daily notes begin with this template</source>
        <translation>Neue Tagesnotizen beginnen mit dieser Vorlage</translation>
    </message>
    <message>
        <source>New note from a template</source>
        <translation>Neue Notiz aus Vorlage</translation>
    </message>
    <message>
        <source>There are no templates yet. Give a note the tag #template to make it one.</source>
        <translation>Es gibt noch keine Vorlagen. Gib einer Notiz das Schlagwort #template, um sie dazu zu machen.</translation>
    </message>
    <message>
        <source>Title:</source>
        <translation>Titel:</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Ohne Titel</translation>
    </message>
    <message>
        <source>{title} (daily note)</source>
        <translation>{title} (Tagesnotiz)</translation>
    </message>
</context>
<context>
    <name>NightPage</name>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>Details of {name}</source>
        <translation>Details von {name}</translation>
    </message>
    <message>
        <source>Keepsake did this by itself in the past day. You can take back any of it.</source>
        <translation>Keepsake hat dies in den letzten 24 Stunden von selbst getan. Du kannst alles davon zurücknehmen.</translation>
    </message>
    <message>
        <source>There is nothing left to undo.</source>
        <translation>Es gibt nichts mehr rückgängig zu machen.</translation>
    </message>
    <message>
        <source>Undid what one job did</source>
        <translation>Rückgängig gemacht, was eine Aufgabe getan hat</translation>
    </message>
    <message>
        <source>Undid what {n} jobs did</source>
        <translation>Rückgängig gemacht, was {n} Aufgaben getan haben</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Undo the night</source>
        <translation>Die Nacht zurücknehmen</translation>
    </message>
    <message>
        <source>Undo {name}</source>
        <translation>{name} zurücknehmen</translation>
    </message>
    <message>
        <source>While you were away</source>
        <translation>Während du weg warst</translation>
    </message>
    <message>
        <source>what changed since stays</source>
        <translation>was sich seither geändert hat, bleibt</translation>
    </message>
</context>
<context>
    <name>NoteActions</name>
    <message>
        <source>Add tags…</source>
        <translation>Schlagwörter hinzufügen …</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Archivieren</translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation>Link kopieren</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Delete {count} notes</source>
        <translation>{count} Notizen löschen</translation>
    </message>
    <message>
        <source>Deleted {count} notes</source>
        <translation>{count} Notizen gelöscht</translation>
    </message>
    <message>
        <source>Deleted ‘{title}’</source>
        <translation>„{title}“ gelöscht</translation>
    </message>
    <message>
        <source>Merge into one</source>
        <translation>Zu einer zusammenführen</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Pinned ‘{title}’</source>
        <translation>„{title}“ angeheftet</translation>
    </message>
    <message>
        <source>Project…</source>
        <translation>Projekt …</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Restored {count}</source>
        <translation>{count} wiederhergestellt</translation>
    </message>
    <message>
        <source>Tagged 1 note</source>
        <translation>1 Notiz mit Schlagwörtern versehen</translation>
    </message>
    <message>
        <source>Tagged {n} notes</source>
        <translation>{n} Notizen mit Schlagwörtern versehen</translation>
    </message>
    <message>
        <source>Tagged ‘{title}’</source>
        <translation>„{title}“ mit Schlagwörtern versehen</translation>
    </message>
    <message>
        <source>Tags for {count} notes, separated by commas:</source>
        <translation>Schlagwörter für {count} Notizen, durch Kommas getrennt:</translation>
    </message>
    <message>
        <source>Tags, separated by commas:</source>
        <translation>Schlagwörter, durch Kommas getrennt:</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Unpinned ‘{title}’</source>
        <translation>„{title}“ gelöst</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Ohne Titel</translation>
    </message>
    <message>
        <source>Who may see it…</source>
        <translation>Wer sie sehen darf …</translation>
    </message>
    <message>
        <source>Who may see them…</source>
        <translation>Wer sie sehen darf …</translation>
    </message>
    <message>
        <source>{count} notes selected</source>
        <translation>{count} Notizen ausgewählt</translation>
    </message>
</context>
<context>
    <name>NoteAttachments</name>
    <message>
        <source>Another note was opened before the link was written. Add it there: {link}</source>
        <translation>Bevor der Link geschrieben war, wurde eine andere Notiz geöffnet. Füge ihn dort ein: {link}</translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation>Dateien anhängen</translation>
    </message>
    <message>
        <source>That picture has too many pixels to be attached. Make it smaller and try again.</source>
        <translation>Dieses Bild hat zu viele Pixel, um es anzuhängen. Verkleinere es und versuch es noch einmal.</translation>
    </message>
    <message>
        <source>That picture is damaged, so it was not attached.</source>
        <translation>Dieses Bild ist beschädigt und wurde darum nicht angehängt.</translation>
    </message>
    <message>
        <source>This note cannot be changed, so nothing can be attached to it.</source>
        <translation>Diese Notiz lässt sich nicht ändern, darum kann ihr nichts angehängt werden.</translation>
    </message>
    <message>
        <source>{count} files are too many at once. Attach at most {most}, or import their folder.</source>
        <translation>{count} Dateien auf einmal sind zu viele. Häng höchstens {most} an, oder importiere ihren Ordner.</translation>
    </message>
    <message>
        <source>‘{name}’ was not attached. {why}</source>
        <translation>„{name}“ wurde nicht angehängt. {why}</translation>
    </message>
</context>
<context>
    <name>NoteEditing</name>
    <message>
        <source>No note is behind this link. It may have been deleted or not imported.</source>
        <translation>Hinter diesem Link steht keine Notiz. Sie wurde vielleicht gelöscht oder nicht importiert.</translation>
    </message>
    <message>
        <source>Renamed; the links in one other note follow.</source>
        <translation>Umbenannt; die Links in einer anderen Notiz folgen.</translation>
    </message>
    <message>
        <source>Renamed; the links in {count} other notes follow.</source>
        <translation>Umbenannt; die Links in {count} anderen Notizen folgen.</translation>
    </message>
</context>
<context>
    <name>NoteFacets</name>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Marked</source>
        <translation>Markiert</translation>
    </message>
    <message>
        <source>People and things</source>
        <translation>Personen und Dinge</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>Angeheftet</translation>
    </message>
    <message>
        <source>Save this filter</source>
        <translation>Diesen Filter speichern</translation>
    </message>
    <message>
        <source>Saved filters</source>
        <translation>Gespeicherte Filter</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Store</source>
        <translation>Bereich</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>Geschrieben</translation>
    </message>
    <message>
        <source>a name</source>
        <translation>ein Name</translation>
    </message>
</context>
<context>
    <name>NoteInspector</name>
    <message>
        <source>1 token</source>
        <translation>1 Token</translation>
    </message>
    <message>
        <source>About</source>
        <translation>Zu dieser Notiz</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>Compare with this version</source>
        <translation>Mit dieser Fassung vergleichen</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>Sicherheit</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Happened</source>
        <translation>Geschehen</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Linked from</source>
        <translation>Verlinkt von</translation>
    </message>
    <message>
        <source>Links to</source>
        <translation>Verlinkt auf</translation>
    </message>
    <message>
        <source>Mentioned</source>
        <translation>Erwähnt</translation>
    </message>
    <message>
        <source>Open its conversation</source>
        <translation>Unterhaltung öffnen</translation>
    </message>
    <message>
        <source>People</source>
        <translation>Personen</translation>
    </message>
    <message>
        <source>Point</source>
        <translation>Punkt</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Said</source>
        <translation>Gesagt</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Store</source>
        <translation>Bereich</translation>
    </message>
    <message>
        <source>Stored by</source>
        <translation>Gespeichert von</translation>
    </message>
    <message>
        <source>The category of the fact</source>
        <translation>Die Kategorie des Fakts</translation>
    </message>
    <message>
        <source>The key of the fact: what in its topic it is about</source>
        <translation>Der Schlüssel des Fakts: worum es innerhalb des Themas geht</translation>
    </message>
    <message>
        <source>The type of the observation</source>
        <translation>Der Typ der Beobachtung</translation>
    </message>
    <message>
        <source>Tokens: the pieces of words in which language models count a text</source>
        <translation>Tokens: die Wortstücke, in denen Sprachmodelle einen Text zählen</translation>
    </message>
    <message>
        <source>Topic</source>
        <translation>Thema</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Ohne Titel</translation>
    </message>
    <message>
        <source>What it is</source>
        <translation>Was es ist</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>Geschrieben</translation>
    </message>
    <message>
        <source>{n} tokens</source>
        <translation>{n} Tokens</translation>
    </message>
    <message>
        <source>{title} (not written yet)</source>
        <translation>{title} (noch nicht geschrieben)</translation>
    </message>
    <message>
        <source>{what}, {who}, {when}</source>
        <translation>{what}, {who}, {when}</translation>
    </message>
</context>
<context>
    <name>NoteList</name>
    <message>
        <source>By title</source>
        <translation>Nach Titel</translation>
    </message>
    <message>
        <source>Filter by words</source>
        <translation>Filtern</translation>
    </message>
    <message>
        <source>Filter notes</source>
        <translation>Notizen filtern</translation>
    </message>
    <message>
        <source>Last changed first</source>
        <translation>Zuletzt geänderte zuerst</translation>
    </message>
    <message>
        <source>Longest unchanged first</source>
        <translation>Am längsten unverändert zuerst</translation>
    </message>
    <message>
        <source>New note</source>
        <translation>Neue Notiz</translation>
    </message>
    <message>
        <source>Newest first</source>
        <translation>Neueste zuerst</translation>
    </message>
    <message>
        <source>No note fits this filter.</source>
        <translation>Keine Notiz passt zu diesem Filter.</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Reihenfolge</translation>
    </message>
    <message>
        <source>Show deleted notes</source>
        <translation>Gelöschte Notizen zeigen</translation>
    </message>
    <message>
        <source>Show or hide the filters</source>
        <translation>Filter ein- oder ausblenden</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Ohne Titel</translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>angeheftet</translation>
    </message>
</context>
<context>
    <name>NoteOrganising</name>
    <message>
        <source>New note from this</source>
        <translation>Neue Notiz hieraus</translation>
    </message>
    <message>
        <source>Use for the daily note</source>
        <translation>Für die Tagesnotiz benutzen</translation>
    </message>
</context>
<context>
    <name>NotesPane</name>
    <message>
        <source>Add a tag</source>
        <translation>Schlagwort hinzufügen</translation>
    </message>
    <message>
        <source>Attach a file…</source>
        <translation>Datei anhängen …</translation>
    </message>
    <message>
        <source>Calendar of days</source>
        <translation>Kalender der Tage</translation>
    </message>
    <message>
        <source>Choose a note</source>
        <translation>Notiz wählen</translation>
    </message>
    <message>
        <source>Ctrl+N begins a note, Ctrl+D opens today&apos;s.</source>
        <translation>Strg+N beginnt eine Notiz, Strg+D öffnet die von heute.</translation>
    </message>
    <message>
        <source>Delete note</source>
        <translation>Notiz löschen</translation>
    </message>
    <message>
        <source>Empty the trash</source>
        <translation>Papierkorb leeren</translation>
    </message>
    <message>
        <source>Filter notes</source>
        <translation>Notizen filtern</translation>
    </message>
    <message>
        <source>Fold or unfold this section</source>
        <translation>Diesen Abschnitt zu- oder aufklappen</translation>
    </message>
    <message>
        <source>Its text, its links and its history appear here.</source>
        <translation>Ihr Text, ihre Links und ihr Verlauf erscheinen hier.</translation>
    </message>
    <message>
        <source>Merge the selected notes</source>
        <translation>Ausgewählte Notizen zusammenführen</translation>
    </message>
    <message>
        <source>New note</source>
        <translation>Neue Notiz</translation>
    </message>
    <message>
        <source>New note from a template</source>
        <translation>Neue Notiz aus Vorlage</translation>
    </message>
    <message>
        <source>New note. It is kept once you write something.</source>
        <translation>Neue Notiz. Sie wird behalten, sobald du etwas schreibst.</translation>
    </message>
    <message>
        <source>Next marked word</source>
        <translation>Nächstes markiertes Wort</translation>
    </message>
    <message>
        <source>No notes yet</source>
        <translation>Noch keine Notizen</translation>
    </message>
    <message>
        <source>Notes you delete wait here until you restore them.</source>
        <translation>Notizen, die du löschst, warten hier, bis du sie wiederherstellst.</translation>
    </message>
    <message>
        <source>Pin or unpin</source>
        <translation>Anheften oder lösen</translation>
    </message>
    <message>
        <source>Previous marked word</source>
        <translation>Voriges markiertes Wort</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Lesen</translation>
    </message>
    <message>
        <source>Save this filter</source>
        <translation>Diesen Filter speichern</translation>
    </message>
    <message>
        <source>Show deleted notes</source>
        <translation>Gelöschte Notizen zeigen</translation>
    </message>
    <message>
        <source>Show or hide the filters</source>
        <translation>Filter ein- oder ausblenden</translation>
    </message>
    <message>
        <source>The earlier version is restored. What was there before is in the history.</source>
        <translation>Die frühere Fassung ist wiederhergestellt. Was vorher da stand, ist im Verlauf.</translation>
    </message>
    <message>
        <source>The trash is empty</source>
        <translation>Der Papierkorb ist leer</translation>
    </message>
    <message>
        <source>There is no heading above the cursor.</source>
        <translation>Über dem Cursor steht keine Überschrift.</translation>
    </message>
    <message>
        <source>Today&apos;s note</source>
        <translation>Heutige Notiz</translation>
    </message>
    <message>
        <source>Unfold all sections</source>
        <translation>Alle Abschnitte aufklappen</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>Schreiben</translation>
    </message>
    <message>
        <source>Write a note</source>
        <translation>Notiz schreiben</translation>
    </message>
    <message>
        <source>Write and preview</source>
        <translation>Schreiben und Vorschau</translation>
    </message>
    <message>
        <source>Write the first one, or import a folder of Markdown files. What agents learn about you appears here too, for you to read, correct and delete.</source>
        <translation>Schreib die erste, oder importiere einen Ordner mit Markdown-Dateien. Was Agenten über dich lernen, erscheint auch hier, zum Lesen, Berichtigen und Löschen.</translation>
    </message>
</context>
<context>
    <name>OnThisDay</name>
    <message>
        <source>A month ago</source>
        <translation>Vor einem Monat</translation>
    </message>
    <message>
        <source>A year ago</source>
        <translation>Vor einem Jahr</translation>
    </message>
    <message>
        <source>On this day</source>
        <translation>An diesem Tag</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Ohne Titel</translation>
    </message>
    <message>
        <source>{ago}: {title}</source>
        <translation>{ago}: {title}</translation>
    </message>
    <message>
        <source>{n} months ago</source>
        <translation>Vor {n} Monaten</translation>
    </message>
    <message>
        <source>{n} years ago</source>
        <translation>Vor {n} Jahren</translation>
    </message>
</context>
<context>
    <name>OpeningAdviser</name>
    <message>
        <source>A change to your memories was cut off, and taking it back needs a folder that can be changed. Free some space, or copy the folder to another place and open it there.</source>
        <translation>Eine Änderung an deinen Erinnerungen wurde abgebrochen, und um sie zurückzunehmen, braucht es einen Ordner, der sich ändern lässt. Schaff Platz, oder kopiere den Ordner an einen anderen Ort und öffne ihn dort.</translation>
    </message>
    <message>
        <source>A model that your settings name is not on this computer. Safe mode starts without it.</source>
        <translation>Ein Modell, das deine Einstellungen nennen, ist nicht auf diesem Rechner. Der abgesicherte Modus startet ohne es.</translation>
    </message>
    <message>
        <source>Another Keepsake (process {number}) has your memories open and does not answer. Close it, then try again.</source>
        <translation>Ein anderes Keepsake (Prozess {number}) hat deine Erinnerungen geöffnet und antwortet nicht. Schließ es und versuch es dann noch einmal.</translation>
    </message>
    <message>
        <source>Another Keepsake has your memories open and does not answer. Close it, then try again.</source>
        <translation>Ein anderes Keepsake hat deine Erinnerungen geöffnet und antwortet nicht. Schließ es und versuch es dann noch einmal.</translation>
    </message>
    <message>
        <source>Keepsake may not open or change {place}: your account lacks the permission, or the disk cannot be written. Give your account access, then try again, or copy the folder to another place.</source>
        <translation>Keepsake darf {place} nicht öffnen oder ändern: Deinem Konto fehlt die Berechtigung, oder der Datenträger lässt sich nicht beschreiben. Gib deinem Konto Zugriff und versuch es noch einmal, oder kopiere den Ordner an einen anderen Ort.</translation>
    </message>
    <message>
        <source>Memories were being rescued into {folder}, and that did not finish. Rescue them again, or delete it.</source>
        <translation>Erinnerungen wurden nach {folder} gerettet, und das wurde nicht fertig. Rette sie noch einmal, oder lösche den Ordner.</translation>
    </message>
    <message>
        <source>Reading your memories took too long. Try again, or check the file that holds them.</source>
        <translation>Deine Erinnerungen zu lesen hat zu lange gedauert. Versuch es noch einmal, oder prüfe die Datei, in der sie stehen.</translation>
    </message>
    <message>
        <source>The backup that was to be restored is damaged, so nothing was replaced. It was put aside as {name}.</source>
        <translation>Die Sicherung, die wiederhergestellt werden sollte, ist beschädigt, darum wurde nichts ersetzt. Sie liegt nun unter dem Namen {name}.</translation>
    </message>
    <message>
        <source>The disk with your memories is full. Free some space, then try again. Nothing that was saved is lost.</source>
        <translation>Der Datenträger mit deinen Erinnerungen ist voll. Schaff Platz und versuch es dann noch einmal. Nichts Gespeichertes ist verloren.</translation>
    </message>
    <message>
        <source>The file encryption.json of your memories was changed, and not by Keepsake, so nothing was opened. Put a copy in its place that Keepsake wrote: one lies in the folder backups.</source>
        <translation>Die Datei encryption.json deiner Erinnerungen wurde geändert, und nicht von Keepsake; deshalb wurde nichts geöffnet. Ersetze sie durch eine Kopie, die Keepsake geschrieben hat: Eine liegt im Ordner backups.</translation>
    </message>
    <message>
        <source>The file encryption.json, which holds the key of your memories, is missing, damaged or of other memories. Nothing was changed. Bring it back from a copy of the folder.</source>
        <translation>Die Datei encryption.json mit dem Schlüssel deiner Erinnerungen fehlt, ist beschädigt oder gehört zu anderen Erinnerungen. Es wurde nichts geändert. Hol sie aus einer Kopie des Ordners zurück.</translation>
    </message>
    <message>
        <source>The file that holds your memories is damaged. Nothing was changed in it.</source>
        <translation>Die Datei mit deinen Erinnerungen ist beschädigt. Nichts darin wurde geändert.</translation>
    </message>
    <message>
        <source>The file with your memories is missing or empty in {folder}, although it was in use before.</source>
        <translation>Die Datei mit deinen Erinnerungen fehlt in {folder} oder ist leer, obwohl sie schon benutzt wurde.</translation>
    </message>
    <message>
        <source>The folder of your memories</source>
        <translation>Der Ordner deiner Erinnerungen</translation>
    </message>
    <message>
        <source>The keyring of your desktop does not answer. Unlock it, then try again, or start in safe mode.</source>
        <translation>Der Schlüsselbund deines Desktops antwortet nicht. Entsperre ihn und versuch es noch einmal, oder starte im abgesicherten Modus.</translation>
    </message>
    <message>
        <source>Your desktop has no keyring for the keys that your settings name. Safe mode starts without them.</source>
        <translation>Dein Desktop hat keinen Schlüsselbund für die Schlüssel, die deine Einstellungen nennen. Der abgesicherte Modus startet ohne sie.</translation>
    </message>
    <message>
        <source>Your memories are encrypted, and this installation of Keepsake cannot open them. The help on encryption says how to install one that can.</source>
        <translation>Deine Erinnerungen sind verschlüsselt, und dieses Keepsake kann sie nicht öffnen. Die Hilfe zur Verschlüsselung sagt, wie man eines installiert, das es kann.</translation>
    </message>
    <message>
        <source>Your memories are encrypted. Type the passphrase to open them.</source>
        <translation>Deine Erinnerungen sind verschlüsselt. Gib die Passphrase ein, um sie zu öffnen.</translation>
    </message>
    <message>
        <source>Your memories are from an older Keepsake and have to be brought up to date. That needs free space and a folder that can be changed: copy the folder to such a place, then open it there.</source>
        <translation>Deine Erinnerungen stammen von einem älteren Keepsake und müssen auf den neuen Stand gebracht werden. Das braucht freien Platz und einen Ordner, der sich ändern lässt: Kopiere den Ordner an einen solchen Ort und öffne ihn dort.</translation>
    </message>
    <message>
        <source>Your memories could not be brought up to date for this version of Keepsake. Nothing was changed. What they hold can be rescued into a new folder.</source>
        <translation>Deine Erinnerungen konnten nicht auf den Stand dieser Version von Keepsake gebracht werden. Nichts wurde geändert. Was sie enthalten, lässt sich in einen neuen Ordner retten.</translation>
    </message>
    <message>
        <source>Your memories could not be read from the disk. Try again; if that does not help, check the file.</source>
        <translation>Deine Erinnerungen konnten nicht vom Datenträger gelesen werden. Versuch es noch einmal; wenn das nicht hilft, prüfe die Datei.</translation>
    </message>
    <message>
        <source>Your memories were last opened by a newer Keepsake. Update Keepsake to open them.</source>
        <translation>Deine Erinnerungen wurden zuletzt von einem neueren Keepsake geöffnet. Aktualisiere Keepsake, um sie zu öffnen.</translation>
    </message>
    <message>
        <source>{place} cannot be opened. Check that it is there and that it is yours, then try again.</source>
        <translation>{place} kann nicht geöffnet werden. Prüfe, ob es da ist und dir gehört, und versuch es noch einmal.</translation>
    </message>
    <message>
        <source>{place} holds the data of another program. Nothing was changed in it.</source>
        <translation>{place} enthält Daten eines anderen Programms. Nichts darin wurde geändert.</translation>
    </message>
    <message>
        <source>{place} is a file. Your memories are kept in a folder; open that instead.</source>
        <translation>{place} ist eine Datei. Deine Erinnerungen stehen in einem Ordner; öffne stattdessen diesen.</translation>
    </message>
    <message>
        <source>{place} is not encrypted, and your memories are: another program has put it there. Nothing was read from it or written to it. Move it out of the folder, then restore a backup or open another vault.</source>
        <translation>{place} ist nicht verschlüsselt, deine Erinnerungen aber sind es: Ein anderes Programm hat die Datei dorthin gelegt. Es wurde nichts daraus gelesen und nichts hineingeschrieben. Nimm sie aus dem Ordner, stell dann eine Sicherung wieder her oder öffne einen anderen Tresor.</translation>
    </message>
</context>
<context>
    <name>OutlineSection</name>
    <message>
        <source>Outline</source>
        <translation>Gliederung</translation>
    </message>
</context>
<context>
    <name>Palette</name>
    <message>
        <source>Command or title</source>
        <translation>Befehl oder Titel</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>Unterhaltung</translation>
    </message>
    <message>
        <source>Create note ‘{text}’</source>
        <translation>Notiz „{text}“ anlegen</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Organization</source>
        <translation>Organisation</translation>
    </message>
    <message>
        <source>Person</source>
        <translation>Person</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Search everything for ‘{text}’</source>
        <translation>Alles nach „{text}“ durchsuchen</translation>
    </message>
    <message>
        <source>Search or jump to a note or conversation…</source>
        <translation>Suchen oder zu Notiz oder Unterhaltung springen …</translation>
    </message>
    <message>
        <source>Suggestions</source>
        <translation>Vorschläge</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Schlagwort</translation>
    </message>
    <message>
        <source>Type a command, title, tag or name…</source>
        <translation>Befehl, Titel, Schlagwort oder Name …</translation>
    </message>
    <message>
        <source>↑ ↓ choose   ·   Enter open   ·   Esc close</source>
        <translation>↑ ↓ wählen   ·   Eingabe öffnen   ·   Esc schließen</translation>
    </message>
</context>
<context>
    <name>Panes</name>
    <message>
        <source>Agents</source>
        <translation>Agenten</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>Inbox</source>
        <translation>Eingang</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Zeitplan</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suche</translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation>Unterhaltungen</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
</context>
<context>
    <name>Passphrase</name>
    <message>
        <source>At least {n} characters; several words are better than one.</source>
        <translation>Mindestens {n} Zeichen; mehrere Wörter sind besser als eines.</translation>
    </message>
    <message>
        <source>It must not begin or end with a space.</source>
        <translation>Sie darf nicht mit einem Leerzeichen beginnen oder enden.</translation>
    </message>
    <message>
        <source>The two differ.</source>
        <translation>Die beiden sind verschieden.</translation>
    </message>
    <message>
        <source>This is one of the first that anyone tries. Choose several words.</source>
        <translation>Dies gehört zu den ersten, die jeder ausprobiert. Wähle mehrere Wörter.</translation>
    </message>
    <message>
        <source>This is too long, or has characters that cannot be typed.</source>
        <translation>Das ist zu lang oder hat Zeichen, die man nicht tippen kann.</translation>
    </message>
</context>
<context>
    <name>PassphraseField</name>
    <message>
        <source>Hide the passphrase</source>
        <translation>Passphrase verbergen</translation>
    </message>
    <message>
        <source>Show the passphrase</source>
        <translation>Passphrase zeigen</translation>
    </message>
</context>
<context>
    <name>PathRow</name>
    <message>
        <source>Choose…</source>
        <translation>Wählen…</translation>
    </message>
</context>
<context>
    <name>PictureCache</name>
    <message>
        <source>it leads out of the attachments folder</source>
        <translation>es führt aus dem Ordner der Anhänge hinaus</translation>
    </message>
    <message>
        <source>the file is not there</source>
        <translation>die Datei ist nicht da</translation>
    </message>
    <message>
        <source>the picture is damaged</source>
        <translation>das Bild ist beschädigt</translation>
    </message>
    <message>
        <source>the picture is too large to be shown</source>
        <translation>das Bild ist zu groß, um es zu zeigen</translation>
    </message>
    <message>
        <source>this note has too many large pictures to show them all</source>
        <translation>diese Notiz hat zu viele große Bilder, um alle zu zeigen</translation>
    </message>
</context>
<context>
    <name>PrepareForm</name>
    <message>
        <source>Choose its folder…</source>
        <translation>Seinen Ordner wählen …</translation>
    </message>
    <message>
        <source>Fetch it and try again</source>
        <translation>Laden und noch einmal versuchen</translation>
    </message>
    <message>
        <source>Fetching lets Keepsake get the files of models from the network. No text of yours is sent.</source>
        <translation>Das lässt Keepsake die Dateien von Modellen aus dem Netz laden. Kein Text von dir wird gesendet.</translation>
    </message>
    <message>
        <source>Fetching {model} was stopped. What came of it is kept; prepare it again to go on.</source>
        <translation>Das Laden von {model} wurde angehalten. Was da ist, wird behalten; bereite es noch einmal vor, um fortzufahren.</translation>
    </message>
    <message>
        <source>Folder of {model}</source>
        <translation>Ordner von {model}</translation>
    </message>
    <message>
        <source>For English, the built-in model is the best choice measured so far: in conversations, all-MiniLM-L6-v2 found 84.4 % of what was sought among ten results, the built-in model 85.8 %, and it is faster. A larger model helped with scientific documents (0.741 against 0.707, NDCG@10) and may help with other languages.</source>
        <translation>Für Englisch ist das eingebaute Modell die beste bisher gemessene Wahl: In Unterhaltungen fand all-MiniLM-L6-v2 84,4 % des Gesuchten unter zehn Ergebnissen, das eingebaute Modell 85,8 %, und es ist schneller. Ein größeres Modell half bei wissenschaftlichen Dokumenten (0,741 gegen 0,707, NDCG@10) und hilft vielleicht bei anderen Sprachen.</translation>
    </message>
    <message>
        <source>Its vectors are made in the background while the old model answers; the old ones are kept for a week after the switch. A service on the network gets to see what is searched for and what is not private.</source>
        <translation>Seine Vektoren entstehen im Hintergrund, während das alte Modell antwortet; die alten werden nach dem Wechsel eine Woche behalten. Ein Dienst im Netz erfährt, wonach gesucht wird und was nicht privat ist.</translation>
    </message>
    <message>
        <source>Let me compare before it answers</source>
        <translation>Mich vergleichen lassen, bevor es antwortet</translation>
    </message>
    <message>
        <source>Name of a model, such as static or openai:text-embedding-3-small</source>
        <translation>Name eines Modells, etwa static oder openai:text-embedding-3-small</translation>
    </message>
    <message>
        <source>Name of the model to prepare</source>
        <translation>Name des Modells, das vorzubereiten ist</translation>
    </message>
    <message>
        <source>Opening {model}…</source>
        <translation>{model} wird geöffnet …</translation>
    </message>
    <message>
        <source>Prepare</source>
        <translation>Vorbereiten</translation>
    </message>
    <message>
        <source>Prepare another model</source>
        <translation>Anderes Modell vorbereiten</translation>
    </message>
    <message>
        <source>Progress of opening the model</source>
        <translation>Fortschritt beim Öffnen des Modells</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Hält an …</translation>
    </message>
</context>
<context>
    <name>Program</name>
    <message>
        <source>A machine asks to come in</source>
        <translation>Ein Rechner bittet um Einlass</translation>
    </message>
    <message>
        <source>Connected again. What you typed is being saved.</source>
        <translation>Wieder verbunden. Was du getippt hast, wird gespeichert.</translation>
    </message>
    <message>
        <source>Keepsake now runs in this window. What you typed is being saved.</source>
        <translation>Keepsake läuft jetzt in diesem Fenster. Was du getippt hast, wird gespeichert.</translation>
    </message>
    <message>
        <source>Kept as a note.</source>
        <translation>Als Notiz behalten.</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Gespeichert</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Zeitplan</translation>
    </message>
    <message>
        <source>The Keepsake that had your memories open has ended. This window is opening them itself; what you type meanwhile is kept and saved then.</source>
        <translation>Das Keepsake, das deine Erinnerungen geöffnet hatte, ist beendet. Dieses Fenster öffnet sie nun selbst; was du inzwischen tippst, bleibt und wird dann gespeichert.</translation>
    </message>
    <message>
        <source>The sample vault could not be opened.</source>
        <translation>Der Beispieltresor konnte nicht geöffnet werden.</translation>
    </message>
    <message>
        <source>Your memories cannot be opened yet: {reason} What you typed is kept here; trying again.</source>
        <translation>Deine Erinnerungen können noch nicht geöffnet werden: {reason} Was du getippt hast, bleibt hier; es wird weiter versucht.</translation>
    </message>
</context>
<context>
    <name>ProjectField</name>
    <message>
        <source>It is in no project now</source>
        <translation>Es gehört jetzt zu keinem Projekt</translation>
    </message>
    <message>
        <source>It is in the project ‘{title}’ now</source>
        <translation>Es gehört jetzt zum Projekt „{title}“</translation>
    </message>
    <message>
        <source>Known projects</source>
        <translation>Bekannte Projekte</translation>
    </message>
    <message>
        <source>No project</source>
        <translation>Kein Projekt</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
</context>
<context>
    <name>ProposalList</name>
    <message>
        <source>Contradiction</source>
        <translation>Widerspruch</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>Proposals</source>
        <translation>Vorschläge</translation>
    </message>
    <message>
        <source>Proposals shown</source>
        <translation>Gezeigte Vorschläge</translation>
    </message>
    <message>
        <source>While you were away</source>
        <translation>Während du weg warst</translation>
    </message>
</context>
<context>
    <name>ProposalPage</name>
    <message>
        <source>Accept</source>
        <translation>Annehmen</translation>
    </message>
    <message>
        <source>Accept as edited</source>
        <translation>Bearbeitet annehmen</translation>
    </message>
    <message>
        <source>Always accept from {agent}: {kind}</source>
        <translation>Immer annehmen von {agent}: {kind}</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Edit first</source>
        <translation>Erst bearbeiten</translation>
    </message>
    <message>
        <source>It expires on {when}.</source>
        <translation>Er verfällt am {when}.</translation>
    </message>
    <message>
        <source>Its reason: {reason}</source>
        <translation>Seine Begründung: {reason}</translation>
    </message>
    <message>
        <source>Keep both</source>
        <translation>Beide behalten</translation>
    </message>
    <message>
        <source>Keepsake</source>
        <translation>Keepsake</translation>
    </message>
    <message>
        <source>Never accept from {agent}: {kind}</source>
        <translation>Nie annehmen von {agent}: {kind}</translation>
    </message>
    <message>
        <source>Reject</source>
        <translation>Ablehnen</translation>
    </message>
    <message>
        <source>This touches something that you pinned or confirmed: what you know is at the left.</source>
        <translation>Dies betrifft etwas, das du angeheftet oder bestätigt hast: Was du weißt, steht links.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>What this would change was changed since. Look at it again before you accept.</source>
        <translation>Was dies ändern würde, wurde seither geändert. Sieh es noch einmal an, bevor du annimmst.</translation>
    </message>
    <message>
        <source>Your reason: {note}</source>
        <translation>Deine Begründung: {note}</translation>
    </message>
    <message>
        <source>{agent} proposed this on {when}.</source>
        <translation>{agent} schlug dies am {when} vor.</translation>
    </message>
    <message>
        <source>… and 1 more change</source>
        <translation>… und 1 weitere Änderung</translation>
    </message>
    <message>
        <source>… and {n} more changes</source>
        <translation>… und {n} weitere Änderungen</translation>
    </message>
</context>
<context>
    <name>QueryChips</name>
    <message>
        <source>about</source>
        <translation>über</translation>
    </message>
    <message>
        <source>agent</source>
        <translation>Agent</translation>
    </message>
    <message>
        <source>before {day}</source>
        <translation>vor dem {day}</translation>
    </message>
    <message>
        <source>conversation</source>
        <translation>Unterhaltung</translation>
    </message>
    <message>
        <source>file</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>from {day}</source>
        <translation>ab dem {day}</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>not {name}: {value}</source>
        <translation>nicht {name}: {value}</translation>
    </message>
    <message>
        <source>not {word}</source>
        <translation>nicht {word}</translation>
    </message>
    <message>
        <source>project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>said by</source>
        <translation>gesagt von</translation>
    </message>
    <message>
        <source>state</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>store</source>
        <translation>Bereich</translation>
    </message>
    <message>
        <source>tag</source>
        <translation>Schlagwort</translation>
    </message>
    <message>
        <source>type</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>{word}… (any ending)</source>
        <translation>{word}… (jede Endung)</translation>
    </message>
</context>
<context>
    <name>QuickCapture</name>
    <message>
        <source>Captured a note</source>
        <translation>Notiz erfasst</translation>
    </message>
    <message>
        <source>Enter saves  ·  Ctrl+Enter new line  ·  Esc hides and keeps the text</source>
        <translation>Eingabe speichert  ·  Strg+Eingabe neue Zeile  ·  Esc blendet aus und behält den Text</translation>
    </message>
    <message>
        <source>Quick capture</source>
        <translation>Schnellerfassung</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Gespeichert</translation>
    </message>
    <message>
        <source>What do you want to remember?</source>
        <translation>Was möchtest du dir merken?</translation>
    </message>
    <message>
        <source>What to remember</source>
        <translation>Was zu merken ist</translation>
    </message>
</context>
<context>
    <name>QuickControls</name>
    <message>
        <source>Incognito for 1 hour</source>
        <translation>Inkognito für 1 Stunde</translation>
    </message>
    <message>
        <source>Incognito: no agent reads or records</source>
        <translation>Inkognito: Kein Agent liest oder zeichnet auf</translation>
    </message>
    <message>
        <source>Not all of what can be run or paused is shown. {reason}</source>
        <translation>Nicht alles, was laufen oder pausieren kann, wird gezeigt. {reason}</translation>
    </message>
    <message>
        <source>Pause for 1 hour</source>
        <translation>Pause für 1 Stunde</translation>
    </message>
    <message>
        <source>Pause until I resume</source>
        <translation>Pause, bis ich fortsetze</translation>
    </message>
    <message>
        <source>Pause until tomorrow</source>
        <translation>Pause bis morgen</translation>
    </message>
    <message>
        <source>Resume scheduled work</source>
        <translation>Geplante Arbeit fortsetzen</translation>
    </message>
    <message>
        <source>Run now: {name}</source>
        <translation>Jetzt ausführen: {name}</translation>
    </message>
    <message>
        <source>Scheduled work goes on</source>
        <translation>Geplante Arbeit läuft weiter</translation>
    </message>
    <message>
        <source>Scheduled work is paused for 1 hour</source>
        <translation>Geplante Arbeit pausiert für 1 Stunde</translation>
    </message>
    <message>
        <source>Scheduled work is paused until tomorrow</source>
        <translation>Geplante Arbeit pausiert bis morgen</translation>
    </message>
    <message>
        <source>Scheduled work is paused until you resume it</source>
        <translation>Geplante Arbeit pausiert, bis du sie fortsetzt</translation>
    </message>
    <message>
        <source>Undo the night: what jobs did in the past day</source>
        <translation>Die Nacht zurücknehmen: was Aufgaben in den letzten 24 Stunden taten</translation>
    </message>
    <message>
        <source>private agents reading recording stop</source>
        <translation>privat Agenten lesen aufzeichnen anhalten</translation>
    </message>
    <message>
        <source>upkeep consolidation decay take back last night</source>
        <translation>Pflege Festigung Verblassen zurücknehmen letzte Nacht</translation>
    </message>
    <message>
        <source>{name} goes on</source>
        <translation>{name} macht weiter</translation>
    </message>
    <message>
        <source>{name} is paused</source>
        <translation>{name} pausiert</translation>
    </message>
    <message>
        <source>‘{name}’ runs</source>
        <translation>„{name}“ läuft</translation>
    </message>
</context>
<context>
    <name>ReadingPane</name>
    <message>
        <source>Add tags</source>
        <translation>Schlagwörter hinzufügen</translation>
    </message>
    <message>
        <source>No note is called ‘{title}’ yet.</source>
        <translation>Noch heißt keine Notiz „{title}“.</translation>
    </message>
</context>
<context>
    <name>RecentSearches</name>
    <message>
        <source>&quot;exact words&quot; tag:garden</source>
        <translation>&quot;genaue Wörter&quot; tag:garten</translation>
    </message>
    <message>
        <source>Everything one can type</source>
        <translation>Alles, was man eingeben kann</translation>
    </message>
    <message>
        <source>For example</source>
        <translation>Zum Beispiel</translation>
    </message>
    <message>
        <source>Recent searches</source>
        <translation>Letzte Suchen</translation>
    </message>
    <message>
        <source>Saved searches</source>
        <translation>Gespeicherte Suchen</translation>
    </message>
    <message>
        <source>a question in your own words</source>
        <translation>eine Frage in deinen eigenen Worten</translation>
    </message>
    <message>
        <source>kind:note after:&quot;last week&quot;</source>
        <translation>kind:note after:&quot;last week&quot;</translation>
    </message>
    <message>
        <source>role:user -weather plan*</source>
        <translation>role:user -wetter plan*</translation>
    </message>
    <message>
        <source>the newest notes since then</source>
        <translation>die neuesten Notizen seitdem</translation>
    </message>
    <message>
        <source>these words side by side, in what has the tag</source>
        <translation>diese Wörter nebeneinander, in allem mit dem Schlagwort</translation>
    </message>
    <message>
        <source>what you said of plan, plans, planning… but not of weather</source>
        <translation>was du über Plan, Planung, planen … sagtest, aber nicht über Wetter</translation>
    </message>
    <message>
        <source>when did we talk about the lake</source>
        <translation>wann haben wir über den See gesprochen</translation>
    </message>
</context>
<context>
    <name>RelateForm</name>
    <message>
        <source>Relate</source>
        <translation>Verknüpfen</translation>
    </message>
    <message>
        <source>Related to</source>
        <translation>Verknüpft mit</translation>
    </message>
    <message>
        <source>Say how ‘{name}’ is related to another name, such as ‘works at’.</source>
        <translation>Sag, wie „{name}“ mit einem anderen Namen verknüpft ist, etwa „arbeitet bei“.</translation>
    </message>
    <message>
        <source>To whom or what…</source>
        <translation>Mit wem oder was …</translation>
    </message>
    <message>
        <source>What joins them</source>
        <translation>Was sie verbindet</translation>
    </message>
    <message>
        <source>works at, lives in, sister of…</source>
        <translation>arbeitet bei, wohnt in, Schwester von …</translation>
    </message>
</context>
<context>
    <name>RenameForm</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>The old name stays an alias, so that texts still find it.</source>
        <translation>Der alte Name bleibt als weiterer Name, damit Texte ihn noch finden.</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Who or what it is, in a sentence</source>
        <translation>Wer oder was es ist, in einem Satz</translation>
    </message>
</context>
<context>
    <name>Report</name>
    <message>
        <source> (repaired)</source>
        <translation> (repariert)</translation>
    </message>
    <message>
        <source>1 attachment</source>
        <translation>1 Anhang</translation>
    </message>
    <message>
        <source>1 conversation</source>
        <translation>1 Unterhaltung</translation>
    </message>
    <message>
        <source>1 conversation or note is there already</source>
        <translation>1 Unterhaltung oder Notiz ist schon da</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 Nachricht</translation>
    </message>
    <message>
        <source>1 note</source>
        <translation>1 Notiz</translation>
    </message>
    <message>
        <source>1 of {all} lines, messages or files in it is left out</source>
        <translation>1 von {all} Zeilen, Nachrichten oder Dateien darin bleibt weg</translation>
    </message>
    <message>
        <source>1 problem, listed below; everything else went in.</source>
        <translation>1 Problem, unten aufgeführt; alles andere ist da.</translation>
    </message>
    <message>
        <source>1 problem:</source>
        <translation>1 Problem:</translation>
    </message>
    <message>
        <source>At least {made}</source>
        <translation>Mindestens {made}</translation>
    </message>
    <message>
        <source>For {name}</source>
        <translation>Für {name}</translation>
    </message>
    <message>
        <source>Good to know:</source>
        <translation>Gut zu wissen:</translation>
    </message>
    <message>
        <source>Imported</source>
        <translation>Importiert</translation>
    </message>
    <message>
        <source>It can be imported until {day}.</source>
        <translation>Importierbar bis {day}.</translation>
    </message>
    <message>
        <source>It says that it is from {name}.</source>
        <translation>Sie gibt an, von {name} zu sein.</translation>
    </message>
    <message>
        <source>Key: {key}</source>
        <translation>Schlüssel: {key}</translation>
    </message>
    <message>
        <source>Leave out 1 text that looks as if it held a key or a password</source>
        <translation>1 Text weglassen, der einen Schlüssel oder ein Passwort zu enthalten scheint</translation>
    </message>
    <message>
        <source>Leave out {n} texts that look as if they held a key or a password</source>
        <translation>{n} Texte weglassen, die einen Schlüssel oder ein Passwort zu enthalten scheinen</translation>
    </message>
    <message>
        <source>Nothing new</source>
        <translation>Nichts Neues</translation>
    </message>
    <message>
        <source>Several kinds of exports</source>
        <translation>Exporte verschiedener Art</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Type its passphrase to see what it holds.</source>
        <translation>Gib die Passphrase ein, um zu sehen, was darin ist.</translation>
    </message>
    <message>
        <source>What was imported so far stays. Import it again to continue.</source>
        <translation>Was bisher importiert wurde, bleibt. Importiere es noch einmal, um fortzufahren.</translation>
    </message>
    <message>
        <source>You have imported nothing with this key so far, and anybody can write that name. Ask the sender for their key in another way, such as by telephone, and compare it with the one above.</source>
        <translation>Du hast mit diesem Schlüssel bisher nichts importiert, und diesen Namen kann jeder schreiben. Frag den Absender auf anderem Weg, etwa am Telefon, nach seinem Schlüssel und vergleiche ihn mit dem obigen.</translation>
    </message>
    <message>
        <source>You know this key since {day}, as that of {name}.</source>
        <translation>Du kennst diesen Schlüssel seit {day} als den von {name}.</translation>
    </message>
    <message>
        <source>You made it yourself.</source>
        <translation>Du hast sie selbst erstellt.</translation>
    </message>
    <message>
        <source>in {span}</source>
        <translation>in {span}</translation>
    </message>
    <message>
        <source>somebody without a name</source>
        <translation>jemand ohne Namen</translation>
    </message>
    <message>
        <source>{n} attachments</source>
        <translation>{n} Anhänge</translation>
    </message>
    <message>
        <source>{n} conversations</source>
        <translation>{n} Unterhaltungen</translation>
    </message>
    <message>
        <source>{n} conversations and notes are there already</source>
        <translation>{n} Unterhaltungen und Notizen sind schon da</translation>
    </message>
    <message>
        <source>{n} files</source>
        <translation>{n} Dateien</translation>
    </message>
    <message>
        <source>{n} kB</source>
        <translation>{n} kB</translation>
    </message>
    <message>
        <source>{n} left out that may hold a key or a password</source>
        <translation>{n} weggelassen, die einen Schlüssel oder ein Passwort enthalten können</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} Nachrichten</translation>
    </message>
    <message>
        <source>{n} notes</source>
        <translation>{n} Notizen</translation>
    </message>
    <message>
        <source>{n} of {all} lines, messages or files in it are left out</source>
        <translation>{n} von {all} Zeilen, Nachrichten oder Dateien darin bleiben weg</translation>
    </message>
    <message>
        <source>{n} problems, each listed below; everything else went in.</source>
        <translation>{n} Probleme, jedes unten genannt; alles andere wurde importiert.</translation>
    </message>
    <message>
        <source>{n} problems:</source>
        <translation>{n} Probleme:</translation>
    </message>
    <message>
        <source>{n} updated</source>
        <translation>{n} aktualisiert</translation>
    </message>
    <message>
        <source>{n} were there already</source>
        <translation>{n} waren schon da</translation>
    </message>
    <message>
        <source>… and {n} more</source>
        <translation>… und {n} weitere</translation>
    </message>
</context>
<context>
    <name>Rereading</name>
    <message>
        <source>A cross-encoder: it found 85.5 % of what was sought among ten results instead of 84.7 %, on 200 questions about conversations, and takes 1 to 3 seconds of the processor for each search.</source>
        <translation>Ein Cross-Encoder: Bei 200 Fragen zu Gesprächen fand er 85,5 % des Gesuchten unter zehn Ergebnissen statt 84,7 %; er braucht für jede Suche 1 bis 3 Sekunden des Prozessors.</translation>
    </message>
    <message>
        <source>Late interaction: it found 84.6 % of what was sought among ten results instead of 83.9 %, on 948 questions about conversations, and 57.3 % instead of 54.3 % where several messages answer; it reads every text once in the background, keeps up to 3 kB of each, and takes some hundredths of a second for each search.</source>
        <translation>Späte Interaktion: Bei 948 Fragen zu Gesprächen fand sie 84,6 % des Gesuchten unter zehn Ergebnissen statt 83,9 %, und 57,3 % statt 54,3 %, wo mehrere Nachrichten zusammen antworten; sie liest jeden Text einmal im Hintergrund, behält bis zu 3 kB davon und braucht für jede Suche einige Hundertstelsekunden.</translation>
    </message>
    <message>
        <source>Results stay in the order of words and meaning.</source>
        <translation>Die Ergebnisse bleiben in der Reihenfolge nach Wörtern und Bedeutung.</translation>
    </message>
</context>
<context>
    <name>RereadingForm</name>
    <message>
        <source>All texts are read.</source>
        <translation>Alle Texte sind gelesen.</translation>
    </message>
    <message>
        <source>It takes effect at the next start. The model&apos;s files are fetched when they are first needed if the settings allow downloads, or read from the folder that the settings of search name.</source>
        <translation>Es gilt ab dem nächsten Start. Die Dateien des Modells werden geholt, sobald sie gebraucht werden, wenn die Einstellungen Downloads erlauben, oder aus dem Ordner gelesen, den die Einstellungen der Suche nennen.</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>Kein Modell</translation>
    </message>
    <message>
        <source>Read the first results again</source>
        <translation>Die ersten Ergebnisse noch einmal lesen</translation>
    </message>
    <message>
        <source>Texts read: {read} of {all}. The others count by words and meaning alone.</source>
        <translation>Gelesene Texte: {read} von {all}. Für die übrigen zählen nur Wörter und Bedeutung.</translation>
    </message>
    <message>
        <source>What this model gains has not been measured.</source>
        <translation>Was dieses Modell bringt, wurde nicht gemessen.</translation>
    </message>
</context>
<context>
    <name>ResultExport</name>
    <message>
        <source>CSV, for spreadsheets (*.csv)</source>
        <translation>CSV, für Tabellenprogramme (*.csv)</translation>
    </message>
    <message>
        <source>Export the results</source>
        <translation>Ergebnisse exportieren</translation>
    </message>
    <message>
        <source>Exported 1 result to {file}</source>
        <translation>1 Ergebnis nach {file} exportiert</translation>
    </message>
    <message>
        <source>Exported the first {count} of {all} results to {file}</source>
        <translation>Die ersten {count} von {all} Ergebnissen nach {file} exportiert</translation>
    </message>
    <message>
        <source>Exported {count} results to {file}</source>
        <translation>{count} Ergebnisse nach {file} exportiert</translation>
    </message>
    <message>
        <source>JSON Lines, for programs (*.jsonl)</source>
        <translation>JSON Lines, für Programme (*.jsonl)</translation>
    </message>
    <message>
        <source>Markdown, to read (*.md)</source>
        <translation>Markdown, zum Lesen (*.md)</translation>
    </message>
    <message>
        <source>PDF, to print (*.pdf)</source>
        <translation>PDF, zum Drucken (*.pdf)</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Ohne Titel</translation>
    </message>
    <message>
        <source>Web page (*.html)</source>
        <translation>Webseite (*.html)</translation>
    </message>
</context>
<context>
    <name>ResultList</name>
    <message>
        <source>Results</source>
        <translation>Ergebnisse</translation>
    </message>
</context>
<context>
    <name>ResultModel</name>
    <message>
        <source>Near in meaning</source>
        <translation>Der Bedeutung nach ähnlich</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Ohne Titel</translation>
    </message>
    <message>
        <source>{title}, 1 result</source>
        <translation>{title}, 1 Ergebnis</translation>
    </message>
    <message>
        <source>{title}, {count} results</source>
        <translation>{title}, {count} Ergebnisse</translation>
    </message>
</context>
<context>
    <name>ResultSummary</name>
    <message>
        <source>Results: the first {count} of {all}</source>
        <translation>Ergebnisse: die ersten {count} von {all}</translation>
    </message>
    <message>
        <source>Results: {count}</source>
        <translation>Ergebnisse: {count}</translation>
    </message>
    <message>
        <source>Still searching: the index is busy, or the vault is large.</source>
        <translation>Es wird noch gesucht: Der Index ist beschäftigt, oder der Tresor ist groß.</translation>
    </message>
    <message>
        <source>The results by words stay.</source>
        <translation>Die Ergebnisse nach Wörtern bleiben.</translation>
    </message>
    <message>
        <source>by words, meaning follows…</source>
        <translation>nach Wörtern, die Bedeutung folgt …</translation>
    </message>
    <message>
        <source>found by {legs}</source>
        <translation>gefunden durch {legs}</translation>
    </message>
    <message>
        <source>meaning</source>
        <translation>Bedeutung</translation>
    </message>
    <message>
        <source>names</source>
        <translation>Namen</translation>
    </message>
    <message>
        <source>newest first</source>
        <translation>neueste zuerst</translation>
    </message>
    <message>
        <source>words</source>
        <translation>Wörter</translation>
    </message>
</context>
<context>
    <name>RunChart</name>
    <message>
        <source>Latest runs. {parts}</source>
        <translation>Letzte Läufe. {parts}</translation>
    </message>
</context>
<context>
    <name>RunHistory</name>
    <message>
        <source>1 turn</source>
        <translation>1 Runde</translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>It has not run yet.</source>
        <translation>Noch nicht gelaufen.</translation>
    </message>
    <message>
        <source>No output</source>
        <translation>Keine Ausgabe</translation>
    </message>
    <message>
        <source>Output of the run</source>
        <translation>Ausgabe des Laufs</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Undo this run</source>
        <translation>Diesen Lauf zurücknehmen</translation>
    </message>
    <message>
        <source>Undone</source>
        <translation>Rückgängig gemacht</translation>
    </message>
    <message>
        <source>Undone in part</source>
        <translation>Teilweise rückgängig gemacht</translation>
    </message>
    <message>
        <source>cost {cost}</source>
        <translation>Kosten {cost}</translation>
    </message>
    <message>
        <source>{n} turns</source>
        <translation>{n} Runden</translation>
    </message>
    <message>
        <source>… and {n} more</source>
        <translation>… und {n} weitere</translation>
    </message>
</context>
<context>
    <name>SavedFilters</name>
    <message>
        <source>Another filter is called ‘{name}’ already.</source>
        <translation>Ein anderer Filter heißt schon „{name}“.</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Name:</source>
        <translation>Name:</translation>
    </message>
    <message>
        <source>Removed the filter ‘{name}’. Its notes stay.</source>
        <translation>Filter „{name}“ entfernt. Seine Notizen bleiben.</translation>
    </message>
    <message>
        <source>Rename the filter</source>
        <translation>Filter umbenennen</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>Umbenennen …</translation>
    </message>
    <message>
        <source>Save this filter</source>
        <translation>Diesen Filter speichern</translation>
    </message>
    <message>
        <source>Saved the filter ‘{name}’</source>
        <translation>Filter „{name}“ gespeichert</translation>
    </message>
</context>
<context>
    <name>SavedSearchList</name>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Erase for ever…</source>
        <translation>Endgültig löschen …</translation>
    </message>
    <message>
        <source>Move down (Alt+Down)</source>
        <translation>Nach unten (Alt+Ab)</translation>
    </message>
    <message>
        <source>Move up (Alt+Up)</source>
        <translation>Nach oben (Alt+Auf)</translation>
    </message>
    <message>
        <source>Rename (F2)</source>
        <translation>Umbenennen (F2)</translation>
    </message>
    <message>
        <source>Saved searches</source>
        <translation>Gespeicherte Suchen</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
</context>
<context>
    <name>Schedule</name>
    <message>
        <source>Consolidation every night</source>
        <translation>Festigung jede Nacht</translation>
    </message>
    <message>
        <source>Consolidation when a conversation has ended</source>
        <translation>Festigung nach dem Ende einer Unterhaltung</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Done for good</source>
        <translation>Für immer erledigt</translation>
    </message>
    <message>
        <source>Due now</source>
        <translation>Jetzt fällig</translation>
    </message>
    <message>
        <source>Every day</source>
        <translation>Jeden Tag</translation>
    </message>
    <message>
        <source>Every hour</source>
        <translation>Jede Stunde</translation>
    </message>
    <message>
        <source>Every minute</source>
        <translation>Jede Minute</translation>
    </message>
    <message>
        <source>Every {n} days</source>
        <translation>Alle {n} Tage</translation>
    </message>
    <message>
        <source>Every {n} hours</source>
        <translation>Alle {n} Stunden</translation>
    </message>
    <message>
        <source>Every {n} minutes</source>
        <translation>Alle {n} Minuten</translation>
    </message>
    <message>
        <source>Every {n} seconds</source>
        <translation>Alle {n} Sekunden</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Gescheitert</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>Unterbrochen</translation>
    </message>
    <message>
        <source>Missed</source>
        <translation>Verpasst</translation>
    </message>
    <message>
        <source>Once, on {when}</source>
        <translation>Einmal, am {when}</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>Geplant</translation>
    </message>
    <message>
        <source>Switched off</source>
        <translation>Ausgeschaltet</translation>
    </message>
    <message>
        <source>today {time}</source>
        <translation>heute {time}</translation>
    </message>
    <message>
        <source>tomorrow {time}</source>
        <translation>morgen {time}</translation>
    </message>
    <message>
        <source>under a second</source>
        <translation>unter einer Sekunde</translation>
    </message>
    <message>
        <source>{n} h</source>
        <translation>{n} h</translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation>{n} min</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} s</translation>
    </message>
</context>
<context>
    <name>ScheduleEditor</name>
    <message>
        <source>A language model pursues the goal with your memories, where you have set one up. Without one it waits until an agent that you allowed takes it on.</source>
        <translation>Ein Sprachmodell verfolgt das Ziel mit deinen Erinnerungen, wo du eines eingerichtet hast. Ohne eines wartet es, bis ein von dir zugelassener Agent es übernimmt.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Goal</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>New schedule</source>
        <translation>Neuer Zeitplan</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Tell me</source>
        <translation>Benachrichtigen</translation>
    </message>
    <message>
        <source>The beginning of the goal, if you leave this empty</source>
        <translation>Der Anfang des Ziels, wenn du dies leer lässt</translation>
    </message>
    <message>
        <source>What is to be done, such as: Summarise what I learned about Rust this week</source>
        <translation>Was zu tun ist, etwa: Fasse zusammen, was ich diese Woche über Rust gelernt habe</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>after each run</source>
        <translation>nach jedem Lauf</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>only when it fails</source>
        <translation>nur bei Fehlschlag</translation>
    </message>
    <message>
        <source>{words}. Next: {times}</source>
        <translation>{words}. Nächste: {times}</translation>
    </message>
</context>
<context>
    <name>ScheduleList</name>
    <message>
        <source>Filter by words</source>
        <translation>Filtern</translation>
    </message>
    <message>
        <source>Filter schedules</source>
        <translation>Zeitpläne filtern</translation>
    </message>
    <message>
        <source>Goal</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>New schedule</source>
        <translation>Neuer Zeitplan</translation>
    </message>
    <message>
        <source>No schedule fits this filter.</source>
        <translation>Kein Zeitplan passt zu diesem Filter.</translation>
    </message>
    <message>
        <source>Schedules</source>
        <translation>Zeitpläne</translation>
    </message>
    <message>
        <source>ran {time}</source>
        <translation>lief {time}</translation>
    </message>
</context>
<context>
    <name>ScheduleNotifier</name>
    <message>
        <source>There are {n} more notes about schedules; the pane Schedule shows all runs.</source>
        <translation>Es gibt {n} weitere Hinweise zu Zeitplänen; die Ansicht Zeitplan zeigt alle Läufe.</translation>
    </message>
    <message>
        <source>There is 1 more note about schedules; the pane Schedule shows all runs.</source>
        <translation>Es gibt 1 weiteren Hinweis zu Zeitplänen; die Ansicht Zeitplan zeigt alle Läufe.</translation>
    </message>
</context>
<context>
    <name>SchedulePage</name>
    <message>
        <source>1 day: {count}</source>
        <translation>1 Tag: {count}</translation>
    </message>
    <message>
        <source>Before it runs</source>
        <translation>Vor dem Lauf</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Ändern …</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Erase for ever…</source>
        <translation>Endgültig löschen …</translation>
    </message>
    <message>
        <source>It runs on {machine}, for all your machines.</source>
        <translation>Es läuft auf {machine}, für alle deine Rechner.</translation>
    </message>
    <message>
        <source>Last run: {last}</source>
        <translation>Letzter Lauf: {last}</translation>
    </message>
    <message>
        <source>Next, in your time: {times}</source>
        <translation>Als Nächstes, in deiner Zeit: {times}</translation>
    </message>
    <message>
        <source>Next: {times}</source>
        <translation>Nächste: {times}</translation>
    </message>
    <message>
        <source>Of 1 fact that can fade, these would be gone if nobody used it:</source>
        <translation>Von 1 Fakt, der verblassen kann, wären so viele weg, wenn ihn niemand nutzte:</translation>
    </message>
    <message>
        <source>Of {n} facts that can fade, these would be gone if nobody used them:</source>
        <translation>Von {n} Fakten, die verblassen können, wären so viele weg, wenn sie niemand nutzte:</translation>
    </message>
    <message>
        <source>Run it here from now on</source>
        <translation>Ab jetzt hier ausführen</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>Jetzt ausführen</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Show what it would do now</source>
        <translation>Zeigen, was es jetzt täte</translation>
    </message>
    <message>
        <source>Switch off</source>
        <translation>Ausschalten</translation>
    </message>
    <message>
        <source>Switch on</source>
        <translation>Einschalten</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>{n} days: {count}</source>
        <translation>{n} Tage: {count}</translation>
    </message>
    <message>
        <source>{words} (time of {zone})</source>
        <translation>{words} (Zeit von {zone})</translation>
    </message>
    <message>
        <source>… and {n} more</source>
        <translation>… und {n} weitere</translation>
    </message>
</context>
<context>
    <name>SchedulePane</name>
    <message>
        <source>Brought back what the run did</source>
        <translation>Was der Lauf tat, ist wiederhergestellt</translation>
    </message>
    <message>
        <source>Changed ‘{name}’</source>
        <translation>„{name}“ geändert</translation>
    </message>
    <message>
        <source>Choose a schedule to see when it runs and what it did, or set a goal of your own.</source>
        <translation>Wähle einen Zeitplan, um zu sehen, wann er läuft und was er getan hat, oder setz ein eigenes Ziel.</translation>
    </message>
    <message>
        <source>Created ‘{name}’</source>
        <translation>„{name}“ angelegt</translation>
    </message>
    <message>
        <source>Deleted ‘{name}’</source>
        <translation>„{name}“ gelöscht</translation>
    </message>
    <message>
        <source>Erase the schedule ‘{name}’ for ever?</source>
        <translation>Den Zeitplan „{name}“ endgültig löschen?</translation>
    </message>
    <message>
        <source>Erased the schedule for ever</source>
        <translation>Zeitplan endgültig gelöscht</translation>
    </message>
    <message>
        <source>Everything is paused until you resume it</source>
        <translation>Alles pausiert, bis du es fortsetzt</translation>
    </message>
    <message>
        <source>Everything is paused until {time}</source>
        <translation>Alles pausiert bis {time}</translation>
    </message>
    <message>
        <source>For an hour</source>
        <translation>Für eine Stunde</translation>
    </message>
    <message>
        <source>It waits until a language model is set up, or an agent takes it on.</source>
        <translation>Es wartet, bis ein Sprachmodell eingerichtet ist oder ein Agent es übernimmt.</translation>
    </message>
    <message>
        <source>Its goal, its runs and its history are removed from this vault.</source>
        <translation>Sein Ziel, seine Läufe und sein Verlauf werden aus diesem Tresor entfernt.</translation>
    </message>
    <message>
        <source>List</source>
        <translation>Liste</translation>
    </message>
    <message>
        <source>New schedule</source>
        <translation>Neuer Zeitplan</translation>
    </message>
    <message>
        <source>Next run: {time}</source>
        <translation>Nächster Lauf: {time}</translation>
    </message>
    <message>
        <source>Nothing chosen</source>
        <translation>Nichts gewählt</translation>
    </message>
    <message>
        <source>Pause all</source>
        <translation>Alles pausieren</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Run the chosen schedule now</source>
        <translation>Gewählten Zeitplan jetzt ausführen</translation>
    </message>
    <message>
        <source>Running: {names}</source>
        <translation>Läuft gerade: {names}</translation>
    </message>
    <message>
        <source>Switched off ‘{name}’</source>
        <translation>„{name}“ ausgeschaltet</translation>
    </message>
    <message>
        <source>Switched on ‘{name}’</source>
        <translation>„{name}“ eingeschaltet</translation>
    </message>
    <message>
        <source>The week after</source>
        <translation>Die Woche danach</translation>
    </message>
    <message>
        <source>The week before</source>
        <translation>Die Woche davor</translation>
    </message>
    <message>
        <source>This week</source>
        <translation>Diese Woche</translation>
    </message>
    <message>
        <source>Undid the run</source>
        <translation>Lauf zurückgenommen</translation>
    </message>
    <message>
        <source>Until tomorrow</source>
        <translation>Bis morgen</translation>
    </message>
    <message>
        <source>Week</source>
        <translation>Woche</translation>
    </message>
    <message>
        <source>Your changes are kept. ‘Change…’ opens them again.</source>
        <translation>Deine Änderungen sind aufgehoben. „Ändern …“ öffnet sie wieder.</translation>
    </message>
    <message>
        <source>Your draft is kept. New schedule opens it again.</source>
        <translation>Dein Entwurf ist aufgehoben. „Neuer Zeitplan“ öffnet ihn wieder.</translation>
    </message>
    <message>
        <source>‘{name}’ ran: {result}</source>
        <translation>‚{name}‘ ist gelaufen: {result}</translation>
    </message>
    <message>
        <source>‘{name}’ runs</source>
        <translation>„{name}“ läuft</translation>
    </message>
    <message>
        <source>‘{name}’ runs on this machine from now on</source>
        <translation>„{name}“ läuft ab jetzt auf diesem Rechner</translation>
    </message>
</context>
<context>
    <name>ScratchpadTab</name>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Nothing is noted</source>
        <translation>Nichts ist notiert</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Scratchpad</source>
        <translation>Notizzettel</translation>
    </message>
    <message>
        <source>What the agent notes for itself during this conversation, one item a line. You can change it.</source>
        <translation>Was sich der Agent während dieser Unterhaltung notiert, ein Eintrag pro Zeile. Du kannst es ändern.</translation>
    </message>
    <message>
        <source>{n} of {most} items; the longest has {length} of {room} characters</source>
        <translation>{n} von {most} Einträgen; der längste hat {length} von {room} Zeichen</translation>
    </message>
</context>
<context>
    <name>SearchBox</name>
    <message>
        <source>Search operators</source>
        <translation>Suchoperatoren</translation>
    </message>
</context>
<context>
    <name>SearchHistory</name>
    <message>
        <source>Delete this saved search</source>
        <translation>Diese gespeicherte Suche löschen</translation>
    </message>
    <message>
        <source>Deleted the saved search ‘{name}’</source>
        <translation>Gespeicherte Suche „{name}“ gelöscht</translation>
    </message>
    <message>
        <source>Erase the saved search ‘{name}’ for ever?</source>
        <translation>Die gespeicherte Suche „{name}“ endgültig löschen?</translation>
    </message>
    <message>
        <source>Erased the saved search for ever</source>
        <translation>Gespeicherte Suche endgültig gelöscht</translation>
    </message>
    <message>
        <source>Its name, its words and its history are removed from this vault.</source>
        <translation>Ihr Name, ihre Wörter und ihr Verlauf werden aus diesem Tresor entfernt.</translation>
    </message>
    <message>
        <source>Save this search</source>
        <translation>Diese Suche speichern</translation>
    </message>
    <message>
        <source>Saved the search ‘{name}’</source>
        <translation>Suche „{name}“ gespeichert</translation>
    </message>
</context>
<context>
    <name>SearchModels</name>
    <message>
        <source>Built-in model</source>
        <translation>Eingebautes Modell</translation>
    </message>
</context>
<context>
    <name>SearchPane</name>
    <message>
        <source>Copied 1 result</source>
        <translation>1 Ergebnis kopiert</translation>
    </message>
    <message>
        <source>Copied {count} results</source>
        <translation>{count} Ergebnisse kopiert</translation>
    </message>
    <message>
        <source>Copy results as Markdown</source>
        <translation>Ergebnisse als Markdown kopieren</translation>
    </message>
    <message>
        <source>Export all results</source>
        <translation>Alle Ergebnisse exportieren</translation>
    </message>
    <message>
        <source>Export all results…</source>
        <translation>Alle Ergebnisse exportieren …</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>Group results in another way</source>
        <translation>Ergebnisse anders gruppieren</translation>
    </message>
    <message>
        <source>Next marked word</source>
        <translation>Nächstes markiertes Wort</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <source>Previous marked word</source>
        <translation>Voriges markiertes Wort</translation>
    </message>
    <message>
        <source>Save this search or delete it</source>
        <translation>Diese Suche speichern oder löschen</translation>
    </message>
    <message>
        <source>Search conversations and notes…</source>
        <translation>Unterhaltungen und Notizen durchsuchen …</translation>
    </message>
    <message>
        <source>Search everything</source>
        <translation>Alles durchsuchen</translation>
    </message>
    <message>
        <source>Search without operators</source>
        <translation>Ohne Operatoren suchen</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>Suche läuft …</translation>
    </message>
    <message>
        <source>Show more results</source>
        <translation>Mehr Ergebnisse zeigen</translation>
    </message>
    <message>
        <source>Show or hide the filters</source>
        <translation>Filter ein- oder ausblenden</translation>
    </message>
    <message>
        <source>Try fewer or other words, or take operators out.</source>
        <translation>Versuch weniger oder andere Wörter, oder nimm Operatoren heraus.</translation>
    </message>
    <message>
        <source>Type a search</source>
        <translation>Suche eingeben</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Ohne Titel</translation>
    </message>
    <message>
        <source>Why not …?</source>
        <translation>Warum nicht …?</translation>
    </message>
</context>
<context>
    <name>SearchPanel</name>
    <message>
        <source>Search models</source>
        <translation>Suchmodelle</translation>
    </message>
    <message>
        <source>Search models…</source>
        <translation>Suchmodelle …</translation>
    </message>
    <message>
        <source>What turns texts into meaning, and how results are ranked. A change shows what it does first.</source>
        <translation>Was Texte in Bedeutung verwandelt und wie Ergebnisse geordnet werden. Eine Änderung zeigt erst, was sie bewirkt.</translation>
    </message>
</context>
<context>
    <name>Section</name>
    <message>
        <source>folded</source>
        <translation>zugeklappt</translation>
    </message>
    <message>
        <source>open</source>
        <translation>aufgeklappt</translation>
    </message>
</context>
<context>
    <name>SelectionSummary</name>
    <message>
        <source>Clear the selection</source>
        <translation>Auswahl aufheben</translation>
    </message>
    <message>
        <source>and {count} more</source>
        <translation>und {count} weitere</translation>
    </message>
</context>
<context>
    <name>SentenceBar</name>
    <message>
        <source>Dismiss this message</source>
        <translation>Diese Meldung schließen</translation>
    </message>
</context>
<context>
    <name>SessionActions</name>
    <message>
        <source>All messages, summaries and scratchpads are removed from this vault. Facts that were drawn from them stay.</source>
        <translation>Alle Nachrichten, Zusammenfassungen und Notizzettel werden aus diesem Tresor entfernt. Fakten, die daraus gezogen wurden, bleiben.</translation>
    </message>
    <message>
        <source>Condense all but the latest messages</source>
        <translation>Alles außer den letzten Nachrichten verdichten</translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation>Link kopieren</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Delete {count} conversations</source>
        <translation>{count} Unterhaltungen löschen</translation>
    </message>
    <message>
        <source>Deleted {count} conversations</source>
        <translation>{count} Unterhaltungen gelöscht</translation>
    </message>
    <message>
        <source>Deleted ‘{title}’</source>
        <translation>„{title}“ gelöscht</translation>
    </message>
    <message>
        <source>Draw facts</source>
        <translation>Fakten ziehen</translation>
    </message>
    <message>
        <source>Draw facts from it now</source>
        <translation>Jetzt Fakten daraus ziehen</translation>
    </message>
    <message>
        <source>Draw facts from {count} conversations now</source>
        <translation>Jetzt Fakten aus {count} Unterhaltungen ziehen</translation>
    </message>
    <message>
        <source>Erase for ever…</source>
        <translation>Endgültig löschen …</translation>
    </message>
    <message>
        <source>Erase {count} conversations for ever?</source>
        <translation>{count} Unterhaltungen endgültig löschen?</translation>
    </message>
    <message>
        <source>Erase ‘{title}’ for ever?</source>
        <translation>„{title}“ endgültig löschen?</translation>
    </message>
    <message>
        <source>Erased the conversation for ever</source>
        <translation>Unterhaltung endgültig gelöscht</translation>
    </message>
    <message>
        <source>Erased {count} conversations for ever</source>
        <translation>{count} Unterhaltungen endgültig gelöscht</translation>
    </message>
    <message>
        <source>Export as JSONL…</source>
        <translation>Als JSONL exportieren …</translation>
    </message>
    <message>
        <source>Export as Markdown…</source>
        <translation>Als Markdown exportieren …</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Renamed to ‘{title}’</source>
        <translation>In „{title}“ umbenannt</translation>
    </message>
    <message>
        <source>Summarise older messages now</source>
        <translation>Ältere Nachrichten jetzt zusammenfassen</translation>
    </message>
    <message>
        <source>Untitled conversation</source>
        <translation>Unterhaltung ohne Titel</translation>
    </message>
    <message>
        <source>{count} conversations selected</source>
        <translation>{count} Unterhaltungen ausgewählt</translation>
    </message>
</context>
<context>
    <name>SessionHeader</name>
    <message>
        <source>1 message</source>
        <translation>1 Nachricht</translation>
    </message>
    <message>
        <source>Delete this conversation</source>
        <translation>Diese Unterhaltung löschen</translation>
    </message>
    <message>
        <source>Find in this conversation</source>
        <translation>In dieser Unterhaltung suchen</translation>
    </message>
    <message>
        <source>Go to a date</source>
        <translation>Zu einem Datum gehen</translation>
    </message>
    <message>
        <source>Go to the first message</source>
        <translation>Zur ersten Nachricht</translation>
    </message>
    <message>
        <source>Go to the last message</source>
        <translation>Zur letzten Nachricht</translation>
    </message>
    <message>
        <source>More to do with this conversation</source>
        <translation>Mehr zu dieser Unterhaltung</translation>
    </message>
    <message>
        <source>Title of the conversation</source>
        <translation>Titel der Unterhaltung</translation>
    </message>
    <message>
        <source>Untitled conversation</source>
        <translation>Unterhaltung ohne Titel</translation>
    </message>
    <message>
        <source>facts not drawn yet</source>
        <translation>noch keine Fakten gezogen</translation>
    </message>
    <message>
        <source>what came since is not read yet</source>
        <translation>was seither kam, ist noch nicht gelesen</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} Nachrichten</translation>
    </message>
</context>
<context>
    <name>SessionList</name>
    <message>
        <source>1 fact drawn from it</source>
        <translation>1 Fakt daraus gezogen</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 Nachricht</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>Agent</translation>
    </message>
    <message>
        <source>All agents</source>
        <translation>Alle Agenten</translation>
    </message>
    <message>
        <source>By agent</source>
        <translation>Nach Agent</translation>
    </message>
    <message>
        <source>By title</source>
        <translation>Nach Titel</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Unterhaltungen</translation>
    </message>
    <message>
        <source>Filter by title or agent</source>
        <translation>Titel oder Agent</translation>
    </message>
    <message>
        <source>Filter conversations</source>
        <translation>Unterhaltungen filtern</translation>
    </message>
    <message>
        <source>Headings for days and agents</source>
        <translation>Überschriften für Tage und Agenten</translation>
    </message>
    <message>
        <source>Longest first</source>
        <translation>Längste zuerst</translation>
    </message>
    <message>
        <source>New conversation with yourself</source>
        <translation>Neue Unterhaltung mit dir selbst</translation>
    </message>
    <message>
        <source>Newest first</source>
        <translation>Neueste zuerst</translation>
    </message>
    <message>
        <source>No conversation fits this filter.</source>
        <translation>Keine Unterhaltung passt zu diesem Filter.</translation>
    </message>
    <message>
        <source>Oldest first</source>
        <translation>Älteste zuerst</translation>
    </message>
    <message>
        <source>Only those whose facts are not drawn yet</source>
        <translation>Nur jene, aus denen noch keine Fakten gezogen sind</translation>
    </message>
    <message>
        <source>Order and filters</source>
        <translation>Reihenfolge und Filter</translation>
    </message>
    <message>
        <source>Untitled conversation</source>
        <translation>Unterhaltung ohne Titel</translation>
    </message>
    <message>
        <source>Without an agent</source>
        <translation>Ohne Agent</translation>
    </message>
    <message>
        <source>facts are not drawn yet</source>
        <translation>noch keine Fakten gezogen</translation>
    </message>
    <message>
        <source>facts not drawn yet</source>
        <translation>noch keine Fakten gezogen</translation>
    </message>
    <message>
        <source>no agent</source>
        <translation>kein Agent</translation>
    </message>
    <message>
        <source>what came since is not read yet</source>
        <translation>was seither kam, ist noch nicht gelesen</translation>
    </message>
    <message>
        <source>{n} facts drawn from it</source>
        <translation>{n} Fakten daraus gezogen</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} Nachrichten</translation>
    </message>
    <message>
        <source>{title}, {agent}, {messages}, {when}</source>
        <translation>{title}, {agent}, {messages}, {when}</translation>
    </message>
</context>
<context>
    <name>SessionWork</name>
    <message>
        <source>1 known one confirmed</source>
        <translation>1 bekannter bestätigt</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 Nachricht</translation>
    </message>
    <message>
        <source>1 message of ‘{title}’ stands in its summary now; in full: {rest}</source>
        <translation>1 Nachricht von „{title}“ steht jetzt in der Zusammenfassung; vollständig: {rest}</translation>
    </message>
    <message>
        <source>1 new fact</source>
        <translation>1 neuer Fakt</translation>
    </message>
    <message>
        <source>1 older one changed</source>
        <translation>1 älterer geändert</translation>
    </message>
    <message>
        <source>Condensing all but its latest messages…</source>
        <translation>Alles außer den letzten Nachrichten wird verdichtet …</translation>
    </message>
    <message>
        <source>Drawing facts from it…</source>
        <translation>Fakten werden gezogen …</translation>
    </message>
    <message>
        <source>Drawn from it: {facts}</source>
        <translation>Daraus gezogen: {facts}</translation>
    </message>
    <message>
        <source>Export the conversation</source>
        <translation>Unterhaltung exportieren</translation>
    </message>
    <message>
        <source>Exported {messages} to {path}</source>
        <translation>{messages} nach {path} exportiert</translation>
    </message>
    <message>
        <source>Exporting it…</source>
        <translation>Wird exportiert …</translation>
    </message>
    <message>
        <source>Facts were drawn from it</source>
        <translation>Fakten wurden daraus gezogen</translation>
    </message>
    <message>
        <source>It is short enough: there is nothing to condense.</source>
        <translation>Sie ist kurz genug: Es gibt nichts zu verdichten.</translation>
    </message>
    <message>
        <source>Nothing new to remember was found.</source>
        <translation>Nichts Neues zum Merken gefunden.</translation>
    </message>
    <message>
        <source>Somebody else summarised it meanwhile; that summary stands.</source>
        <translation>Jemand anderes hat sie inzwischen zusammengefasst; diese Zusammenfassung gilt.</translation>
    </message>
    <message>
        <source>Summarising its older messages…</source>
        <translation>Ältere Nachrichten werden zusammengefasst …</translation>
    </message>
    <message>
        <source>Untitled conversation</source>
        <translation>Unterhaltung ohne Titel</translation>
    </message>
    <message>
        <source>Wait a moment: {work}</source>
        <translation>Einen Moment: {work}</translation>
    </message>
    <message>
        <source>{n} known ones confirmed</source>
        <translation>{n} bekannte bestätigt</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} Nachrichten</translation>
    </message>
    <message>
        <source>{n} messages of ‘{title}’ stand in its summary now; in full: {rest}</source>
        <translation>{n} Nachrichten von „{title}“ stehen jetzt in der Zusammenfassung; vollständig: {rest}</translation>
    </message>
    <message>
        <source>{n} new facts</source>
        <translation>{n} neue Fakten</translation>
    </message>
    <message>
        <source>{n} older ones changed</source>
        <translation>{n} ältere geändert</translation>
    </message>
</context>
<context>
    <name>SessionsPane</name>
    <message>
        <source>Choose a conversation</source>
        <translation>Unterhaltung wählen</translation>
    </message>
    <message>
        <source>Condense all but the latest messages</source>
        <translation>Alles außer den letzten Nachrichten verdichten</translation>
    </message>
    <message>
        <source>Copy as quotation</source>
        <translation>Als Zitat kopieren</translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation>Link kopieren</translation>
    </message>
    <message>
        <source>Copy link to message</source>
        <translation>Link zur Nachricht kopieren</translation>
    </message>
    <message>
        <source>Copy message</source>
        <translation>Nachricht kopieren</translation>
    </message>
    <message>
        <source>Copy selection</source>
        <translation>Auswahl kopieren</translation>
    </message>
    <message>
        <source>Ctrl+Shift+O begins a conversation with yourself.</source>
        <translation>Strg+Umschalt+O beginnt eine Unterhaltung mit dir selbst.</translation>
    </message>
    <message>
        <source>Delete conversation</source>
        <translation>Unterhaltung löschen</translation>
    </message>
    <message>
        <source>Draw facts from it now</source>
        <translation>Jetzt Fakten daraus ziehen</translation>
    </message>
    <message>
        <source>Draw facts from this conversation now</source>
        <translation>Jetzt Fakten aus dieser Unterhaltung ziehen</translation>
    </message>
    <message>
        <source>Export this conversation as JSONL</source>
        <translation>Diese Unterhaltung als JSONL exportieren</translation>
    </message>
    <message>
        <source>Export this conversation as Markdown</source>
        <translation>Diese Unterhaltung als Markdown exportieren</translation>
    </message>
    <message>
        <source>Filter conversations</source>
        <translation>Unterhaltungen filtern</translation>
    </message>
    <message>
        <source>Find in conversation</source>
        <translation>In der Unterhaltung suchen</translation>
    </message>
    <message>
        <source>First message</source>
        <translation>Erste Nachricht</translation>
    </message>
    <message>
        <source>Import conversations…</source>
        <translation>Unterhaltungen importieren …</translation>
    </message>
    <message>
        <source>Import what you said to ChatGPT, Claude or another program, connect an agent, or begin one with yourself. Everything stays on this machine.</source>
        <translation>Importiere, was du ChatGPT, Claude oder einem anderen Programm gesagt hast, verbinde einen Agenten, oder beginne eine mit dir selbst. Alles bleibt auf diesem Rechner.</translation>
    </message>
    <message>
        <source>It is kept once you write the first message.</source>
        <translation>Sie wird behalten, sobald du die erste Nachricht schreibst.</translation>
    </message>
    <message>
        <source>Last message</source>
        <translation>Letzte Nachricht</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Neue Unterhaltung</translation>
    </message>
    <message>
        <source>New conversation with yourself</source>
        <translation>Neue Unterhaltung mit dir selbst</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Nächster Treffer</translation>
    </message>
    <message>
        <source>No conversations yet</source>
        <translation>Noch keine Unterhaltungen</translation>
    </message>
    <message>
        <source>Open the page of ‘{name}’</source>
        <translation>Seite von „{name}“ öffnen</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>Voriger Treffer</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Rename conversation</source>
        <translation>Unterhaltung umbenennen</translation>
    </message>
    <message>
        <source>Summarise its older messages now</source>
        <translation>Ältere Nachrichten jetzt zusammenfassen</translation>
    </message>
    <message>
        <source>What was said in it appears here. Ctrl+F finds words in it.</source>
        <translation>Was darin gesagt wurde, erscheint hier. Strg+F findet Wörter darin.</translation>
    </message>
</context>
<context>
    <name>SettingField</name>
    <message>
        <source>From {low} to {high}.</source>
        <translation>Von {low} bis {high}.</translation>
    </message>
    <message>
        <source>Reset ‘{name}’ to the default</source>
        <translation>„{name}“ auf den Standard zurücksetzen</translation>
    </message>
    <message>
        <source>Set from outside for this run ({source}).</source>
        <translation>Für diesen Lauf von außen gesetzt ({source}).</translation>
    </message>
    <message>
        <source>Takes effect at the next start.</source>
        <translation>Wirkt ab dem nächsten Start.</translation>
    </message>
</context>
<context>
    <name>SettingSection</name>
    <message>
        <source>Advanced settings ({n})</source>
        <translation>Erweiterte Einstellungen ({n})</translation>
    </message>
    <message>
        <source>Hide advanced settings</source>
        <translation>Erweiterte Einstellungen ausblenden</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>A passphrase without which nobody can read your memories on this disk.</source>
        <translation>Eine Passphrase, ohne die niemand deine Erinnerungen auf dieser Festplatte lesen kann.</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Agents</source>
        <translation>Agenten</translation>
    </message>
    <message>
        <source>Agents whose conversations are not stored</source>
        <translation>Agenten, deren Unterhaltungen nicht gespeichert werden</translation>
    </message>
    <message>
        <source>Agents with a vault of their own</source>
        <translation>Agenten mit eigenem Tresor</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Aussehen</translation>
    </message>
    <message>
        <source>Back up before each import</source>
        <translation>Vor jedem Import sichern</translation>
    </message>
    <message>
        <source>Back up every day</source>
        <translation>Jeden Tag sichern</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>Sicherungen</translation>
    </message>
    <message>
        <source>Care for the database at night</source>
        <translation>Nachts die Datenbank pflegen</translation>
    </message>
    <message>
        <source>Changes show at once, in the whole window.</source>
        <translation>Änderungen zeigen sich sofort im ganzen Fenster.</translation>
    </message>
    <message>
        <source>Choose a line, then press its new keys.</source>
        <translation>Wähle eine Zeile und drücke dann ihre neuen Tasten.</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Condense and archive old observations</source>
        <translation>Alte Beobachtungen verdichten und archivieren</translation>
    </message>
    <message>
        <source>Contrast</source>
        <translation>Kontrast</translation>
    </message>
    <message>
        <source>Copies of all you keep here, in the folder of the vault.</source>
        <translation>Kopien von allem, was du hier behältst, im Ordner des Tresors.</translation>
    </message>
    <message>
        <source>Daily backups kept</source>
        <translation>Behaltene Tagessicherungen</translation>
    </message>
    <message>
        <source>Days that a proposal waits for you</source>
        <translation>Tage, die ein Vorschlag auf dich wartet</translation>
    </message>
    <message>
        <source>Desktop</source>
        <translation>Desktop</translation>
    </message>
    <message>
        <source>Diagnostics</source>
        <translation>Diagnose</translation>
    </message>
    <message>
        <source>Encryption</source>
        <translation>Verschlüsselung</translation>
    </message>
    <message>
        <source>Find facts in conversations</source>
        <translation>Fakten in Unterhaltungen finden</translation>
    </message>
    <message>
        <source>Find more names and links</source>
        <translation>Mehr Namen und Verbindungen finden</translation>
    </message>
    <message>
        <source>Find names more accurately</source>
        <translation>Namen genauer finden</translation>
    </message>
    <message>
        <source>Follow a folder of Markdown notes</source>
        <translation>Einem Ordner mit Markdown-Notizen folgen</translation>
    </message>
    <message>
        <source>Follow the conversations of coding agents</source>
        <translation>Den Unterhaltungen von Programmieragenten folgen</translation>
    </message>
    <message>
        <source>For when something is wrong: nothing here shows what you wrote.</source>
        <translation>Für den Fall, dass etwas nicht stimmt: Nichts hier zeigt, was du geschrieben hast.</translation>
    </message>
    <message>
        <source>Goals on a connection paid by volume</source>
        <translation>Ziele bei Abrechnung nach Volumen</translation>
    </message>
    <message>
        <source>Heavy work on battery</source>
        <translation>Schwere Arbeit im Akkubetrieb</translation>
    </message>
    <message>
        <source>Hints while you write</source>
        <translation>Hinweise beim Schreiben</translation>
    </message>
    <message>
        <source>How Keepsake fits into this computer.</source>
        <translation>Wie sich Keepsake in diesen Rechner einfügt.</translation>
    </message>
    <message>
        <source>How conversations are summarised and memories are made of them.</source>
        <translation>Wie Unterhaltungen zusammengefasst und zu Erinnerungen werden.</translation>
    </message>
    <message>
        <source>How much agents may do and are told. Their access is set in the Agents pane.</source>
        <translation>Wie viel Agenten tun dürfen und erfahren. Ihr Zugriff wird in der Ansicht Agenten festgelegt.</translation>
    </message>
    <message>
        <source>How texts are found by their words and by their meaning.</source>
        <translation>Wie Texte über ihre Wörter und ihre Bedeutung gefunden werden.</translation>
    </message>
    <message>
        <source>Keep a log of what Keepsake does</source>
        <translation>Protokollieren, was Keepsake tut</translation>
    </message>
    <message>
        <source>Keep passwords and keys found in conversations</source>
        <translation>Passwörter und Schlüssel aus Unterhaltungen behalten</translation>
    </message>
    <message>
        <source>Keep running when the window is closed</source>
        <translation>Weiterlaufen, wenn das Fenster geschlossen wird</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Language model</source>
        <translation>Sprachmodell</translation>
    </message>
    <message>
        <source>Length of what an agent is told, in tokens</source>
        <translation>Länge dessen, was ein Agent erfährt, in Tokens</translation>
    </message>
    <message>
        <source>Let unused facts fade</source>
        <translation>Unbenutzte Fakten verblassen lassen</translation>
    </message>
    <message>
        <source>Limits of what runs at set times.</source>
        <translation>Grenzen für das, was zu festen Zeiten läuft.</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Gedächtnis</translation>
    </message>
    <message>
        <source>Minutes without use until it locks</source>
        <translation>Minuten ohne Nutzung bis zum Sperren</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Monthly backups kept</source>
        <translation>Behaltene Monatssicherungen</translation>
    </message>
    <message>
        <source>Most it may cost in a month</source>
        <translation>Höchstkosten in einem Monat</translation>
    </message>
    <message>
        <source>Most that one run of a goal may cost</source>
        <translation>Höchstkosten eines Laufs eines Ziels</translation>
    </message>
    <message>
        <source>Older messages of a long conversation</source>
        <translation>Ältere Nachrichten einer langen Unterhaltung</translation>
    </message>
    <message>
        <source>Optional: it summarises, finds facts and pursues goals.</source>
        <translation>Optional: Es fasst zusammen, findet Fakten und verfolgt Ziele.</translation>
    </message>
    <message>
        <source>Price of what it reads</source>
        <translation>Preis dessen, was es liest</translation>
    </message>
    <message>
        <source>Price of what it writes</source>
        <translation>Preis dessen, was es schreibt</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>Privatsphäre</translation>
    </message>
    <message>
        <source>Private texts may go to a language model elsewhere</source>
        <translation>Private Texte dürfen an ein Sprachmodell anderswo gehen</translation>
    </message>
    <message>
        <source>Quick capture from anywhere</source>
        <translation>Schnellerfassung von überall</translation>
    </message>
    <message>
        <source>Read that folder, or mirror it both ways</source>
        <translation>Diesen Ordner lesen oder in beide Richtungen spiegeln</translation>
    </message>
    <message>
        <source>Record what agents search for</source>
        <translation>Aufzeichnen, wonach Agenten suchen</translation>
    </message>
    <message>
        <source>Record your own calls too</source>
        <translation>Auch deine eigenen Aufrufe aufzeichnen</translation>
    </message>
    <message>
        <source>Reduced motion</source>
        <translation>Weniger Bewegung</translation>
    </message>
    <message>
        <source>Results shown at once</source>
        <translation>Auf einmal gezeigte Ergebnisse</translation>
    </message>
    <message>
        <source>Schedules and goals</source>
        <translation>Zeitpläne und Ziele</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suche</translation>
    </message>
    <message>
        <source>Search models may be downloaded</source>
        <translation>Suchmodelle dürfen geladen werden</translation>
    </message>
    <message>
        <source>Seconds that one run of a goal may take</source>
        <translation>Sekunden, die ein Lauf eines Ziels dauern darf</translation>
    </message>
    <message>
        <source>Service</source>
        <translation>Dienst</translation>
    </message>
    <message>
        <source>Several machines</source>
        <translation>Mehrere Rechner</translation>
    </message>
    <message>
        <source>Size of text</source>
        <translation>Textgröße</translation>
    </message>
    <message>
        <source>Take memories from conversations</source>
        <translation>Erinnerungen aus Unterhaltungen ziehen</translation>
    </message>
    <message>
        <source>The same memory on all your machines, without anyone between them.</source>
        <translation>Dasselbe Gedächtnis auf allen deinen Rechnern, ohne jemanden dazwischen.</translation>
    </message>
    <message>
        <source>Upkeep</source>
        <translation>Pflege</translation>
    </message>
    <message>
        <source>Weekly backups kept</source>
        <translation>Behaltene Wochensicherungen</translation>
    </message>
    <message>
        <source>What is done by itself, mostly at night. The Schedule pane shows when.</source>
        <translation>Was von selbst geschieht, meist nachts. Die Ansicht Zeitplan zeigt, wann.</translation>
    </message>
    <message>
        <source>What may leave this computer, what is taken in, and what is recorded.</source>
        <translation>Was diesen Rechner verlassen darf, was aufgenommen und was aufgezeichnet wird.</translation>
    </message>
    <message>
        <source>Write a reflection on the week</source>
        <translation>Eine Reflexion über die Woche schreiben</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>No setting has these words.</source>
        <translation>Keine Einstellung hat diese Wörter.</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Einstellung suchen</translation>
    </message>
    <message>
        <source>Sections</source>
        <translation>Abschnitte</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
</context>
<context>
    <name>ShortcutEditor</name>
    <message>
        <source>Choose an action above</source>
        <translation>Wähle oben eine Aktion</translation>
    </message>
    <message>
        <source>New keys</source>
        <translation>Neue Tasten</translation>
    </message>
    <message>
        <source>New keys for ‘{name}’</source>
        <translation>Neue Tasten für „{name}“</translation>
    </message>
    <message>
        <source>No keys</source>
        <translation>Keine Tasten</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>Alle zurücksetzen</translation>
    </message>
    <message>
        <source>Reset this one</source>
        <translation>Diese zurücksetzen</translation>
    </message>
    <message>
        <source>Search by action or key</source>
        <translation>Nach Aktion oder Taste suchen</translation>
    </message>
    <message>
        <source>Search shortcuts</source>
        <translation>Tastenkürzel suchen</translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>These keys already do {names}. They will be taken away there.</source>
        <translation>Diese Tasten sind schon vergeben: {names}. Dort werden sie entfernt.</translation>
    </message>
    <message>
        <source>Use these keys</source>
        <translation>Diese Tasten nehmen</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>geändert</translation>
    </message>
    <message>
        <source>{keys} alone types or moves something. Hold Ctrl or Alt with it.</source>
        <translation>{keys} allein tippt oder bewegt etwas. Halte dabei Strg oder Alt gedrückt.</translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>Menu</source>
        <translation>Menü</translation>
    </message>
    <message>
        <source>Panes</source>
        <translation>Ansichten</translation>
    </message>
    <message>
        <source>{title}: {n} waiting</source>
        <translation>{title}: {n} offen</translation>
    </message>
</context>
<context>
    <name>SplitForm</name>
    <message>
        <source>Choose the names that mean somebody or something else.</source>
        <translation>Wähle die Namen, die jemand anderen oder etwas anderes meinen.</translation>
    </message>
    <message>
        <source>Its name; the first of those chosen when empty</source>
        <translation>Sein Name; der erste der gewählten, wenn leer</translation>
    </message>
    <message>
        <source>Name of the second one</source>
        <translation>Name des zweiten</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>Trennen</translation>
    </message>
    <message>
        <source>Type of the second one</source>
        <translation>Art des zweiten</translation>
    </message>
</context>
<context>
    <name>StartPage</name>
    <message>
        <source>Bringing your memories up to date for this version of Keepsake: step {step} of {steps}.</source>
        <translation>Deine Erinnerungen werden auf den Stand dieser Version von Keepsake gebracht: Schritt {step} von {steps}.</translation>
    </message>
    <message>
        <source>Check the file</source>
        <translation>Datei prüfen</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>Details kopieren</translation>
    </message>
    <message>
        <source>Decrypt your memories?</source>
        <translation>Deine Erinnerungen entschlüsseln?</translation>
    </message>
    <message>
        <source>Decrypting your memories.</source>
        <translation>Deine Erinnerungen werden entschlüsselt.</translation>
    </message>
    <message>
        <source>Encrypt your memories</source>
        <translation>Deine Erinnerungen verschlüsseln</translation>
    </message>
    <message>
        <source>Encrypting your memories.</source>
        <translation>Deine Erinnerungen werden verschlüsselt.</translation>
    </message>
    <message>
        <source>Keepsake</source>
        <translation>Keepsake</translation>
    </message>
    <message>
        <source>Keepsake is locked</source>
        <translation>Keepsake ist gesperrt</translation>
    </message>
    <message>
        <source>Making a backup, before your memories are brought up to date for this version of Keepsake.</source>
        <translation>Eine Sicherung wird erstellt, bevor deine Erinnerungen auf den Stand dieser Version von Keepsake gebracht werden.</translation>
    </message>
    <message>
        <source>Open another vault…</source>
        <translation>Anderen Tresor öffnen …</translation>
    </message>
    <message>
        <source>Opening the vault</source>
        <translation>Tresor wird geöffnet</translation>
    </message>
    <message>
        <source>Opening {vault}</source>
        <translation>{vault} wird geöffnet</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Rescue what can be read</source>
        <translation>Lesbares retten</translation>
    </message>
    <message>
        <source>Restore a backup…</source>
        <translation>Sicherung wiederherstellen …</translation>
    </message>
    <message>
        <source>Restoring the backup that you chose.</source>
        <translation>Die gewählte Sicherung wird wiederhergestellt.</translation>
    </message>
    <message>
        <source>Somebody asked to have your memories decrypted, and not from this account of this computer. If it was not you, somebody has changed their folder: keep them encrypted. Decrypted, anyone who can read this disk can read them.</source>
        <translation>Jemand hat verlangt, deine Erinnerungen zu entschlüsseln, und nicht von diesem Konto dieses Computers aus. Wenn du es nicht warst, hat jemand den Ordner verändert: Lass sie verschlüsselt. Sind sie entschlüsselt, kann sie lesen, wer diese Festplatte lesen kann.</translation>
    </message>
    <message>
        <source>Start in safe mode</source>
        <translation>Im abgesicherten Modus starten</translation>
    </message>
    <message>
        <source>The vault could not be opened</source>
        <translation>Der Tresor konnte nicht geöffnet werden</translation>
    </message>
    <message>
        <source>There is no backup that could be restored.</source>
        <translation>Es gibt keine Sicherung, die sich wiederherstellen lässt.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Use what was rescued</source>
        <translation>Gerettetes benutzen</translation>
    </message>
    <message>
        <source>What is there now is kept beside the backups, so this can be taken back.</source>
        <translation>Was jetzt da ist, wird neben den Sicherungen behalten, du kannst also zurück.</translation>
    </message>
    <message>
        <source>Your memories are encrypted. Type the passphrase to open them.</source>
        <translation>Deine Erinnerungen sind verschlüsselt. Gib die Passphrase ein, um sie zu öffnen.</translation>
    </message>
    <message>
        <source>Your memories will be encrypted now. Type the passphrase that you chose. Without it you can still call this off, because nothing is encrypted yet.</source>
        <translation>Deine Erinnerungen werden jetzt verschlüsselt. Gib die Passphrase ein, die du gewählt hast. Ohne sie kannst du das noch absagen, denn noch ist nichts verschlüsselt.</translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <source> (and {n} more)</source>
        <translation> (und {n} weitere)</translation>
    </message>
    <message>
        <source> (paused)</source>
        <translation> (pausiert)</translation>
    </message>
    <message>
        <source>1 agent</source>
        <translation>1 Agent</translation>
    </message>
    <message>
        <source>1 memory</source>
        <translation>1 Erinnerung</translation>
    </message>
    <message>
        <source>1 session</source>
        <translation>1 Unterhaltung</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Read-only</source>
        <translation>Schreibgeschützt</translation>
    </message>
    <message>
        <source>Working</source>
        <translation>Arbeitet</translation>
    </message>
    <message>
        <source>about {span} left</source>
        <translation>noch etwa {span}</translation>
    </message>
    <message>
        <source>index complete</source>
        <translation>Index vollständig</translation>
    </message>
    <message>
        <source>indexing 1 piece</source>
        <translation>1 Stück wird indiziert</translation>
    </message>
    <message>
        <source>indexing {n} pieces</source>
        <translation>{n} Teile werden indexiert</translation>
    </message>
    <message>
        <source>recognising names in 1 text</source>
        <translation>Namen werden in 1 Text erkannt</translation>
    </message>
    <message>
        <source>recognising names in {n} texts</source>
        <translation>Namen in {n} Texten werden erkannt</translation>
    </message>
    <message>
        <source>{doing}: {progress}</source>
        <translation>{doing}: {progress}</translation>
    </message>
    <message>
        <source>{done} of {total}{unit}</source>
        <translation>{done} von {total}{unit}</translation>
    </message>
    <message>
        <source>{h} h {m} min</source>
        <translation>{h} h {m} min</translation>
    </message>
    <message>
        <source>{n} MB</source>
        <translation>{n} MB</translation>
    </message>
    <message>
        <source>{n} agents</source>
        <translation>{n} Agenten</translation>
    </message>
    <message>
        <source>{n} memories</source>
        <translation>{n} Erinnerungen</translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation>{n} min</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} s</translation>
    </message>
    <message>
        <source>{n} sessions</source>
        <translation>{n} Unterhaltungen</translation>
    </message>
    <message>
        <source>{rate}/s</source>
        <translation>{rate}/s</translation>
    </message>
</context>
<context>
    <name>StatusEntries</name>
    <message>
        <source>1 error</source>
        <translation>1 Fehler</translation>
    </message>
    <message>
        <source>1 piece of text waits for the index.</source>
        <translation>1 Textstück wartet auf den Index.</translation>
    </message>
    <message>
        <source>1 private one is found by its words only.</source>
        <translation>1 privates wird nur über seine Wörter gefunden.</translation>
    </message>
    <message>
        <source>1 program waits to be let in.</source>
        <translation>1 Programm wartet auf Einlass.</translation>
    </message>
    <message>
        <source>1 request to {hosts} since {since}, at {last}.</source>
        <translation>1 Anfrage an {hosts} seit {since}, zuletzt {last}.</translation>
    </message>
    <message>
        <source>1 text waits to be read for names.</source>
        <translation>1 Text wartet darauf, nach Namen gelesen zu werden.</translation>
    </message>
    <message>
        <source>1 thing could be better.</source>
        <translation>1 Sache könnte besser sein.</translation>
    </message>
    <message>
        <source>About 1 message is still to be searched for passwords: look again.</source>
        <translation>Etwa 1 Nachricht ist noch nach Passwörtern zu durchsuchen: Sieh noch einmal nach.</translation>
    </message>
    <message>
        <source>About {n} messages are still to be searched for passwords: look again.</source>
        <translation>Etwa {n} Nachrichten sind noch nach Passwörtern zu durchsuchen: Sieh noch einmal nach.</translation>
    </message>
    <message>
        <source>Agents</source>
        <translation>Agenten</translation>
    </message>
    <message>
        <source>An earlier backup was read back and is whole ({when}).</source>
        <translation>Eine frühere Sicherung wurde zurückgelesen und ist unversehrt ({when}).</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>Jetzt sichern</translation>
    </message>
    <message>
        <source>Backup</source>
        <translation>Sicherung</translation>
    </message>
    <message>
        <source>Backup read back</source>
        <translation>Sicherung zurückgelesen</translation>
    </message>
    <message>
        <source>Check now</source>
        <translation>Jetzt prüfen</translation>
    </message>
    <message>
        <source>Complete: 1 piece of text can be found by words and by meaning.</source>
        <translation>Vollständig: 1 Textstück ist über Wörter und Bedeutung zu finden.</translation>
    </message>
    <message>
        <source>Complete: there is nothing to search yet.</source>
        <translation>Vollständig: Es gibt noch nichts zu durchsuchen.</translation>
    </message>
    <message>
        <source>Complete: {n} pieces of text can be found by words and by meaning.</source>
        <translation>Vollständig: {n} Textteile sind über Wörter und Bedeutung zu finden.</translation>
    </message>
    <message>
        <source>Content</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>Datenträger</translation>
    </message>
    <message>
        <source>It has not been checked yet. A check reads everything and changes nothing.</source>
        <translation>Er wurde noch nicht geprüft. Eine Prüfung liest alles und ändert nichts.</translation>
    </message>
    <message>
        <source>It is due now.</source>
        <translation>Es ist jetzt fällig.</translation>
    </message>
    <message>
        <source>It is switched off.</source>
        <translation>Es ist ausgeschaltet.</translation>
    </message>
    <message>
        <source>It is the only one.</source>
        <translation>Sie ist die einzige.</translation>
    </message>
    <message>
        <source>It was checked and is sound ({when}).</source>
        <translation>Er wurde geprüft und ist in Ordnung ({when}).</translation>
    </message>
    <message>
        <source>Language model</source>
        <translation>Sprachmodell</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Noch einmal ansehen</translation>
    </message>
    <message>
        <source>Look through</source>
        <translation>Durchsehen</translation>
    </message>
    <message>
        <source>Looking through it finds repeated and contradicting memories, and passwords. It changes nothing.</source>
        <translation>Das Durchsehen findet doppelte und widersprüchliche Erinnerungen und Passwörter. Es ändert nichts.</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>Next: {when}.</source>
        <translation>Nächster: {when}.</translation>
    </message>
    <message>
        <source>No agent is connected now.</source>
        <translation>Gerade ist kein Agent verbunden.</translation>
    </message>
    <message>
        <source>No backup has been read back yet. Verifying proves that one can be restored.</source>
        <translation>Noch wurde keine Sicherung zurückgelesen. Überprüfen beweist, dass sie sich wiederherstellen lässt.</translation>
    </message>
    <message>
        <source>No remote service is set up; everything is computed here.</source>
        <translation>Es ist kein entfernter Dienst eingerichtet; alles wird hier berechnet.</translation>
    </message>
    <message>
        <source>None is set up, so nothing is spent.</source>
        <translation>Keines ist eingerichtet, also wird nichts ausgegeben.</translation>
    </message>
    <message>
        <source>Not run yet.</source>
        <translation>Noch nicht gelaufen.</translation>
    </message>
    <message>
        <source>Nothing has left this computer since Keepsake was started ({when}).</source>
        <translation>Nichts hat diesen Rechner verlassen, seit Keepsake gestartet wurde ({when}).</translation>
    </message>
    <message>
        <source>Nothing stands out.</source>
        <translation>Nichts fällt auf.</translation>
    </message>
    <message>
        <source>Open agents</source>
        <translation>Agenten öffnen</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Open settings…</source>
        <translation>Einstellungen öffnen …</translation>
    </message>
    <message>
        <source>Please look at this</source>
        <translation>Bitte ansehen</translation>
    </message>
    <message>
        <source>Privacy settings…</source>
        <translation>Einstellungen zur Privatsphäre …</translation>
    </message>
    <message>
        <source>Remote services</source>
        <translation>Entfernte Dienste</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>Jetzt ausführen</translation>
    </message>
    <message>
        <source>Search index</source>
        <translation>Suchindex</translation>
    </message>
    <message>
        <source>Search models…</source>
        <translation>Suchmodelle …</translation>
    </message>
    <message>
        <source>The backup that was read back ({when}) cannot be restored. {problem}</source>
        <translation>Die gelesene Sicherung ({when}) lässt sich nicht wiederherstellen. {problem}</translation>
    </message>
    <message>
        <source>The language model runs on this computer, and so does the search.</source>
        <translation>Das Sprachmodell läuft auf diesem Rechner, die Suche auch.</translation>
    </message>
    <message>
        <source>The last check ({when}) found {errors}. Repair the vault, or restore a backup.</source>
        <translation>Die letzte Prüfung ({when}) fand {errors}. Repariere den Tresor, oder stelle eine Sicherung wieder her.</translation>
    </message>
    <message>
        <source>The last one is of {when} ({size}).</source>
        <translation>Die letzte ist vom {when} ({size}).</translation>
    </message>
    <message>
        <source>The newest backup was read back and is whole ({when}).</source>
        <translation>Die neueste Sicherung wurde zurückgelesen und ist unversehrt ({when}).</translation>
    </message>
    <message>
        <source>The vault takes {size}; {free} of {disk} are free.</source>
        <translation>Der Tresor braucht {size}; {free} von {disk} sind frei.</translation>
    </message>
    <message>
        <source>There is no backup yet. One is made each day once something changed.</source>
        <translation>Es gibt noch keine Sicherung. Sobald sich etwas geändert hat, wird täglich eine erstellt.</translation>
    </message>
    <message>
        <source>Vault</source>
        <translation>Tresor</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>Überprüfen</translation>
    </message>
    <message>
        <source>Your settings let Keepsake use {hosts}.</source>
        <translation>Deine Einstellungen lassen Keepsake {hosts} nutzen.</translation>
    </message>
    <message>
        <source>the vault was not checked yet</source>
        <translation>der Tresor wurde noch nicht geprüft</translation>
    </message>
    <message>
        <source>there is no backup yet</source>
        <translation>es gibt noch keine Sicherung</translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation>{names} und {n} weitere</translation>
    </message>
    <message>
        <source>{names} is connected now.</source>
        <translation>{names} ist gerade verbunden.</translation>
    </message>
    <message>
        <source>{n} are connected now: {names}.</source>
        <translation>{n} sind gerade verbunden: {names}.</translation>
    </message>
    <message>
        <source>{n} are kept.</source>
        <translation>{n} werden behalten.</translation>
    </message>
    <message>
        <source>{n} errors</source>
        <translation>{n} Fehler</translation>
    </message>
    <message>
        <source>{n} pieces of text wait for the index.</source>
        <translation>{n} Textteile warten auf den Index.</translation>
    </message>
    <message>
        <source>{n} private ones are found by their words only.</source>
        <translation>{n} private sind nur über ihre Wörter zu finden.</translation>
    </message>
    <message>
        <source>{n} programs wait to be let in.</source>
        <translation>{n} Programme warten auf Einlass.</translation>
    </message>
    <message>
        <source>{n} requests to {hosts} since {since}, the last {last}.</source>
        <translation>{n} Anfragen an {hosts} seit {since}, zuletzt {last}.</translation>
    </message>
    <message>
        <source>{n} texts wait to be read for names.</source>
        <translation>{n} Texte werden noch nach Namen durchsucht.</translation>
    </message>
    <message>
        <source>{n} things could be better.</source>
        <translation>{n} Dinge könnten besser sein.</translation>
    </message>
    <message>
        <source>{spent} of {cap} spent this month.</source>
        <translation>{spent} von {cap} diesen Monat ausgegeben.</translation>
    </message>
    <message>
        <source>{spent} spent this month; there is no limit.</source>
        <translation>{spent} diesen Monat ausgegeben; es gibt keine Grenze.</translation>
    </message>
    <message>
        <source>{state}, {when}.</source>
        <translation>{state}, {when}.</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancel: {title}</source>
        <translation>Abbrechen: {title}</translation>
    </message>
    <message>
        <source>No vault is open</source>
        <translation>Kein Tresor ist geöffnet</translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation>Wird geöffnet …</translation>
    </message>
    <message>
        <source>Pause: {title}</source>
        <translation>Pausieren: {title}</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Resume: {title}</source>
        <translation>Fortsetzen: {title}</translation>
    </message>
    <message>
        <source>Status: privacy and safety</source>
        <translation>Status: Privatsphäre und Sicherheit</translation>
    </message>
    <message>
        <source>Waiting for {what}…</source>
        <translation>Wartet auf {what} …</translation>
    </message>
</context>
<context>
    <name>StatusPane</name>
    <message>
        <source>All is well; nothing needs you.</source>
        <translation>Alles in Ordnung; du musst nichts tun.</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>Jetzt sichern</translation>
    </message>
    <message>
        <source>Check the vault</source>
        <translation>Tresor prüfen</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>Wird nachgesehen …</translation>
    </message>
    <message>
        <source>Needs a look</source>
        <translation>Bitte ansehen</translation>
    </message>
    <message>
        <source>Nothing needs you now, but {what}.</source>
        <translation>Gerade musst du nichts tun, aber {what}.</translation>
    </message>
    <message>
        <source>One thing needs a look.</source>
        <translation>Eine Sache solltest du dir ansehen.</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>Privatsphäre</translation>
    </message>
    <message>
        <source>Safety</source>
        <translation>Sicherheit</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suche</translation>
    </message>
    <message>
        <source>Space and spending</source>
        <translation>Platz und Ausgaben</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>What runs by itself</source>
        <translation>Was von selbst läuft</translation>
    </message>
    <message>
        <source>{n} things need a look.</source>
        <translation>{n} Dinge solltest du dir ansehen.</translation>
    </message>
</context>
<context>
    <name>StatusRow</name>
    <message>
        <source>One moment…</source>
        <translation>Einen Moment …</translation>
    </message>
</context>
<context>
    <name>StatusUpdater</name>
    <message>
        <source>the vault to answer</source>
        <translation>die Antwort des Tresors</translation>
    </message>
</context>
<context>
    <name>SummaryTab</name>
    <message>
        <source>Condense all but the latest messages</source>
        <translation>Alles außer den letzten Nachrichten verdichten</translation>
    </message>
    <message>
        <source>It stands for the messages up to number {n} of {last}. Version {epoch}.</source>
        <translation>Sie steht für die Nachrichten bis Nummer {n} von {last}. Fassung {epoch}.</translation>
    </message>
    <message>
        <source>Long conversations are condensed by themselves; agents are then given this summary.</source>
        <translation>Lange Unterhaltungen werden von selbst verdichtet; Agenten erhalten dann diese Zusammenfassung.</translation>
    </message>
    <message>
        <source>No summary yet</source>
        <translation>Noch keine Zusammenfassung</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Somebody else wrote it meanwhile; this is theirs.</source>
        <translation>Jemand anderes hat sie inzwischen geschrieben; du siehst nun diese Fassung.</translation>
    </message>
    <message>
        <source>Summarise now</source>
        <translation>Jetzt zusammenfassen</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Zusammenfassung</translation>
    </message>
</context>
<context>
    <name>TagEdit</name>
    <message>
        <source>A tag needs a letter or a number.</source>
        <translation>Ein Schlagwort braucht einen Buchstaben oder eine Ziffer.</translation>
    </message>
    <message>
        <source>Add a tag</source>
        <translation>Schlagwort</translation>
    </message>
    <message>
        <source>Kept as #{tag}: a tag has no blanks or signs in it.</source>
        <translation>Als #{tag} behalten: Ein Schlagwort hat keine Leer- oder Satzzeichen.</translation>
    </message>
    <message>
        <source>Known tags</source>
        <translation>Bekannte Schlagwörter</translation>
    </message>
    <message>
        <source>There is room for {count} tags. Remove one first.</source>
        <translation>Es ist Platz für {count} Schlagwörter. Entferne erst eines.</translation>
    </message>
    <message>
        <source>This looks like a sentence. A tag is a word such as garden or garden/roses.</source>
        <translation>Das sieht wie ein Satz aus. Ein Schlagwort ist ein Wort wie garten oder garten/rosen.</translation>
    </message>
</context>
<context>
    <name>TimeSlider</name>
    <message>
        <source>Play how the graph grew</source>
        <translation>Abspielen, wie der Graph wuchs</translation>
    </message>
    <message>
        <source>Show the graph as of a day</source>
        <translation>Den Graphen an einem Tag zeigen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
</context>
<context>
    <name>TimelineStrip</name>
    <message>
        <source>Results by month</source>
        <translation>Ergebnisse nach Monat</translation>
    </message>
    <message>
        <source>{month}: 1 text</source>
        <translation>{month}: 1 Text</translation>
    </message>
    <message>
        <source>{month}: {count} texts</source>
        <translation>{month}: {count} Texte</translation>
    </message>
</context>
<context>
    <name>Toast</name>
    <message>
        <source>Dismiss</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Undo: {text}</source>
        <translation>Rückgängig: {text}</translation>
    </message>
</context>
<context>
    <name>Toaster</name>
    <message>
        <source>Notices</source>
        <translation>Meldungen</translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>Capture</source>
        <translation>Erfassen</translation>
    </message>
    <message>
        <source>Search or jump</source>
        <translation>Suchen oder springen</translation>
    </message>
    <message>
        <source>Search or jump to a note or conversation</source>
        <translation>Suchen oder zu Notiz oder Unterhaltung springen</translation>
    </message>
    <message>
        <source>Search or jump to…</source>
        <translation>Suchen oder springen zu …</translation>
    </message>
    <message>
        <source>This page has no inspector</source>
        <translation>Diese Seite hat keinen Inspektor</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Link: {words}</source>
        <translation>Link: {words}</translation>
    </message>
</context>
<context>
    <name>TranscriptView</name>
    <message>
        <source>Called {name}</source>
        <translation>{name} aufgerufen</translation>
    </message>
    <message>
        <source>Show more ({count} more characters)</source>
        <translation>Mehr zeigen (noch {count} Zeichen)</translation>
    </message>
    <message>
        <source>Transcript</source>
        <translation>Mitschrift</translation>
    </message>
    <message>
        <source>important</source>
        <translation>wichtig</translation>
    </message>
    <message>
        <source>{name} answered</source>
        <translation>{name} antwortete</translation>
    </message>
</context>
<context>
    <name>TrashBar</name>
    <message>
        <source>Empty trash…</source>
        <translation>Papierkorb leeren …</translation>
    </message>
    <message>
        <source>Erase the note in the trash for ever?</source>
        <translation>Die Notiz im Papierkorb endgültig löschen?</translation>
    </message>
    <message>
        <source>Erase the {count} notes in the trash for ever?</source>
        <translation>Die {count} Notizen im Papierkorb endgültig löschen?</translation>
    </message>
    <message>
        <source>Erased {count} from the trash for ever</source>
        <translation>{count} aus dem Papierkorb endgültig gelöscht</translation>
    </message>
    <message>
        <source>In the trash: {count}. It stays until you empty it.</source>
        <translation>Im Papierkorb: {count}. Was darin liegt, bleibt, bis du ihn leerst.</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Their text, history and search entries are removed from this vault.</source>
        <translation>Ihr Text, ihr Verlauf und ihre Sucheinträge werden aus diesem Tresor entfernt.</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message>
        <source>A program asks for access</source>
        <translation>Ein Programm bittet um Zugriff</translation>
    </message>
    <message>
        <source>Agents</source>
        <translation>Agenten</translation>
    </message>
    <message>
        <source>Allow {name}…</source>
        <translation>{name} erlauben …</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Let it go on</source>
        <translation>Fortfahren lassen</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open Keepsake</source>
        <translation>Keepsake öffnen</translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation>Wird geöffnet …</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Zuletzt</translation>
    </message>
    <message>
        <source>Refuse {name}</source>
        <translation>{name} ablehnen</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>Jetzt ausführen</translation>
    </message>
    <message>
        <source>Scheduled work is paused · {status}</source>
        <translation>Geplante Arbeit pausiert · {status}</translation>
    </message>
    <message>
        <source>Search…</source>
        <translation>Suchen …</translation>
    </message>
    <message>
        <source>{name} (connected)</source>
        <translation>{name} (verbunden)</translation>
    </message>
    <message>
        <source>{name} (paused)</source>
        <translation>{name} (pausiert)</translation>
    </message>
    <message>
        <source>{name} asks for access to your memory.</source>
        <translation>{name} bittet um Zugriff auf dein Gedächtnis.</translation>
    </message>
</context>
<context>
    <name>UndoStack</name>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Redo: {what}</source>
        <translation>Wiederholen: {what}</translation>
    </message>
    <message>
        <source>Redoing {count} changes. This may take some seconds.</source>
        <translation>{count} Änderungen werden wiederholt. Das kann einige Sekunden dauern.</translation>
    </message>
    <message>
        <source>Redone: {what}</source>
        <translation>Wiederholt: {what}</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Undo: {what}</source>
        <translation>Rückgängig: {what}</translation>
    </message>
    <message>
        <source>Undoing {count} changes. This may take some seconds.</source>
        <translation>{count} Änderungen werden rückgängig gemacht. Das kann einige Sekunden dauern.</translation>
    </message>
    <message>
        <source>Undone: {what}</source>
        <translation>Rückgängig gemacht: {what}</translation>
    </message>
    <message>
        <source>one stays as it is, because it was changed since</source>
        <translation>eines bleibt, wie es ist, weil es seither geändert wurde</translation>
    </message>
    <message>
        <source>{n} stay as they are, because they were changed since</source>
        <translation>{n} bleiben, wie sie sind, weil sie seither geändert wurden</translation>
    </message>
</context>
<context>
    <name>UnlockForm</name>
    <message>
        <source>Call the encryption off</source>
        <translation>Verschlüsselung absagen</translation>
    </message>
    <message>
        <source>Encrypt now</source>
        <translation>Jetzt verschlüsseln</translation>
    </message>
    <message>
        <source>Passphrase</source>
        <translation>Passphrase</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problem</translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation>Entsperren</translation>
    </message>
</context>
<context>
    <name>VaultRescue</name>
    <message>
        <source>1 conversation</source>
        <translation>1 Unterhaltung</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 Nachricht</translation>
    </message>
    <message>
        <source>1 note or fact</source>
        <translation>1 Notiz oder Fakt</translation>
    </message>
    <message>
        <source>Another Keepsake could not be started.</source>
        <translation>Ein weiteres Keepsake konnte nicht gestartet werden.</translation>
    </message>
    <message>
        <source>Calling the encryption off…</source>
        <translation>Die Verschlüsselung wird abgesagt…</translation>
    </message>
    <message>
        <source>Copying what can be read into a new folder. This can take minutes; closing the window stops it.</source>
        <translation>Lesbares wird in einen neuen Ordner kopiert. Das kann Minuten dauern; Schließen des Fensters hält es an.</translation>
    </message>
    <message>
        <source>Encrypting your memories…</source>
        <translation>Deine Erinnerungen werden verschlüsselt…</translation>
    </message>
    <message>
        <source>Looking for backups…</source>
        <translation>Sicherungen werden gesucht …</translation>
    </message>
    <message>
        <source>Open another vault</source>
        <translation>Anderen Tresor öffnen</translation>
    </message>
    <message>
        <source>Opening your memories…</source>
        <translation>Deine Erinnerungen werden geöffnet…</translation>
    </message>
    <message>
        <source>Reading the whole file. Closing the window stops it.</source>
        <translation>Die ganze Datei wird gelesen. Schließen des Fensters hält es an.</translation>
    </message>
    <message>
        <source>Rescued {what} into {folder}.</source>
        <translation>Nach {folder} gerettet: {what}.</translation>
    </message>
    <message>
        <source>The file is sound: {what}.</source>
        <translation>Die Datei ist in Ordnung: {what}.</translation>
    </message>
    <message>
        <source>This is not the passphrase. Try again.</source>
        <translation>Das ist nicht die Passphrase. Versuch es noch einmal.</translation>
    </message>
    <message>
        <source>Unlocking…</source>
        <translation>Wird entsperrt…</translation>
    </message>
    <message>
        <source>Verifying the copy, then restoring it. Closing the window before that is done changes nothing.</source>
        <translation>Die Kopie wird überprüft und dann wiederhergestellt. Wird das Fenster vorher geschlossen, ändert sich nichts.</translation>
    </message>
    <message>
        <source>{n} conversations</source>
        <translation>{n} Unterhaltungen</translation>
    </message>
    <message>
        <source>{n} could not be read.</source>
        <translation>{n} konnten nicht gelesen werden.</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} Nachrichten</translation>
    </message>
    <message>
        <source>{n} notes and facts</source>
        <translation>{n} Notizen und Fakten</translation>
    </message>
</context>
<context>
    <name>VersionDiff</name>
    <message>
        <source>Close the comparison</source>
        <translation>Vergleich schließen</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>Unterschiede</translation>
    </message>
    <message>
        <source>The words are the same; title or tags differ.</source>
        <translation>Die Wörter sind gleich; Titel oder Schlagwörter unterscheiden sich.</translation>
    </message>
</context>
<context>
    <name>WeekView</name>
    <message>
        <source>1 run this week.</source>
        <translation>1 Lauf in dieser Woche.</translation>
    </message>
    <message>
        <source>Week</source>
        <translation>Woche</translation>
    </message>
    <message>
        <source>{n} runs</source>
        <translation>{n} Läufe</translation>
    </message>
    <message>
        <source>{n} runs this week.</source>
        <translation>{n} Läufe in dieser Woche.</translation>
    </message>
</context>
<context>
    <name>WelcomeDialog</name>
    <message>
        <source>A backup is made every day, and what you, an agent or a job changed can be undone.</source>
        <translation>Jeden Tag wird eine Sicherung erstellt, und was du, ein Agent oder eine Aufgabe ändert, lässt sich rückgängig machen.</translation>
    </message>
    <message>
        <source>A memory of your own</source>
        <translation>Ein eigenes Gedächtnis</translation>
    </message>
    <message>
        <source>Agents read your memory only after you allow them, and you can pause them at any time.</source>
        <translation>Agenten lesen dein Gedächtnis erst, wenn du es erlaubst, und du kannst sie jederzeit pausieren.</translation>
    </message>
    <message>
        <source>All of it lies in one folder on this machine. Nothing is sent away unless you set that up.</source>
        <translation>Alles liegt in einem Ordner auf diesem Rechner. Nichts wird fortgeschickt, außer du richtest es ein.</translation>
    </message>
    <message>
        <source>An export of ChatGPT or Claude, or a folder of Markdown notes. You see first what will be made.</source>
        <translation>Ein Export von ChatGPT oder Claude, oder ein Ordner mit Markdown-Notizen. Du siehst erst, was daraus wird.</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Bring things in</source>
        <translation>Inhalte hereinholen</translation>
    </message>
    <message>
        <source>Closing the window can leave Keepsake in the tray, where your agents still reach it.</source>
        <translation>Beim Schließen des Fensters kann Keepsake im Infobereich bleiben, wo deine Agenten es weiter erreichen.</translation>
    </message>
    <message>
        <source>Closing the window can leave Keepsake running, hidden. Start it again to see the window.</source>
        <translation>Beim Schließen des Fensters kann Keepsake verborgen weiterlaufen. Starte es noch einmal, um das Fenster zu sehen.</translation>
    </message>
    <message>
        <source>Connect agents</source>
        <translation>Agenten verbinden</translation>
    </message>
    <message>
        <source>How it works for you</source>
        <translation>Wie es für dich arbeitet</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importieren …</translation>
    </message>
    <message>
        <source>Keepsake keeps your conversations, notes and facts, and finds them again by words and meaning.</source>
        <translation>Keepsake behält deine Unterhaltungen, Notizen und Fakten und findet sie über Wörter und Bedeutung wieder.</translation>
    </message>
    <message>
        <source>Look at a sample vault</source>
        <translation>Beispieltresor ansehen</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Or start empty: Quick capture in the File menu saves a thought as a note.</source>
        <translation>Oder leer beginnen: Die Schnellerfassung im Menü Datei speichert einen Gedanken als Notiz.</translation>
    </message>
    <message>
        <source>See backups</source>
        <translation>Sicherungen ansehen</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Überspringen</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Beginnen</translation>
    </message>
    <message>
        <source>Step {n} of {count}</source>
        <translation>Schritt {n} von {count}</translation>
    </message>
    <message>
        <source>The sample vault opens in a window of its own and leaves yours as it is.</source>
        <translation>Der Beispieltresor öffnet sich in einem eigenen Fenster und lässt deinen, wie er ist.</translation>
    </message>
    <message>
        <source>Your vault: {folder}</source>
        <translation>Dein Tresor: {folder}</translation>
    </message>
</context>
<context>
    <name>WhyNotDialog</name>
    <message>
        <source>Choose what you expected among the results of ‘{query}’.</source>
        <translation>Wähle, was du unter den Ergebnissen von „{query}“ erwartet hast.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Conversations and memories</source>
        <translation>Unterhaltungen und Erinnerungen</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>Wird nachgesehen …</translation>
    </message>
    <message>
        <source>Search that way</source>
        <translation>So suchen</translation>
    </message>
    <message>
        <source>There is nothing with these words or this title in the vault.</source>
        <translation>Im Tresor ist nichts mit diesen Wörtern oder diesem Titel.</translation>
    </message>
    <message>
        <source>This is about the message of the conversation that fits best.</source>
        <translation>Dies gilt für die Nachricht der Unterhaltung, die am besten passt.</translation>
    </message>
    <message>
        <source>This search shows it: {query}</source>
        <translation>Diese Suche zeigt es: {query}</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Ohne Titel</translation>
    </message>
    <message>
        <source>What you expected</source>
        <translation>Was du erwartet hast</translation>
    </message>
    <message>
        <source>Why not …?</source>
        <translation>Warum nicht …?</translation>
    </message>
    <message>
        <source>Words of it, or its title…</source>
        <translation>Wörter daraus oder der Titel …</translation>
    </message>
</context>
<context>
    <name>WhyPanel</name>
    <message>
        <source>A filled bar lifted the result, an outlined one lowered it.</source>
        <translation>Ein gefüllter Balken hob das Ergebnis, ein umrandeter senkte es.</translation>
    </message>
    <message>
        <source>How it was found</source>
        <translation>Wie es gefunden wurde</translation>
    </message>
    <message>
        <source>Importance</source>
        <translation>Wichtigkeit</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>Bedeutung</translation>
    </message>
    <message>
        <source>Mentions</source>
        <translation>Erwähnungen</translation>
    </message>
    <message>
        <source>Newness</source>
        <translation>Neuheit</translation>
    </message>
    <message>
        <source>Next marked word</source>
        <translation>Nächstes markiertes Wort</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Other names</source>
        <translation>Andere Namen</translation>
    </message>
    <message>
        <source>Previous marked word</source>
        <translation>Voriges markiertes Wort</translation>
    </message>
    <message>
        <source>Text of the result</source>
        <translation>Text des Ergebnisses</translation>
    </message>
    <message>
        <source>What counted, and how much</source>
        <translation>Was zählte und wie viel</translation>
    </message>
    <message>
        <source>What else counted</source>
        <translation>Was sonst zählte</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>Wörter</translation>
    </message>
    <message>
        <source>place {rank}</source>
        <translation>Platz {rank}</translation>
    </message>
    <message>
        <source>{m} marked</source>
        <translation>{m} markiert</translation>
    </message>
    <message>
        <source>{n} of {m}</source>
        <translation>{n} von {m}</translation>
    </message>
</context>
<context>
    <name>Window</name>
    <message>
        <source>Choose a search model</source>
        <translation>Suchmodell wählen</translation>
    </message>
    <message>
        <source>Drop to import</source>
        <translation>Zum Importieren ablegen</translation>
    </message>
    <message>
        <source>Keepsake</source>
        <translation>Keepsake</translation>
    </message>
    <message>
        <source>Keepsake (safe mode)</source>
        <translation>Keepsake (abgesicherter Modus)</translation>
    </message>
    <message>
        <source>Only the window is in safe mode: another Keepsake has your memories open. Quit that one for all of it.</source>
        <translation>Nur das Fenster ist im abgesicherten Modus: Ein anderes Keepsake hat deine Erinnerungen geöffnet. Beende jenes, damit er für alles gilt.</translation>
    </message>
    <message>
        <source>Safe mode: schedules, models and search by meaning are off, and the appearance is the default one. Settings that you change count from the next start.</source>
        <translation>Abgesicherter Modus: Zeitpläne, Modelle und die Suche nach Bedeutung sind aus, und das Aussehen ist das übliche. Geänderte Einstellungen gelten ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>Several machines</source>
        <translation>Mehrere Rechner</translation>
    </message>
</context>
<context>
    <name>WindowActions</name>
    <message>
        <source>Choose in {pane} what ‘{title}’ is for. Then give the command again.</source>
        <translation>Wähle zuerst unter „{pane}“, wofür „{title}“ gelten soll, und gib den Befehl dann noch einmal.</translation>
    </message>
    <message>
        <source>Created ‘{title}’</source>
        <translation>„{title}“ angelegt</translation>
    </message>
    <message>
        <source>Keepsake ended unexpectedly on {time}. What was saved is kept. Copy the details if you want to report it.</source>
        <translation>Keepsake wurde am {time} unerwartet beendet. Gespeichertes ist erhalten. Kopiere die Details, wenn du es melden willst.</translation>
    </message>
    <message>
        <source>Link copied</source>
        <translation>Link kopiert</translation>
    </message>
    <message>
        <source>No language model is set up. The settings llm.* name one.</source>
        <translation>Es ist kein Sprachmodell eingerichtet. Die Einstellungen llm.* nennen eines.</translation>
    </message>
    <message>
        <source>Open a note, conversation or search first; this place has no link</source>
        <translation>Öffne erst eine Notiz, Unterhaltung oder Suche; diese Stelle hat keinen Link</translation>
    </message>
    <message>
        <source>{model} answered in {seconds} seconds. This month it cost {cost}.</source>
        <translation>{model} antwortete in {seconds} Sekunden. Diesen Monat kostete es {cost}.</translation>
    </message>
    <message>
        <source>{program}, {time}</source>
        <translation>{program}, {time}</translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>A message of several sentences</source>
        <translation>Eine Nachricht aus mehreren Sätzen</translation>
    </message>
    <message>
        <source>A question came before</source>
        <translation>Vorher kam eine Frage</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>Angenommen</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>Archiviert</translation>
    </message>
    <message>
        <source>As in the settings</source>
        <translation>Wie in den Einstellungen</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>Best match overall</source>
        <translation>Passt insgesamt am besten</translation>
    </message>
    <message>
        <source>By conversation</source>
        <translation>Nach Unterhaltung</translation>
    </message>
    <message>
        <source>By day</source>
        <translation>Nach Tag</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>Condensed</source>
        <translation>Verdichtet</translation>
    </message>
    <message>
        <source>Confirmed</source>
        <translation>Bestätigt</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>Datum</translation>
    </message>
    <message>
        <source>Dates</source>
        <translation>Datumsangaben</translation>
    </message>
    <message>
        <source>Deleted</source>
        <translation>Gelöscht</translation>
    </message>
    <message>
        <source>Deleted from the archive</source>
        <translation>Aus dem Archiv gelöscht</translation>
    </message>
    <message>
        <source>Digest</source>
        <translation>Auszug</translation>
    </message>
    <message>
        <source>Digests</source>
        <translation>Auszüge</translation>
    </message>
    <message>
        <source>E-mail address</source>
        <translation>E-Mail-Adresse</translation>
    </message>
    <message>
        <source>E-mail addresses</source>
        <translation>E-Mail-Adressen</translation>
    </message>
    <message>
        <source>Fact</source>
        <translation>Fakt</translation>
    </message>
    <message>
        <source>Facts</source>
        <translation>Fakten</translation>
    </message>
    <message>
        <source>Follows a person</source>
        <translation>Folgt auf eine Person</translation>
    </message>
    <message>
        <source>Found because it {reasons}.</source>
        <translation>Gefunden, weil es {reasons}.</translation>
    </message>
    <message>
        <source>Hashtag</source>
        <translation>Hashtag</translation>
    </message>
    <message>
        <source>Hashtags</source>
        <translation>Hashtags</translation>
    </message>
    <message>
        <source>How new it is</source>
        <translation>Wie neu es ist</translation>
    </message>
    <message>
        <source>How new the conversation is</source>
        <translation>Wie neu die Unterhaltung ist</translation>
    </message>
    <message>
        <source>How results are grouped</source>
        <translation>Wie Ergebnisse gruppiert werden</translation>
    </message>
    <message>
        <source>How results are ranked</source>
        <translation>Wie Ergebnisse geordnet werden</translation>
    </message>
    <message>
        <source>Import ({origin})</source>
        <translation>Import ({origin})</translation>
    </message>
    <message>
        <source>It does not say {lacking}.</source>
        <translation>Es enthält {lacking} nicht.</translation>
    </message>
    <message>
        <source>It is a note or fact</source>
        <translation>Es ist eine Notiz oder ein Fakt</translation>
    </message>
    <message>
        <source>It is a question</source>
        <translation>Es ist eine Frage</translation>
    </message>
    <message>
        <source>It is about who hears it</source>
        <translation>Es handelt von dem, der es hört</translation>
    </message>
    <message>
        <source>It is about who says it</source>
        <translation>Es handelt von dem, der es sagt</translation>
    </message>
    <message>
        <source>It is in the archive, which searches leave out. Add is:archived.</source>
        <translation>Es liegt im Archiv, das Suchen auslassen. Füge is:archived hinzu.</translation>
    </message>
    <message>
        <source>It is no longer there.</source>
        <translation>Es ist nicht mehr da.</translation>
    </message>
    <message>
        <source>It is not ready to be searched yet, or has no words of its own.</source>
        <translation>Es ist noch nicht für die Suche bereit, oder hat keine eigenen Wörter.</translation>
    </message>
    <message>
        <source>It is of your project</source>
        <translation>Es gehört zu deinem Projekt</translation>
    </message>
    <message>
        <source>It says a number</source>
        <translation>Es nennt eine Zahl</translation>
    </message>
    <message>
        <source>It says when</source>
        <translation>Es sagt, wann</translation>
    </message>
    <message>
        <source>It says {words}, but not {lacking}, and others fit better.</source>
        <translation>Es enthält {words}, aber nicht {lacking}, und anderes passt besser.</translation>
    </message>
    <message>
        <source>It says {words}, but so many others do that it did not come among the best.</source>
        <translation>Es enthält {words}, aber so viele andere auch, dass es nicht unter die besten kam.</translation>
    </message>
    <message>
        <source>It shares no word with your search, and others are nearer in meaning.</source>
        <translation>Es teilt kein Wort mit deiner Suche, und anderes ist in der Bedeutung näher.</translation>
    </message>
    <message>
        <source>It was deleted. Restore it from the trash, and searches find it again.</source>
        <translation>Es wurde gelöscht. Stelle es aus dem Papierkorb wieder her, dann finden es Suchen wieder.</translation>
    </message>
    <message>
        <source>It was found, but only as number {place}; the first {limit} are shown.</source>
        <translation>Es wurde gefunden, aber nur auf Platz {place}; die ersten {limit} werden gezeigt.</translation>
    </message>
    <message>
        <source>It was found: it is number {place} of the results.</source>
        <translation>Es wurde gefunden: Es ist Nummer {place} der Ergebnisse.</translation>
    </message>
    <message>
        <source>Its conversation is like the best ones</source>
        <translation>Seine Unterhaltung gleicht den besten</translation>
    </message>
    <message>
        <source>Its conversation is the newest of those</source>
        <translation>Seine Unterhaltung ist die neueste davon</translation>
    </message>
    <message>
        <source>Its conversation was deleted.</source>
        <translation>Seine Unterhaltung wurde gelöscht.</translation>
    </message>
    <message>
        <source>Its words fit those of the question in meaning</source>
        <translation>Seine Wörter passen im Sinn zu denen der Frage</translation>
    </message>
    <message>
        <source>Judged by the reading model</source>
        <translation>Vom lesenden Modell beurteilt</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>Länge</translation>
    </message>
    <message>
        <source>Length of the conversation</source>
        <translation>Länge der Unterhaltung</translation>
    </message>
    <message>
        <source>Length of the question</source>
        <translation>Länge der Frage</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>Bedeutung</translation>
    </message>
    <message>
        <source>Meaning around it</source>
        <translation>Bedeutung ringsum</translation>
    </message>
    <message>
        <source>Meaning before words</source>
        <translation>Bedeutung vor Wörtern</translation>
    </message>
    <message>
        <source>Meaning of the conversation</source>
        <translation>Bedeutung der Unterhaltung</translation>
    </message>
    <message>
        <source>Meaning of the message after</source>
        <translation>Bedeutung der Nachricht danach</translation>
    </message>
    <message>
        <source>Meaning of the message before</source>
        <translation>Bedeutung der Nachricht davor</translation>
    </message>
    <message>
        <source>Mention</source>
        <translation>Erwähnung</translation>
    </message>
    <message>
        <source>Mentions</source>
        <translation>Erwähnungen</translation>
    </message>
    <message>
        <source>Mentions what you name</source>
        <translation>Erwähnt, was du nennst</translation>
    </message>
    <message>
        <source>Merged</source>
        <translation>Zusammengeführt</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Nachricht</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Nachrichten</translation>
    </message>
    <message>
        <source>Most of your words in one of its messages</source>
        <translation>Die meisten deiner Wörter in einer seiner Nachrichten</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>Namen</translation>
    </message>
    <message>
        <source>Names in it</source>
        <translation>Namen darin</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>Observation</source>
        <translation>Beobachtung</translation>
    </message>
    <message>
        <source>Observations</source>
        <translation>Beobachtungen</translation>
    </message>
    <message>
        <source>One list, best first</source>
        <translation>Eine Liste, beste zuerst</translation>
    </message>
    <message>
        <source>Only the meaning</source>
        <translation>Nur die Bedeutung</translation>
    </message>
    <message>
        <source>Only your words</source>
        <translation>Nur deine Wörter</translation>
    </message>
    <message>
        <source>Organization</source>
        <translation>Organisation</translation>
    </message>
    <message>
        <source>Organizations</source>
        <translation>Organisationen</translation>
    </message>
    <message>
        <source>Other messages of its conversation came first.</source>
        <translation>Andere Nachrichten seiner Unterhaltung kamen zuerst.</translation>
    </message>
    <message>
        <source>Other name</source>
        <translation>Anderer Name</translation>
    </message>
    <message>
        <source>Other names</source>
        <translation>Andere Namen</translation>
    </message>
    <message>
        <source>People</source>
        <translation>Personen</translation>
    </message>
    <message>
        <source>Person</source>
        <translation>Person</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>Place by meaning</source>
        <translation>Platz nach Bedeutung</translation>
    </message>
    <message>
        <source>Place by words</source>
        <translation>Platz nach Wörtern</translation>
    </message>
    <message>
        <source>Places</source>
        <translation>Orte</translation>
    </message>
    <message>
        <source>Private</source>
        <translation>Privat</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Projects</source>
        <translation>Projekte</translation>
    </message>
    <message>
        <source>Read from the history</source>
        <translation>Aus dem Verlauf gelesen</translation>
    </message>
    <message>
        <source>Reflection</source>
        <translation>Reflexion</translation>
    </message>
    <message>
        <source>Reflections</source>
        <translation>Reflexionen</translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation>Abgelehnt</translation>
    </message>
    <message>
        <source>Renamed</source>
        <translation>Umbenannt</translation>
    </message>
    <message>
        <source>Restored</source>
        <translation>Wiederhergestellt</translation>
    </message>
    <message>
        <source>Said again</source>
        <translation>Noch einmal gesagt</translation>
    </message>
    <message>
        <source>Said by a person</source>
        <translation>Von einer Person gesagt</translation>
    </message>
    <message>
        <source>Said by someone you name</source>
        <translation>Von jemandem gesagt, den du nennst</translation>
    </message>
    <message>
        <source>Said by whom you name first</source>
        <translation>Von der zuerst genannten Person gesagt</translation>
    </message>
    <message>
        <source>Said soon after the time named</source>
        <translation>Bald nach der genannten Zeit gesagt</translation>
    </message>
    <message>
        <source>Said to someone you name</source>
        <translation>Zu jemandem gesagt, den du nennst</translation>
    </message>
    <message>
        <source>Share of your words around it</source>
        <translation>Anteil deiner Wörter ringsum</translation>
    </message>
    <message>
        <source>Share of your words in it</source>
        <translation>Anteil deiner Wörter darin</translation>
    </message>
    <message>
        <source>Share of your words in the conversation</source>
        <translation>Anteil deiner Wörter in der Unterhaltung</translation>
    </message>
    <message>
        <source>Share of your words in the message before</source>
        <translation>Anteil deiner Wörter in der Nachricht davor</translation>
    </message>
    <message>
        <source>Share of your words two messages later</source>
        <translation>Anteil deiner Wörter zwei Nachrichten später</translation>
    </message>
    <message>
        <source>Shared</source>
        <translation>Geteilt</translation>
    </message>
    <message>
        <source>Social</source>
        <translation>Sozial</translation>
    </message>
    <message>
        <source>Some nearest, some important, some latest</source>
        <translation>Einige nächste, einige wichtige, einige neueste</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>The date fits</source>
        <translation>Das Datum passt</translation>
    </message>
    <message>
        <source>The message before asks about your words</source>
        <translation>Die Nachricht davor fragt nach deinen Wörtern</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Werkzeug</translation>
    </message>
    <message>
        <source>Web address</source>
        <translation>Webadresse</translation>
    </message>
    <message>
        <source>Web addresses</source>
        <translation>Webadressen</translation>
    </message>
    <message>
        <source>What words, meaning and names agree on</source>
        <translation>Worin Wörter, Bedeutung und Namen übereinstimmen</translation>
    </message>
    <message>
        <source>Whether texts are chat or long</source>
        <translation>Ob Texte Chats oder lange Texte sind</translation>
    </message>
    <message>
        <source>Words and meaning alike</source>
        <translation>Wörter und Bedeutung gleich</translation>
    </message>
    <message>
        <source>Words and meaning, newer and repeated first</source>
        <translation>Wörter und Bedeutung, Neueres und Wiederholtes zuerst</translation>
    </message>
    <message>
        <source>Words around it</source>
        <translation>Wörter ringsum</translation>
    </message>
    <message>
        <source>Words of the conversation</source>
        <translation>Wörter der Unterhaltung</translation>
    </message>
    <message>
        <source>Words of the message</source>
        <translation>Wörter der Nachricht</translation>
    </message>
    <message>
        <source>Words of the message after</source>
        <translation>Wörter der Nachricht danach</translation>
    </message>
    <message>
        <source>Words of the message before</source>
        <translation>Wörter der Nachricht davor</translation>
    </message>
    <message>
        <source>Words of the passage</source>
        <translation>Wörter der Textstelle</translation>
    </message>
    <message>
        <source>Words of the person in it</source>
        <translation>Wörter der Person darin</translation>
    </message>
    <message>
        <source>Words of the whole conversation</source>
        <translation>Wörter der ganzen Unterhaltung</translation>
    </message>
    <message>
        <source>Words side by side</source>
        <translation>Wörter nebeneinander</translation>
    </message>
    <message>
        <source>Words, for its length</source>
        <translation>Wörter, im Verhältnis zur Länge</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>Geschrieben</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Du</translation>
    </message>
    <message>
        <source>Your search leaves it out because of {operators}.</source>
        <translation>Deine Suche lässt es weg wegen {operators}.</translation>
    </message>
    <message>
        <source>Your search rules it out by {words}.</source>
        <translation>Deine Suche schließt es aus durch {words}.</translation>
    </message>
    <message>
        <source>a change</source>
        <translation>eine Änderung</translation>
    </message>
    <message>
        <source>a decision</source>
        <translation>eine Entscheidung</translation>
    </message>
    <message>
        <source>a discovery</source>
        <translation>eine Entdeckung</translation>
    </message>
    <message>
        <source>a plan</source>
        <translation>ein Plan</translation>
    </message>
    <message>
        <source>a preference</source>
        <translation>eine Vorliebe</translation>
    </message>
    <message>
        <source>a problem</source>
        <translation>ein Problem</translation>
    </message>
    <message>
        <source>an event</source>
        <translation>ein Ereignis</translation>
    </message>
    <message>
        <source>comes from {agent}</source>
        <translation>von {agent} kommt</translation>
    </message>
    <message>
        <source>has your words in its title or around it</source>
        <translation>deine Wörter im Titel oder ringsum hat</translation>
    </message>
    <message>
        <source>is a {kind}</source>
        <translation>zu „{kind}“ gehört</translation>
    </message>
    <message>
        <source>is about {names}</source>
        <translation>von {names} handelt</translation>
    </message>
    <message>
        <source>is among the newest</source>
        <translation>zu den neuesten gehört</translation>
    </message>
    <message>
        <source>is from {month}</source>
        <translation>aus dem {month} ist</translation>
    </message>
    <message>
        <source>is important</source>
        <translation>wichtig ist</translation>
    </message>
    <message>
        <source>is near in meaning</source>
        <translation>in der Bedeutung nah ist</translation>
    </message>
    <message>
        <source>is pinned</source>
        <translation>angeheftet ist</translation>
    </message>
    <message>
        <source>is tagged {tags}</source>
        <translation>das Schlagwort {tags} hat</translation>
    </message>
    <message>
        <source>linked in a note</source>
        <translation>in einer Notiz verlinkt</translation>
    </message>
    <message>
        <source>linked in {n} notes</source>
        <translation>in {n} Notizen verlinkt</translation>
    </message>
    <message>
        <source>mentions what you name</source>
        <translation>erwähnt, was du nennst</translation>
    </message>
    <message>
        <source>more of your words</source>
        <translation>weitere deiner Wörter</translation>
    </message>
    <message>
        <source>says {words}</source>
        <translation>{words} enthält</translation>
    </message>
    <message>
        <source>something learned</source>
        <translation>etwas Gelerntes</translation>
    </message>
    <message>
        <source>stands beside what fits</source>
        <translation>neben Passendem steht</translation>
    </message>
    <message>
        <source>stands in ‘{title}’</source>
        <translation>in „{title}“ steht</translation>
    </message>
    <message>
        <source>was said often</source>
        <translation>oft gesagt wurde</translation>
    </message>
    <message>
        <source>{parts} and {last}</source>
        <translation>{parts} und {last}</translation>
    </message>
</context>
<context>
    <name>_TitleField</name>
    <message>
        <source>Title</source>
        <translation>Titel</translation>
    </message>
</context>
</TS>
