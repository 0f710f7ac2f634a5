<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>AboutDialog</name>
    <message>
        <source>Copy debug information</source>
        <translation>复制调试信息</translation>
    </message>
    <message>
        <source>Debug information</source>
        <translation>调试信息</translation>
    </message>
    <message>
        <source>Keepsake</source>
        <translation>Keepsake</translation>
    </message>
    <message>
        <source>One person&apos;s long-term memory, on their own machine. MIT licence. Icons: Lucide (ISC).</source>
        <translation>一个人的长期记忆，保存在自己的电脑上。MIT 许可证。图标：Lucide (ISC)。</translation>
    </message>
    <message>
        <source>Version {version}</source>
        <translation>版本 {version}</translation>
    </message>
</context>
<context>
    <name>AccessBar</name>
    <message>
        <source>1 more waits.</source>
        <translation>还有 1 个在等待。</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>允许</translation>
    </message>
    <message>
        <source>Familiar: reads social memories</source>
        <translation>熟悉：可读取社交记忆</translation>
    </message>
    <message>
        <source>Full: reads and writes everything</source>
        <translation>完全：可读写全部内容</translation>
    </message>
    <message>
        <source>Inner: reads shared and social, and writes</source>
        <translation>亲近：可读取共享和社交内容，并可写入</translation>
    </message>
    <message>
        <source>It says: {reason}</source>
        <translation>它说：{reason}</translation>
    </message>
    <message>
        <source>Its changes wait in the inbox until you accept them.</source>
        <translation>它的更改会在收件箱中等待你接受。</translation>
    </message>
    <message>
        <source>Public: reads nothing</source>
        <translation>公开：不能读取任何内容</translation>
    </message>
    <message>
        <source>Refuse</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <source>Review what it writes</source>
        <translation>审核它写入的内容</translation>
    </message>
    <message>
        <source>Trust of the program</source>
        <translation>对该程序的信任</translation>
    </message>
    <message>
        <source>{n} more wait.</source>
        <translation>还有 {n} 个在等待。</translation>
    </message>
    <message>
        <source>“{name}” asks for access to your memory, with {trust} trust.</source>
        <translation>“{name}”请求访问你的记忆，信任级别：{trust}。</translation>
    </message>
    <message>
        <source>“{name}” has access already and asks for a new token. Is this the same program? Then allow it: its trust stays, and the token it had ends.</source>
        <translation>“{name}”已有访问权限，并请求新的令牌。是同一个程序吗？如果是，请允许：其信任级别不变，原来的令牌失效。</translation>
    </message>
</context>
<context>
    <name>AccessRequests</name>
    <message>
        <source>Allowed {name}</source>
        <translation>已允许 {name}</translation>
    </message>
    <message>
        <source>Refused {name}</source>
        <translation>已拒绝 {name}</translation>
    </message>
    <message>
        <source>The request of {name} is decided already</source>
        <translation>{name} 的请求已经处理过了</translation>
    </message>
</context>
<context>
    <name>ActRow</name>
    <message>
        <source>Do again</source>
        <translation>重新执行</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Undo both…</source>
        <translation>两项都撤销…</translation>
    </message>
    <message>
        <source>Undone</source>
        <translation>已撤销</translation>
    </message>
    <message>
        <source>Undone in part</source>
        <translation>已部分撤销</translation>
    </message>
</context>
<context>
    <name>Activity</name>
    <message>
        <source>Condensing and archiving old observations</source>
        <translation>正在压缩并归档旧的观察</translation>
    </message>
    <message>
        <source>Drawing facts from conversations that have ended</source>
        <translation>正在从已结束的会话中提取事实</translation>
    </message>
    <message>
        <source>Getting search ready</source>
        <translation>正在准备搜索</translation>
    </message>
    <message>
        <source>Indexing your texts for search by meaning</source>
        <translation>正在为语义搜索索引你的文本</translation>
    </message>
    <message>
        <source>Letting facts that nobody used fade a little</source>
        <translation>正在让久未使用的事实略微衰减</translation>
    </message>
    <message>
        <source>Looking again for names in texts that have few</source>
        <translation>正在名称较少的文本中再次查找名称</translation>
    </message>
    <message>
        <source>Recognising names in your texts</source>
        <translation>正在识别你文本中的名称</translation>
    </message>
    <message>
        <source>Removing what is to be forgotten for ever</source>
        <translation>正在清除需要永久遗忘的内容</translation>
    </message>
    <message>
        <source>Tidying the database and checking the latest backup</source>
        <translation>正在整理数据库并检查最近的备份</translation>
    </message>
    <message>
        <source>Working on the goal ‘{name}’</source>
        <translation>正在处理目标“{name}”</translation>
    </message>
    <message>
        <source>Writing down what the week brought</source>
        <translation>正在写下本周的收获</translation>
    </message>
    <message>
        <source>{doing} — next: {coming}</source>
        <translation>{doing}——下一项：{coming}</translation>
    </message>
</context>
<context>
    <name>Acts</name>
    <message>
        <source>Keepsake, by itself</source>
        <translation>Keepsake 自动</translation>
    </message>
    <message>
        <source>The mirrored folder</source>
        <translation>镜像文件夹</translation>
    </message>
    <message>
        <source>Undo both</source>
        <translation>两项都撤销</translation>
    </message>
    <message>
        <source>Undo both?</source>
        <translation>两项都撤销吗？</translation>
    </message>
    <message>
        <source>Undo both? Each is an entry of the history and can be done again there.</source>
        <translation>两项都撤销吗？每一项都是历史记录中的一条，可以在那里重做。</translation>
    </message>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
    <message>
        <source>‘{what}’ cannot be undone by itself.</source>
        <translation>“{what}”无法单独撤销。</translation>
    </message>
</context>
<context>
    <name>AgentIndicator</name>
    <message>
        <source>Open this agent</source>
        <translation>打开此智能体</translation>
    </message>
    <message>
        <source>What an agent does</source>
        <translation>智能体正在做什么</translation>
    </message>
    <message>
        <source>{name}: {did}</source>
        <translation>{name}：{did}</translation>
    </message>
</context>
<context>
    <name>AgentList</name>
    <message>
        <source>Add an agent</source>
        <translation>添加智能体</translation>
    </message>
    <message>
        <source>Agents</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>Connect a program</source>
        <translation>连接程序</translation>
    </message>
    <message>
        <source>Connected now</source>
        <translation>当前已连接</translation>
    </message>
</context>
<context>
    <name>AgentPage</name>
    <message>
        <source>Calls</source>
        <translation>调用</translation>
    </message>
    <message>
        <source>Disconnect {title}…</source>
        <translation>断开 {title}…</translation>
    </message>
    <message>
        <source>End its access</source>
        <translation>终止其访问</translation>
    </message>
    <message>
        <source>Hide all it wrote</source>
        <translation>隐藏它写的全部内容</translation>
    </message>
    <message>
        <source>How often it may call</source>
        <translation>允许的调用频率</translation>
    </message>
    <message>
        <source>It has not called yet.</source>
        <translation>它还没有调用过。</translation>
    </message>
    <message>
        <source>Let it go on</source>
        <translation>让它继续</translation>
    </message>
    <message>
        <source>May call as often as the settings allow</source>
        <translation>可按设置允许的频率调用</translation>
    </message>
    <message>
        <source>May call once a second</source>
        <translation>每秒可调用一次</translation>
    </message>
    <message>
        <source>May call {n} times a second</source>
        <translation>每秒可调用 {n} 次</translation>
    </message>
    <message>
        <source>New token</source>
        <translation>新令牌</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Show what is hidden again</source>
        <translation>重新显示隐藏内容</translation>
    </message>
    <message>
        <source>Trust</source>
        <translation>信任</translation>
    </message>
    <message>
        <source>Undo all it wrote today</source>
        <translation>撤销它今天写的全部内容</translation>
    </message>
    <message>
        <source>What it did</source>
        <translation>它做了什么</translation>
    </message>
    <message>
        <source>What it may do</source>
        <translation>它可以做什么</translation>
    </message>
    <message>
        <source>What it writes waits in the inbox until you accept it</source>
        <translation>它写入的内容会在收件箱中等待你接受</translation>
    </message>
    <message>
        <source>in a vault of its own</source>
        <translation>在它自己的记忆库中</translation>
    </message>
    <message>
        <source>its access ended on {when}</source>
        <translation>它的访问已于 {when} 终止</translation>
    </message>
    <message>
        <source>{n} read</source>
        <translation>读取 {n} 项</translation>
    </message>
    <message>
        <source>{n} written</source>
        <translation>写入 {n} 项</translation>
    </message>
    <message>
        <source>{rate} % of what it wrote was text that Keepsake had told it; that is not stored again.</source>
        <translation>它写入的内容中有 {rate} % 是 Keepsake 告诉它的文本；这些不会重复存储。</translation>
    </message>
</context>
<context>
    <name>AgentView</name>
    <message>
        <source>A question to the agent; empty for what it is told anyway</source>
        <translation>向智能体提的问题；留空则显示默认会告诉它的内容</translation>
    </message>
    <message>
        <source>Question to the agent</source>
        <translation>向智能体提问</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>There is nothing to tell it yet.</source>
        <translation>还没有可以告诉它的内容。</translation>
    </message>
    <message>
        <source>Tokens used</source>
        <translation>已用词元</translation>
    </message>
    <message>
        <source>What the agent would be told</source>
        <translation>智能体会被告知的内容</translation>
    </message>
    <message>
        <source>{n} of {most} tokens</source>
        <translation>{n}/{most} 词元</translation>
    </message>
</context>
<context>
    <name>Agents</name>
    <message>
        <source>1 call failed</source>
        <translation>1 次调用失败</translation>
    </message>
    <message>
        <source>1 call refused</source>
        <translation>1 次调用被拒绝</translation>
    </message>
    <message>
        <source>1 item changed</source>
        <translation>更改 1 项</translation>
    </message>
    <message>
        <source>1 item read</source>
        <translation>读取 1 项</translation>
    </message>
    <message>
        <source>1 other read</source>
        <translation>1 次其他读取</translation>
    </message>
    <message>
        <source>1 proposal for the inbox</source>
        <translation>1 条收件箱提议</translation>
    </message>
    <message>
        <source>1 search</source>
        <translation>1 次搜索</translation>
    </message>
    <message>
        <source>1 write</source>
        <translation>1 次写入</translation>
    </message>
    <message>
        <source>1 write that repeated recalled text</source>
        <translation>1 次重复已召回文本的写入</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>已接受</translation>
    </message>
    <message>
        <source>Echo</source>
        <translation>回声</translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Familiar: sees what is social</source>
        <translation>熟悉：可看到社交内容</translation>
    </message>
    <message>
        <source>Full: sees everything, private too</source>
        <translation>完全：可看到全部内容，包括私密内容</translation>
    </message>
    <message>
        <source>In the inbox</source>
        <translation>在收件箱中</translation>
    </message>
    <message>
        <source>Incognito is off: your agents may read and record.</source>
        <translation>无痕模式已关闭：你的智能体可以读取和记录。</translation>
    </message>
    <message>
        <source>Incognito is on until {when}: no agent can read or record.</source>
        <translation>无痕模式开启至 {when}：任何智能体都不能读取或记录。</translation>
    </message>
    <message>
        <source>Incognito is on: no agent can read or record.</source>
        <translation>无痕模式已开启：任何智能体都不能读取或记录。</translation>
    </message>
    <message>
        <source>Inner: sees what is shared and social</source>
        <translation>亲近：可看到共享和社交内容</translation>
    </message>
    <message>
        <source>Its proposal in the inbox</source>
        <translation>它在收件箱里的提议</translation>
    </message>
    <message>
        <source>Last seen {when}</source>
        <translation>最近出现于 {when}</translation>
    </message>
    <message>
        <source>Never connected</source>
        <translation>从未连接</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Proposed</source>
        <translation>已提议</translation>
    </message>
    <message>
        <source>Public: sees nothing of yours</source>
        <translation>公开：看不到你的任何内容</translation>
    </message>
    <message>
        <source>Refused</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>Reviewed</source>
        <translation>需审核</translation>
    </message>
    <message>
        <source>Revoked</source>
        <translation>已撤销授权</translation>
    </message>
    <message>
        <source>{agent} has not called.</source>
        <translation>{agent} 没有调用过。</translation>
    </message>
    <message>
        <source>{agent}: {counts}.</source>
        <translation>{agent}：{counts}。</translation>
    </message>
    <message>
        <source>{n} calls failed</source>
        <translation>{n} 次调用失败</translation>
    </message>
    <message>
        <source>{n} calls refused</source>
        <translation>{n} 次调用被拒绝</translation>
    </message>
    <message>
        <source>{n} different items read</source>
        <translation>读取了 {n} 个不同条目</translation>
    </message>
    <message>
        <source>{n} items changed</source>
        <translation>更改 {n} 项</translation>
    </message>
    <message>
        <source>{n} other reads</source>
        <translation>{n} 次其他读取</translation>
    </message>
    <message>
        <source>{n} proposals for the inbox</source>
        <translation>{n} 条收件箱提议</translation>
    </message>
    <message>
        <source>{n} searches</source>
        <translation>{n} 次搜索</translation>
    </message>
    <message>
        <source>{n} writes</source>
        <translation>{n} 次写入</translation>
    </message>
    <message>
        <source>{n} writes that repeated recalled text</source>
        <translation>{n} 次重复已召回文本的写入</translation>
    </message>
</context>
<context>
    <name>AgentsPane</name>
    <message>
        <source>Add an agent</source>
        <translation>添加智能体</translation>
    </message>
    <message>
        <source>Add an agent by hand</source>
        <translation>手动添加智能体</translation>
    </message>
    <message>
        <source>Connect a program…</source>
        <translation>连接程序…</translation>
    </message>
    <message>
        <source>Hid what {name} wrote</source>
        <translation>已隐藏 {name} 写的内容</translation>
    </message>
    <message>
        <source>No agents yet</source>
        <translation>还没有智能体</translation>
    </message>
    <message>
        <source>Nothing of this call can be shown: it named no item, or all are gone.</source>
        <translation>这次调用没有可显示的内容：它没有涉及任何条目，或者这些条目都已不在。</translation>
    </message>
    <message>
        <source>Programs such as Claude Code can use your memories, within limits that you set. You see what each one reads and writes, and can take it back.</source>
        <translation>Claude Code 等程序可以在你设定的范围内使用你的记忆。你能看到每个程序读写了什么，并可以撤回。</translation>
    </message>
    <message>
        <source>Undid what {name} wrote today</source>
        <translation>已撤销 {name} 今天写的内容</translation>
    </message>
    <message>
        <source>What {name} wrote shows again</source>
        <translation>{name} 写的内容已重新显示</translation>
    </message>
    <message>
        <source>keepsake agent connect claude-code does it from a terminal.</source>
        <translation>在终端中可用 keepsake agent connect claude-code 完成。</translation>
    </message>
    <message>
        <source>{name} has no access any more; what it wrote stays</source>
        <translation>{name} 已无访问权限；它写的内容会保留</translation>
    </message>
</context>
<context>
    <name>AppearancePanel</name>
    <message>
        <source>A field to type in</source>
        <translation>可输入的字段</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Example of a field</source>
        <translation>字段示例</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>稍后</translation>
    </message>
    <message>
        <source>Note · edited today</source>
        <translation>笔记 · 今天编辑</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>预览</translation>
    </message>
    <message>
        <source>Soil and compost</source>
        <translation>土壤与堆肥</translation>
    </message>
    <message>
        <source>The north bed is too wet for roses: Rosa says to dig in sand before March.</source>
        <translation>北边的花坛太湿，不适合种玫瑰：罗莎说三月前要掺入沙子。</translation>
    </message>
</context>
<context>
    <name>AttachmentOpener</name>
    <message>
        <source>Another program will open this file.</source>
        <translation>将由其他程序打开此文件。</translation>
    </message>
    <message>
        <source>It is decrypted for that, until Keepsake is closed or locked.</source>
        <translation>为此会将其解密，直到 Keepsake 关闭或锁定。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open an attachment</source>
        <translation>打开附件</translation>
    </message>
    <message>
        <source>‘{name}’ cannot be opened. {why}</source>
        <translation>无法打开“{name}”。{why}</translation>
    </message>
</context>
<context>
    <name>BackupChoice</name>
    <message>
        <source>A damaged database</source>
        <translation>数据库损坏</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>备份</translation>
    </message>
    <message>
        <source>Before a restore</source>
        <translation>恢复之前</translation>
    </message>
    <message>
        <source>Before an import</source>
        <translation>导入之前</translation>
    </message>
    <message>
        <source>Before an update</source>
        <translation>更新之前</translation>
    </message>
    <message>
        <source>Cannot be read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>Every day</source>
        <translation>每天</translation>
    </message>
    <message>
        <source>Made</source>
        <translation>创建时间</translation>
    </message>
    <message>
        <source>Restore this backup</source>
        <translation>恢复此备份</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>You asked for it</source>
        <translation>应你的要求</translation>
    </message>
</context>
<context>
    <name>BackupsPanel</name>
    <message>
        <source>1 conversation</source>
        <translation>1 个会话</translation>
    </message>
    <message>
        <source>1 memory</source>
        <translation>1 条记忆</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 条消息</translation>
    </message>
    <message>
        <source>A backup waits to be restored</source>
        <translation>有备份等待恢复</translation>
    </message>
    <message>
        <source>A damaged database</source>
        <translation>数据库损坏</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>立即备份</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>备份</translation>
    </message>
    <message>
        <source>Before a restore</source>
        <translation>恢复之前</translation>
    </message>
    <message>
        <source>Before an import</source>
        <translation>导入之前</translation>
    </message>
    <message>
        <source>Before an update</source>
        <translation>更新之前</translation>
    </message>
    <message>
        <source>Call it off</source>
        <translation>取消此操作</translation>
    </message>
    <message>
        <source>Calling it off…</source>
        <translation>正在取消…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Comes back: {what}</source>
        <translation>将恢复：{what}</translation>
    </message>
    <message>
        <source>Comparing it with what you have now…</source>
        <translation>正在与当前内容比较…</translation>
    </message>
    <message>
        <source>Damaged</source>
        <translation>已损坏</translation>
    </message>
    <message>
        <source>Every day</source>
        <translation>每天</translation>
    </message>
    <message>
        <source>Goes away: {what}</source>
        <translation>将移除：{what}</translation>
    </message>
    <message>
        <source>Goes back to an earlier version: {n}</source>
        <translation>将回到较早版本：{n}</translation>
    </message>
    <message>
        <source>It takes the vault&apos;s place when Keepsake is started again.</source>
        <translation>它会在 Keepsake 下次启动时取代记忆库。</translation>
    </message>
    <message>
        <source>Laying it ready…</source>
        <translation>正在准备…</translation>
    </message>
    <message>
        <source>Made</source>
        <translation>创建时间</translation>
    </message>
    <message>
        <source>Making a backup…</source>
        <translation>正在备份…</translation>
    </message>
    <message>
        <source>Nothing comes back.</source>
        <translation>没有会恢复的内容。</translation>
    </message>
    <message>
        <source>Nothing goes away.</source>
        <translation>没有会移除的内容。</translation>
    </message>
    <message>
        <source>Open the folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Reading all of it…</source>
        <translation>正在读取全部内容…</translation>
    </message>
    <message>
        <source>Restore at the next start</source>
        <translation>下次启动时恢复</translation>
    </message>
    <message>
        <source>Restore…</source>
        <translation>恢复…</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>There is no backup yet. The first one takes a few seconds.</source>
        <translation>还没有备份。第一次备份需要几秒钟。</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Verified</source>
        <translation>已验证</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>What a restore would change</source>
        <translation>恢复会更改的内容</translation>
    </message>
    <message>
        <source>What you have now is kept as a backup, so this can be taken back. Settings stay as they are.</source>
        <translation>当前内容会保留为备份，因此可以撤回。设置保持不变。</translation>
    </message>
    <message>
        <source>Whole: messages {messages}, memories {memories}</source>
        <translation>完好：消息 {messages}，记忆 {memories}</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>You asked for it</source>
        <translation>应你的要求</translation>
    </message>
    <message>
        <source>{n} conversations</source>
        <translation>{n} 个会话</translation>
    </message>
    <message>
        <source>{n} memories</source>
        <translation>{n} 条记忆</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} 条消息</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Copy details</source>
        <translation>复制详情</translation>
    </message>
    <message>
        <source>Dismiss this message</source>
        <translation>关闭此消息</translation>
    </message>
    <message>
        <source>Show details</source>
        <translation>显示详情</translation>
    </message>
</context>
<context>
    <name>BaseDialog</name>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
</context>
<context>
    <name>BeliefRow</name>
    <message>
        <source>On {day}, {source}</source>
        <translation>{day}，{source}</translation>
    </message>
    <message>
        <source>Since {since}, {source}</source>
        <translation>自 {since} 起，{source}</translation>
    </message>
    <message>
        <source>{since} to {until}, {source}</source>
        <translation>{since} 至 {until}，{source}</translation>
    </message>
</context>
<context>
    <name>BulkActions</name>
    <message>
        <source>1 note is in no project now</source>
        <translation>现在有 1 条笔记不属于任何项目</translation>
    </message>
    <message>
        <source>1 note is in the project ‘{project}’ now</source>
        <translation>现在有 1 条笔记属于项目“{project}”</translation>
    </message>
    <message>
        <source>1 note is now in the store ‘{store}’</source>
        <translation>1 条笔记现在位于“{store}”区</translation>
    </message>
    <message>
        <source>Archived 1 note</source>
        <translation>已归档 1 条笔记</translation>
    </message>
    <message>
        <source>Archived {n} notes</source>
        <translation>已归档 {n} 条笔记</translation>
    </message>
    <message>
        <source>Merged {count} notes into ‘{title}’</source>
        <translation>已将 {count} 条笔记合并到“{title}”</translation>
    </message>
    <message>
        <source>Pinned 1 note</source>
        <translation>已固定 1 条笔记</translation>
    </message>
    <message>
        <source>Pinned {n} notes</source>
        <translation>已固定 {n} 条笔记</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Put the notes into this project; leave it empty for none:</source>
        <translation>将笔记放入此项目；留空表示不属于任何项目：</translation>
    </message>
    <message>
        <source>Unpinned 1 note</source>
        <translation>已取消固定 1 条笔记</translation>
    </message>
    <message>
        <source>Unpinned {n} notes</source>
        <translation>已取消固定 {n} 条笔记</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>无标题</translation>
    </message>
    <message>
        <source>also programs that speak for you</source>
        <translation>以及代你发言的程序</translation>
    </message>
    <message>
        <source>also programs that work for you</source>
        <translation>以及为你工作的程序</translation>
    </message>
    <message>
        <source>only you and programs you trust fully</source>
        <translation>只有你和你完全信任的程序</translation>
    </message>
    <message>
        <source>{n} notes are in no project now</source>
        <translation>现在有 {n} 条笔记不属于任何项目</translation>
    </message>
    <message>
        <source>{n} notes are in the project ‘{project}’ now</source>
        <translation>现在有 {n} 条笔记属于项目“{project}”</translation>
    </message>
    <message>
        <source>{n} notes are now in the store ‘{store}’</source>
        <translation>{n} 条笔记现在位于“{store}”区</translation>
    </message>
    <message>
        <source>{store}: {who}</source>
        <translation>{store}：{who}</translation>
    </message>
</context>
<context>
    <name>CadenceForm</name>
    <message>
        <source>At</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>At an interval</source>
        <translation>按间隔</translation>
    </message>
    <message>
        <source>Cron expression</source>
        <translation>Cron 表达式</translation>
    </message>
    <message>
        <source>Day and time</source>
        <translation>日期和时间</translation>
    </message>
    <message>
        <source>Day of the month</source>
        <translation>每月日期</translation>
    </message>
    <message>
        <source>Every</source>
        <translation>每隔</translation>
    </message>
    <message>
        <source>Every day</source>
        <translation>每天</translation>
    </message>
    <message>
        <source>Every month</source>
        <translation>每月</translation>
    </message>
    <message>
        <source>Expression</source>
        <translation>表达式</translation>
    </message>
    <message>
        <source>How often</source>
        <translation>频率</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>On</source>
        <translation>星期</translation>
    </message>
    <message>
        <source>On days of the week</source>
        <translation>按星期</translation>
    </message>
    <message>
        <source>Once</source>
        <translation>一次</translation>
    </message>
    <message>
        <source>Time of day</source>
        <translation>时刻</translation>
    </message>
    <message>
        <source>Time zone</source>
        <translation>时区</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>单位</translation>
    </message>
    <message>
        <source>days</source>
        <translation>天</translation>
    </message>
    <message>
        <source>hours</source>
        <translation>小时</translation>
    </message>
    <message>
        <source>minutes</source>
        <translation>分钟</translation>
    </message>
</context>
<context>
    <name>CapsuleSheet</name>
    <message>
        <source>1 memory</source>
        <translation>1 条记忆</translation>
    </message>
    <message>
        <source>1 memory goes in</source>
        <translation>将放入 1 条记忆</translation>
    </message>
    <message>
        <source>1 year</source>
        <translation>1 年</translation>
    </message>
    <message>
        <source>A capsule is a file with notes and facts of your choice for another person or agent. It is signed, so that they see if somebody changed it, and can be imported until the day you choose. It is not encrypted: everybody who has the file can read it.</source>
        <translation>胶囊是一个文件，包含你选择给他人或智能体的笔记和事实。它带有签名，若被更改可以看出，并可在你选择的日期之前导入。它未加密：拥有该文件的任何人都能读取。</translation>
    </message>
    <message>
        <source>A capsule that is there is replaced.</source>
        <translation>已有的胶囊会被替换。</translation>
    </message>
    <message>
        <source>About other people</source>
        <translation>关于他人</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Can be imported for</source>
        <translation>可导入时长</translation>
    </message>
    <message>
        <source>Capsules (*.capsule)</source>
        <translation>胶囊 (*.capsule)</translation>
    </message>
    <message>
        <source>Choose where to write the file</source>
        <translation>选择文件的写入位置</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy your key</source>
        <translation>复制你的密钥</translation>
    </message>
    <message>
        <source>Facts alone</source>
        <translation>仅事实</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>For</source>
        <translation>给</translation>
    </message>
    <message>
        <source>How many go in</source>
        <translation>放入数量</translation>
    </message>
    <message>
        <source>In their title or text.</source>
        <translation>在标题或正文中。</translation>
    </message>
    <message>
        <source>Make a capsule</source>
        <translation>制作胶囊</translation>
    </message>
    <message>
        <source>Make the capsule</source>
        <translation>制作此胶囊</translation>
    </message>
    <message>
        <source>Notes alone</source>
        <translation>仅笔记</translation>
    </message>
    <message>
        <source>Notes and facts</source>
        <translation>笔记和事实</translation>
    </message>
    <message>
        <source>Notes or facts</source>
        <translation>笔记或事实</translation>
    </message>
    <message>
        <source>Nothing goes in</source>
        <translation>没有可放入的内容</translation>
    </message>
    <message>
        <source>Private</source>
        <translation>私密</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Shared with your agents</source>
        <translation>与你的智能体共享</translation>
    </message>
    <message>
        <source>So that they know whom it is from.</source>
        <translation>让对方知道来自谁。</translation>
    </message>
    <message>
        <source>Tags that they have</source>
        <translation>所带标签</translation>
    </message>
    <message>
        <source>Tell it to the receiver in another way, such as by telephone. Then they know that it is yours.</source>
        <translation>请用其他方式（例如电话）告诉接收者，这样对方就知道它是你的。</translation>
    </message>
    <message>
        <source>The name of the person or agent, for them to see.</source>
        <translation>对方（人或智能体）的名称，对方可见。</translation>
    </message>
    <message>
        <source>Until {day}.</source>
        <translation>至 {day}。</translation>
    </message>
    <message>
        <source>Who may see them now</source>
        <translation>目前谁可查看</translation>
    </message>
    <message>
        <source>With all of these tags</source>
        <translation>带有所有这些标签</translation>
    </message>
    <message>
        <source>With these words</source>
        <translation>含有这些词</translation>
    </message>
    <message>
        <source>Words that they contain</source>
        <translation>所含词语</translation>
    </message>
    <message>
        <source>Wrote {name} with {memories}. It can be imported until {day}.</source>
        <translation>已写入 {name}，含 {memories}。可导入至 {day}。</translation>
    </message>
    <message>
        <source>Your key</source>
        <translation>你的密钥</translation>
    </message>
    <message>
        <source>Your key in short</source>
        <translation>你的密钥（简写）</translation>
    </message>
    <message>
        <source>Your name</source>
        <translation>你的名字</translation>
    </message>
    <message>
        <source>{n} days</source>
        <translation>{n} 天</translation>
    </message>
    <message>
        <source>{n} memories</source>
        <translation>{n} 条记忆</translation>
    </message>
    <message>
        <source>{n} memories go in</source>
        <translation>将放入 {n} 条记忆</translation>
    </message>
</context>
<context>
    <name>ChangeView</name>
    <message>
        <source>Now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>Proposed</source>
        <translation>提议</translation>
    </message>
    <message>
        <source>You know</source>
        <translation>已知</translation>
    </message>
</context>
<context>
    <name>Chip</name>
    <message>
        <source>Remove the tag {name}</source>
        <translation>移除标签 {name}</translation>
    </message>
    <message>
        <source>Tag {name}, press to remove</source>
        <translation>标签 {name}，按下即可移除</translation>
    </message>
</context>
<context>
    <name>ClashBar</name>
    <message>
        <source>Forget the stored fact</source>
        <translation>忘记已存储的事实</translation>
    </message>
    <message>
        <source>Keep both</source>
        <translation>两者都保留</translation>
    </message>
    <message>
        <source>Now: {text}</source>
        <translation>现在：{text}</translation>
    </message>
    <message>
        <source>Open the inbox</source>
        <translation>打开收件箱</translation>
    </message>
    <message>
        <source>Open the stored fact</source>
        <translation>打开已存储的事实</translation>
    </message>
    <message>
        <source>Stored ({when}): {text}</source>
        <translation>已存储（{when}）：{text}</translation>
    </message>
    <message>
        <source>What you just wrote may not agree with what is stored</source>
        <translation>你刚写的内容可能与已存储的内容不一致</translation>
    </message>
</context>
<context>
    <name>ClashWatcher</name>
    <message>
        <source>Forgot the stored fact</source>
        <translation>已忘记存储的事实</translation>
    </message>
</context>
<context>
    <name>ComparisonPanel</name>
    <message>
        <source>Asking both models the same questions…</source>
        <translation>正在向两个模型提出相同的问题…</translation>
    </message>
    <message>
        <source>It was stopped, so this is of part of the questions.</source>
        <translation>比较被停止，因此这里只包含部分问题。</translation>
    </message>
    <message>
        <source>Progress of the comparison</source>
        <translation>比较进度</translation>
    </message>
    <message>
        <source>Questions answered by words alone because {model} failed: {failed}.</source>
        <translation>因 {model} 失败而仅按词语回答的问题：{failed}。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Texts without a vector by {model}: {count}.</source>
        <translation>没有 {model} 向量的文本：{count}。</translation>
    </message>
    <message>
        <source>{now} finds {found} of {questions} known answers among its first ten results, {other} finds {others}. The questions are made from your own texts.</source>
        <translation>{now} 在前十个结果中找到 {questions} 个已知答案中的 {found} 个，{other} 找到 {others} 个。问题取自你自己的文本。</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Message to yourself</source>
        <translation>给自己的消息</translation>
    </message>
    <message>
        <source>Write to yourself…</source>
        <translation>写给自己…</translation>
    </message>
</context>
<context>
    <name>ConfidenceCurve</name>
    <message>
        <source>Confidence over time</source>
        <translation>置信度随时间的变化</translation>
    </message>
    <message>
        <source>now</source>
        <translation>现在</translation>
    </message>
</context>
<context>
    <name>ConnectForm</name>
    <message>
        <source>A copy of its configuration from before is in {path}.</source>
        <translation>其先前配置的副本位于 {path}。</translation>
    </message>
    <message>
        <source>Also tell it what matters before each answer, and keep its conversations</source>
        <translation>在每次回答前告诉它重要内容，并保留它的会话</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Connect a program</source>
        <translation>连接程序</translation>
    </message>
    <message>
        <source>Connected</source>
        <translation>已连接</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>断开</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>How much it may see</source>
        <translation>可查看的范围</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>已安装</translation>
    </message>
    <message>
        <source>It is the agent “{agent}” from now on.</source>
        <translation>它现在是智能体“{agent}”。</translation>
    </message>
    <message>
        <source>Its access as the agent “{agent}” has ended; what it wrote stays.</source>
        <translation>它作为智能体“{agent}”的访问已终止；它写的内容会保留。</translation>
    </message>
    <message>
        <source>Its name here</source>
        <translation>它在此处的名称</translation>
    </message>
    <message>
        <source>Keepsake adds itself to the program’s configuration. You see the change before it is written.</source>
        <translation>Keepsake 会把自己加入该程序的配置。写入前你会看到更改内容。</translation>
    </message>
    <message>
        <source>Name of the agent</source>
        <translation>智能体名称</translation>
    </message>
    <message>
        <source>Not found on this computer</source>
        <translation>在此电脑上未找到</translation>
    </message>
    <message>
        <source>Nothing is left to change in its configuration</source>
        <translation>其配置已无需更改</translation>
    </message>
    <message>
        <source>Programs</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>The agent “{agent}”</source>
        <translation>智能体“{agent}”</translation>
    </message>
    <message>
        <source>These {n} files will change</source>
        <translation>这 {n} 个文件将会更改</translation>
    </message>
    <message>
        <source>This will change</source>
        <translation>将会更改</translation>
    </message>
    <message>
        <source>Trust</source>
        <translation>信任</translation>
    </message>
    <message>
        <source>Waiting for it to call for the first time…</source>
        <translation>正在等待它第一次调用…</translation>
    </message>
    <message>
        <source>What it writes waits in the inbox until you accept it</source>
        <translation>它写入的内容会在收件箱中等待你接受</translation>
    </message>
    <message>
        <source>Write this change</source>
        <translation>写入此更改</translation>
    </message>
    <message>
        <source>{title} has connected: all is set up.</source>
        <translation>{title} 已连接：一切就绪。</translation>
    </message>
    <message>
        <source>{title} is connected</source>
        <translation>{title} 已连接</translation>
    </message>
    <message>
        <source>{title} is no longer connected</source>
        <translation>{title} 已断开</translation>
    </message>
    <message>
        <source>{title} is not on this computer. Install it first; then it can be connected here.</source>
        <translation>此电脑上没有 {title}。请先安装，然后即可在此连接。</translation>
    </message>
</context>
<context>
    <name>ConversationTabs</name>
    <message>
        <source>Facts</source>
        <translation>事实</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Parts of the conversation</source>
        <translation>会话的各部分</translation>
    </message>
    <message>
        <source>Scratchpad</source>
        <translation>草稿板</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>What an agent would be told</source>
        <translation>智能体会被告知的内容</translation>
    </message>
</context>
<context>
    <name>CorrectionForm</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>What is right</source>
        <translation>正确的内容</translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Crash report</source>
        <translation>崩溃报告</translation>
    </message>
    <message>
        <source>It names files and functions of the program and nothing you wrote. Nothing was sent anywhere.</source>
        <translation>其中只有程序的文件和函数名，没有你写的内容。没有向任何地方发送任何信息。</translation>
    </message>
</context>
<context>
    <name>CutOffCard</name>
    <message>
        <source>Go on…</source>
        <translation>继续…</translation>
    </message>
    <message>
        <source>It began on {day}. What it brought in so far is there; going on adds the rest, nothing twice.</source>
        <translation>开始于 {day}。已导入的内容都在；继续会添加其余内容，不会重复。</translation>
    </message>
    <message>
        <source>Leave it as it is</source>
        <translation>保持原样</translation>
    </message>
    <message>
        <source>The import of {name} was cut off</source>
        <translation>{name} 的导入被中断</translation>
    </message>
</context>
<context>
    <name>CutOffImports</name>
    <message>
        <source>The import of {name} was cut off. Open Import to go on; nothing is added twice.</source>
        <translation>{name} 的导入被中断。打开“导入”即可继续；不会重复添加。</translation>
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
        <translation>要跳转的日期</translation>
    </message>
</context>
<context>
    <name>Dates</name>
    <message>
        <source>Before this year</source>
        <translation>今年之前</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>最近 30 天</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>最近 7 天</translation>
    </message>
    <message>
        <source>This year</source>
        <translation>今年</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨天</translation>
    </message>
</context>
<context>
    <name>DayCalendar</name>
    <message>
        <source>Begin a daily note</source>
        <translation>开始每日笔记</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Go to today</source>
        <translation>转到今天</translation>
    </message>
    <message>
        <source>Month after</source>
        <translation>下个月</translation>
    </message>
    <message>
        <source>Month before</source>
        <translation>上个月</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>Open the daily note</source>
        <translation>打开每日笔记</translation>
    </message>
    <message>
        <source>Show conversations of this day</source>
        <translation>显示当天的会话</translation>
    </message>
    <message>
        <source>Show notes of this day</source>
        <translation>显示当天的笔记</translation>
    </message>
    <message>
        <source>{month}, go to today</source>
        <translation>{month}，转到今天</translation>
    </message>
</context>
<context>
    <name>DecryptionForm</name>
    <message>
        <source>Decrypt them</source>
        <translation>解密</translation>
    </message>
    <message>
        <source>Keep them encrypted</source>
        <translation>保持加密</translation>
    </message>
</context>
<context>
    <name>DesktopPanel</name>
    <message>
        <source>Command of quick capture</source>
        <translation>快速记录命令</translation>
    </message>
    <message>
        <source>It starts in the tray, where your agents reach it.</source>
        <translation>它会在托盘中启动，你的智能体可以在那里访问它。</translation>
    </message>
    <message>
        <source>It starts in the tray, where your agents reach it. No window opens.</source>
        <translation>它会在托盘中启动，你的智能体可以在那里访问它。不会打开窗口。</translation>
    </message>
    <message>
        <source>Quick capture by a command</source>
        <translation>用命令快速记录</translation>
    </message>
    <message>
        <source>Start Keepsake when you log in</source>
        <translation>登录时启动 Keepsake</translation>
    </message>
    <message>
        <source>Start at login, autostart, quick capture, global shortcut</source>
        <translation>登录时启动，自动启动，快速记录，全局快捷键</translation>
    </message>
    <message>
        <source>Where your desktop grants no shortcuts to programs, add one in its settings with this command:</source>
        <translation>如果桌面不向程序提供快捷键，请在桌面设置中用此命令添加一个：</translation>
    </message>
    <message>
        <source>‘keepsake capture TEXT’ saves a note at once, without a window.</source>
        <translation>“keepsake capture TEXT”会立即保存一条笔记，无需窗口。</translation>
    </message>
</context>
<context>
    <name>DeviceForm</name>
    <message>
        <source>A PostgreSQL database, a WebDAV folder such as one of Nextcloud, or S3 storage, each with its login. The help page shows what the address of each looks like.</source>
        <translation>PostgreSQL 数据库、WebDAV 文件夹（例如 Nextcloud 的文件夹）或 S3 存储，各自带有登录信息。帮助页面说明了每种地址的写法。</translation>
    </message>
    <message>
        <source>A folder, or postgresql://…, https://… or s3://… with the login</source>
        <translation>文件夹，或带登录信息的 postgresql://…、https://… 或 s3://…</translation>
    </message>
    <message>
        <source>Add a machine</source>
        <translation>添加设备</translation>
    </message>
    <message>
        <source>Add a machine until {time}</source>
        <translation>在 {time} 之前添加设备</translation>
    </message>
    <message>
        <source>Another name for this machine</source>
        <translation>为这台设备改名</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Choose the folder where your machines meet</source>
        <translation>选择你的设备会合的文件夹</translation>
    </message>
    <message>
        <source>Choose the folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>Copy the words</source>
        <translation>复制单词</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>From the other machine, in their order</source>
        <translation>来自另一台设备，按顺序输入</translation>
    </message>
    <message>
        <source>Invitation (*.{suffix})</source>
        <translation>邀请 (*.{suffix})</translation>
    </message>
    <message>
        <source>It reads nothing that is written from now on. What it has already, it keeps: nobody can erase it from afar. If it was stolen, change the password of the server or folder too.</source>
        <translation>它不会再读到今后写入的任何内容。它已有的内容会保留：没有人能远程删除。如果设备被盗，请同时更改服务器或文件夹的密码。</translation>
    </message>
    <message>
        <source>Join</source>
        <translation>加入</translation>
    </message>
    <message>
        <source>Join your other machines</source>
        <translation>加入你的其他设备</translation>
    </message>
    <message>
        <source>Name of the machine</source>
        <translation>设备名称</translation>
    </message>
    <message>
        <source>On a machine that shares already, choose “Add a machine…”, and type its twelve words here. Name the folder where it is on this machine, or the same server, which you can take from the file that was saved there.</source>
        <translation>在已共享的设备上选择“添加设备…”，并在此输入它的十二个单词。指定文件夹在这台设备上的位置，或同一台服务器；服务器地址可以从在那里保存的文件中取得。</translation>
    </message>
    <message>
        <source>On the new machine, choose “Join my other machines…” and type these words. They count once, and end when Keepsake is closed here. Then come back here and let it in.</source>
        <translation>在新设备上选择“加入我的其他设备…”，并输入这些单词。它们只能使用一次，并在此处关闭 Keepsake 时失效。然后回到这里让它加入。</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove {machine}?</source>
        <translation>移除 {machine}？</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Save the address</source>
        <translation>保存地址</translation>
    </message>
    <message>
        <source>Save the address as a file…</source>
        <translation>将地址保存为文件…</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>共享</translation>
    </message>
    <message>
        <source>Share through a server</source>
        <translation>通过服务器共享</translation>
    </message>
    <message>
        <source>Stop sharing</source>
        <translation>停止共享</translation>
    </message>
    <message>
        <source>Stop sharing from this machine?</source>
        <translation>停止从这台设备共享？</translation>
    </message>
    <message>
        <source>Such as laptop</source>
        <translation>例如：笔记本电脑</translation>
    </message>
    <message>
        <source>Take the address from a file</source>
        <translation>从文件中取得地址</translation>
    </message>
    <message>
        <source>Take the address from a file…</source>
        <translation>从文件中取得地址…</translation>
    </message>
    <message>
        <source>The ten minutes of these words are over. Choose “Add a machine…” for others.</source>
        <translation>这些单词的十分钟有效期已过。选择“添加设备…”以获取新的单词。</translation>
    </message>
    <message>
        <source>This machine and the others keep all that they have. You can join again at any time.</source>
        <translation>这台设备和其他设备都会保留已有的全部内容。你可以随时重新加入。</translation>
    </message>
    <message>
        <source>Twelve words</source>
        <translation>十二个单词</translation>
    </message>
    <message>
        <source>Where they meet</source>
        <translation>会合位置</translation>
    </message>
    <message>
        <source>Words of the invitation</source>
        <translation>邀请单词</translation>
    </message>
</context>
<context>
    <name>DevicesPanel</name>
    <message>
        <source>1 change behind</source>
        <translation>落后 1 处更改</translation>
    </message>
    <message>
        <source>1 memory or conversation that is here is gone there. If you did that, let it go here too.</source>
        <translation>这里的 1 条记忆或对话在那里已不存在。如果是你所为，请让它在这里也消失。</translation>
    </message>
    <message>
        <source>Add a machine…</source>
        <translation>添加设备…</translation>
    </message>
    <message>
        <source>All was exchanged at {time}.</source>
        <translation>{time} 已全部交换。</translation>
    </message>
    <message>
        <source>All your machines have forgotten what was erased for ever.</source>
        <translation>你的所有设备都已遗忘被永久删除的内容。</translation>
    </message>
    <message>
        <source>Exchange now</source>
        <translation>立即交换</translation>
    </message>
    <message>
        <source>Exchanging…</source>
        <translation>正在交换…</translation>
    </message>
    <message>
        <source>Has 1 thing still to erase</source>
        <translation>尚有 1 项待删除</translation>
    </message>
    <message>
        <source>Has all that is here</source>
        <translation>拥有此处的全部内容</translation>
    </message>
    <message>
        <source>Has {n} things still to erase</source>
        <translation>尚有 {n} 项待删除</translation>
    </message>
    <message>
        <source>Heard of</source>
        <translation>最近联系</translation>
    </message>
    <message>
        <source>If you typed the words there yourself, let it in. It then holds your whole memory.</source>
        <translation>如果是你本人在那里输入了单词，请允许它加入。之后它将持有你的全部记忆。</translation>
    </message>
    <message>
        <source>Join my other machines…</source>
        <translation>加入我的其他设备…</translation>
    </message>
    <message>
        <source>Leaving…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Let it in</source>
        <translation>允许加入</translation>
    </message>
    <message>
        <source>Letting it in…</source>
        <translation>正在允许加入…</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Making the words…</source>
        <translation>正在生成单词…</translation>
    </message>
    <message>
        <source>Much was removed on another machine</source>
        <translation>另一台设备上删除了很多内容</translation>
    </message>
    <message>
        <source>Not heard of yet</source>
        <translation>尚无消息</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>暂不</translation>
    </message>
    <message>
        <source>Nothing was exchanged yet since Keepsake was started.</source>
        <translation>自 Keepsake 启动以来尚未交换任何内容。</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Paused: nothing is exchanged. What you write goes out when you resume.</source>
        <translation>已暂停：不交换任何内容。你写下的内容会在恢复后发出。</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Refuse</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <source>Remove it here too</source>
        <translation>在这里也删除</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>移除…</translation>
    </message>
    <message>
        <source>Removing it…</source>
        <translation>正在移除…</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Runs 1 schedule for all</source>
        <translation>为所有设备运行 1 个计划</translation>
    </message>
    <message>
        <source>Runs {n} schedules for all</source>
        <translation>为所有设备运行 {n} 个计划</translation>
    </message>
    <message>
        <source>Share through a folder…</source>
        <translation>通过文件夹共享…</translation>
    </message>
    <message>
        <source>Share through a server…</source>
        <translation>通过服务器共享…</translation>
    </message>
    <message>
        <source>Sharing…</source>
        <translation>正在共享…</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Stop sharing…</source>
        <translation>停止共享…</translation>
    </message>
    <message>
        <source>Waiting until the other machine lets this one in…</source>
        <translation>正在等待另一台设备允许这台加入…</translation>
    </message>
    <message>
        <source>Your machines meet at {place}.</source>
        <translation>你的设备在 {place} 会合。</translation>
    </message>
    <message>
        <source>Your memory lives on this machine alone. Each of your machines can hold all of it, work without a network, and meet the others through a folder that a program such as Syncthing or Dropbox keeps the same everywhere, or through a server. What lies there is sealed: only your machines can read it.</source>
        <translation>你的记忆只存在于这台设备上。你的每台设备都可以持有全部记忆，无需网络即可工作，并通过 Syncthing 或 Dropbox 等程序同步的文件夹，或通过服务器与其他设备会合。那里的内容是密封的：只有你的设备能读取。</translation>
    </message>
    <message>
        <source>{name} (this machine)</source>
        <translation>{name}（本机）</translation>
    </message>
    <message>
        <source>{name} asks to come in</source>
        <translation>{name} 请求加入</translation>
    </message>
    <message>
        <source>{n} changes behind</source>
        <translation>落后 {n} 处更改</translation>
    </message>
    <message>
        <source>{n} memories and conversations that are here are gone there. If you did that, let them go here too; until then, all stays here.</source>
        <translation>这里的 {n} 条记忆和对话在那里已不存在。如果是你所为，请让它们在这里也消失；在此之前，这里的一切都会保留。</translation>
    </message>
</context>
<context>
    <name>DiagnosticsPanel</name>
    <message>
        <source>Check the vault now</source>
        <translation>立即检查记忆库</translation>
    </message>
    <message>
        <source>Copied. It holds versions, counts and errors, and nothing you wrote.</source>
        <translation>已复制。其中只有版本、数量和错误，没有你写的内容。</translation>
    </message>
    <message>
        <source>Copy debug information</source>
        <translation>复制调试信息</translation>
    </message>
    <message>
        <source>Engine and database, of these</source>
        <translation>其中引擎和数据库</translation>
    </message>
    <message>
        <source>Facts</source>
        <translation>事实</translation>
    </message>
    <message>
        <source>Filter the log</source>
        <translation>筛选日志</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Milliseconds</source>
        <translation>毫秒</translation>
    </message>
    <message>
        <source>Open the vault&apos;s folder</source>
        <translation>打开记忆库文件夹</translation>
    </message>
    <message>
        <source>Program loaded</source>
        <translation>程序已加载</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Reading all of the vault…</source>
        <translation>正在读取整个记忆库…</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>修复</translation>
    </message>
    <message>
        <source>Repairing…</source>
        <translation>正在修复…</translation>
    </message>
    <message>
        <source>Result of the check</source>
        <translation>检查结果</translation>
    </message>
    <message>
        <source>Start-up times</source>
        <translation>启动时间</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>The vault is sound.</source>
        <translation>记忆库完好。</translation>
    </message>
    <message>
        <source>The vault is sound. Everything in it was read.</source>
        <translation>记忆库完好。其中的内容均已读取。</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Vault open</source>
        <translation>记忆库已打开</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Window filled</source>
        <translation>窗口已填充</translation>
    </message>
    <message>
        <source>Window on the screen</source>
        <translation>窗口已显示</translation>
    </message>
</context>
<context>
    <name>DialogRegistry</name>
    <message>
        <source>Keep running</source>
        <translation>继续运行</translation>
    </message>
    <message>
        <source>Keep running?</source>
        <translation>继续运行？</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Settings can change this.</source>
        <translation>可在设置中更改。</translation>
    </message>
    <message>
        <source>Should Keepsake keep running in the tray when its window is closed?</source>
        <translation>关闭窗口后，Keepsake 要在托盘中继续运行吗？</translation>
    </message>
    <message>
        <source>Should Keepsake keep running, hidden, when its window is closed?</source>
        <translation>关闭窗口后，Keepsake 要在后台继续运行吗？</translation>
    </message>
    <message>
        <source>Start Keepsake again to see the window. Settings can change this.</source>
        <translation>再次启动 Keepsake 即可看到窗口。可在设置中更改。</translation>
    </message>
    <message>
        <source>Your agents can then go on using it, and quick capture stays at hand.</source>
        <translation>这样你的智能体可以继续使用它，快速记录也随时可用。</translation>
    </message>
</context>
<context>
    <name>Document</name>
    <message>
        <source>1 word</source>
        <translation>1 个词</translation>
    </message>
    <message>
        <source>Add a tag</source>
        <translation>添加标签</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Links and history</source>
        <translation>链接与历史</translation>
    </message>
    <message>
        <source>More to do with this note</source>
        <translation>对此笔记的更多操作</translation>
    </message>
    <message>
        <source>New note</source>
        <translation>新建笔记</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>预览</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>阅读</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>正文</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>编写</translation>
    </message>
    <message>
        <source>Write and preview side by side</source>
        <translation>编写与预览并排</translation>
    </message>
    <message>
        <source>Write in Markdown. [[ links to a note, # adds a tag, a picture or file dropped here is attached.</source>
        <translation>用 Markdown 书写。[[ 链接到笔记，# 添加标签，拖到此处的图片或文件会成为附件。</translation>
    </message>
    <message>
        <source>deleted</source>
        <translation>已删除</translation>
    </message>
    <message>
        <source>{n} words</source>
        <translation>{n} 个词</translation>
    </message>
</context>
<context>
    <name>EditorController</name>
    <message>
        <source>Editing…</source>
        <translation>正在编辑…</translation>
    </message>
    <message>
        <source>Keep both</source>
        <translation>两者都保留</translation>
    </message>
    <message>
        <source>Keep mine</source>
        <translation>保留我的</translation>
    </message>
    <message>
        <source>Not saved: changed elsewhere</source>
        <translation>未保存：已在别处更改</translation>
    </message>
    <message>
        <source>Not saved: {why}</source>
        <translation>未保存：{why}</translation>
    </message>
    <message>
        <source>Restore this version</source>
        <translation>恢复此版本</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>已保存</translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation>正在保存…</translation>
    </message>
    <message>
        <source>Somebody else</source>
        <translation>其他人</translation>
    </message>
    <message>
        <source>Take theirs</source>
        <translation>采用对方的</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>无标题</translation>
    </message>
    <message>
        <source>What has changed since the version of {when} by {who}</source>
        <translation>自 {who} 于 {when} 的版本以来的更改</translation>
    </message>
    <message>
        <source>{title} (my version)</source>
        <translation>{title}（我的版本）</translation>
    </message>
    <message>
        <source>{who} changed this note while you were writing. Nothing is lost: lines with + are yours, lines with − are theirs.</source>
        <translation>你书写时 {who} 更改了这条笔记。没有丢失任何内容：带 + 的行是你的，带 − 的行是对方的。</translation>
    </message>
</context>
<context>
    <name>EmptyState</name>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>This could not be loaded</source>
        <translation>无法加载</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>EncryptionPanel</name>
    <message>
        <source>Anyone who is logged in to this account can then open your memories. A lock still asks for it.</source>
        <translation>之后登录此账户的任何人都能打开你的记忆。锁定后仍需输入。</translation>
    </message>
    <message>
        <source>Call it off</source>
        <translation>取消此操作</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Change the passphrase</source>
        <translation>更改密码短语</translation>
    </message>
    <message>
        <source>Change the passphrase…</source>
        <translation>更改密码短语…</translation>
    </message>
    <message>
        <source>Choose a passphrase</source>
        <translation>选择密码短语</translation>
    </message>
    <message>
        <source>Decrypt and restart</source>
        <translation>解密并重新启动</translation>
    </message>
    <message>
        <source>Decrypt your memories</source>
        <translation>解密你的记忆</translation>
    </message>
    <message>
        <source>Decrypt…</source>
        <translation>解密…</translation>
    </message>
    <message>
        <source>Encrypt and restart</source>
        <translation>加密并重新启动</translation>
    </message>
    <message>
        <source>Encrypt…</source>
        <translation>加密…</translation>
    </message>
    <message>
        <source>I know that nobody can bring a forgotten passphrase back.</source>
        <translation>我知道没有人能找回忘记的密码短语。</translation>
    </message>
    <message>
        <source>It counts at once. Older copies of the folder still open with the old one.</source>
        <translation>立即生效。该文件夹的旧副本仍用旧的密码短语打开。</translation>
    </message>
    <message>
        <source>Keep the key in the keyring</source>
        <translation>将密钥保存在密钥环中</translation>
    </message>
    <message>
        <source>Keepsake starts again and decrypts every file. Anyone who can read this disk can then read them.</source>
        <translation>Keepsake 会重新启动并解密所有文件。之后能读取此磁盘的任何人都能读取它们。</translation>
    </message>
    <message>
        <source>Lock now</source>
        <translation>立即锁定</translation>
    </message>
    <message>
        <source>New passphrase</source>
        <translation>新密码短语</translation>
    </message>
    <message>
        <source>Open without the passphrase</source>
        <translation>无需密码短语打开</translation>
    </message>
    <message>
        <source>Open without the passphrase on this account, with the system&apos;s keyring</source>
        <translation>在此账户中通过系统密钥环打开，无需密码短语</translation>
    </message>
    <message>
        <source>Passphrase</source>
        <translation>密码短语</translation>
    </message>
    <message>
        <source>Restart now</source>
        <translation>立即重新启动</translation>
    </message>
    <message>
        <source>The same again</source>
        <translation>再次输入</translation>
    </message>
    <message>
        <source>Write it down where only you find it. Keepsake then starts again and encrypts every file, for which the disk needs room for a second copy of the largest one for a while.</source>
        <translation>请写在只有你能找到的地方。Keepsake 随后会重新启动并加密所有文件，其间磁盘需要能容纳最大文件第二份副本的空间。</translation>
    </message>
    <message>
        <source>Your memories are encrypted: the database, attachments, backups and caches. While Keepsake is locked, no schedule runs and no agent gets in.</source>
        <translation>你的记忆已加密：数据库、附件、备份和缓存。Keepsake 锁定期间，不会运行任何计划，也没有智能体能够进入。</translation>
    </message>
    <message>
        <source>Your memories are not encrypted, and this installation of Keepsake cannot encrypt them. The help says how to install it with encryption.</source>
        <translation>你的记忆未加密，而此 Keepsake 安装无法加密。帮助中说明了如何安装带加密的版本。</translation>
    </message>
    <message>
        <source>Your memories are not encrypted: anyone who can read this disk can read them. With a passphrase, the database, attachments, backups and caches are encrypted.</source>
        <translation>你的记忆未加密：能读取此磁盘的任何人都能读取它们。使用密码短语后，数据库、附件、备份和缓存都会加密。</translation>
    </message>
    <message>
        <source>Your memories will be decrypted when Keepsake starts again.</source>
        <translation>Keepsake 再次启动时会解密你的记忆。</translation>
    </message>
    <message>
        <source>Your memories will be encrypted when Keepsake starts again. It then asks for the passphrase.</source>
        <translation>Keepsake 再次启动时会加密你的记忆，届时会要求输入密码短语。</translation>
    </message>
</context>
<context>
    <name>Engine</name>
    <message>
        <source>#{tag} stands in the text of a note, where &apos;{new}&apos; cannot. Choose a name without blanks and punctuation.</source>
        <translation>#{tag} 出现在笔记正文中，而“{new}”不能。请选择不含空格和标点的名称。</translation>
    </message>
    <message>
        <source>&apos;before&apos; must be later than &apos;after&apos;, by 62 days at most.</source>
        <translation>“before”必须晚于“after”，最多相差 62 天。</translation>
    </message>
    <message>
        <source>&apos;channel&apos; may have at most {max_name_characters} characters.</source>
        <translation>“channel”最多 {max_name_characters} 个字符。</translation>
    </message>
    <message>
        <source>&apos;data&apos; must be the bytes of a file in base64.</source>
        <translation>“data”必须是文件内容的 base64 编码。</translation>
    </message>
    <message>
        <source>&apos;importance&apos; must be between 0 and 1.</source>
        <translation>“importance”必须在 0 和 1 之间。</translation>
    </message>
    <message>
        <source>&apos;key&apos; must have 1 to {most} ordinary characters, without control characters.</source>
        <translation>“key”必须是 1 到 {most} 个普通字符，不含控制字符。</translation>
    </message>
    <message>
        <source>&apos;limit&apos; must be 1 to {most}, &apos;offset&apos; 0 or more, &apos;per_session&apos; 1 or more.</source>
        <translation>“limit”必须为 1 到 {most}，“offset”至少为 0，“per_session”至少为 1。</translation>
    </message>
    <message>
        <source>&apos;limit&apos; must be 1 to {most}, &apos;per_session&apos; 1 or more.</source>
        <translation>“limit”必须为 1 到 {most}，“per_session”至少为 1。</translation>
    </message>
    <message>
        <source>&apos;llm.base_url&apos; is no address.</source>
        <translation>“llm.base_url”不是地址。</translation>
    </message>
    <message>
        <source>&apos;offset&apos; is 0 or more, &apos;length&apos; from 1 to {most}.</source>
        <translation>“offset”至少为 0，“length”为 1 到 {most}。</translation>
    </message>
    <message>
        <source>&apos;path&apos; must name the transcript, in 1 to {most} ordinary characters.</source>
        <translation>“path”必须用 1 到 {most} 个普通字符指明会话记录。</translation>
    </message>
    <message>
        <source>&apos;query_embedding&apos; must be {dimensions} finite numbers, not all 0, by the model of the index.</source>
        <translation>“query_embedding”必须是由索引所用模型生成的 {dimensions} 个有限数，且不全为 0。</translation>
    </message>
    <message>
        <source>&apos;questions&apos; must be from 1 to {most}.</source>
        <translation>“questions”必须为 1 到 {most}。</translation>
    </message>
    <message>
        <source>&apos;status&apos; must be succeeded or failed.</source>
        <translation>“status”必须是 succeeded 或 failed。</translation>
    </message>
    <message>
        <source>&apos;upper_seq&apos; must be from 0 to {last_seq}, the last message.</source>
        <translation>“upper_seq”必须在 0 到 {last_seq}（最后一条消息）之间。</translation>
    </message>
    <message>
        <source>&apos;weight&apos; must be a positive number.</source>
        <translation>“weight”必须是正数。</translation>
    </message>
    <message>
        <source>&apos;{clean}&apos; is a name of Keepsake&apos;s own. Choose another for the agent.</source>
        <translation>“{clean}”是 Keepsake 自用的名称。请为智能体选择其他名称。</translation>
    </message>
    <message>
        <source>&apos;{field}&apos; is no time. Write it like one of these: {examples}.</source>
        <translation>“{field}”不是时间。请按以下方式书写：{examples}。</translation>
    </message>
    <message>
        <source>&apos;{field}&apos; must have 1 to {max_name_characters} ordinary characters.</source>
        <translation>“{field}”必须有 1 到 {max_name_characters} 个普通字符。</translation>
    </message>
    <message>
        <source>&apos;{field}&apos; must not contain control characters. Leave them out.</source>
        <translation>“{field}”不能包含控制字符。请去掉它们。</translation>
    </message>
    <message>
        <source>&apos;{imported}&apos; is not a type of entities.</source>
        <translation>“{imported}”不是名称的类型。</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; is not a table, so nothing can be added to it.</source>
        <translation>“{key}”不是表，因此无法向其中添加内容。</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; is not one of its names.</source>
        <translation>“{key}”不是它的名称之一。</translation>
    </message>
    <message>
        <source>&apos;{longest}&apos; would be longer than the {max_tag_length} characters of a tag. Choose a shorter name.</source>
        <translation>“{longest}”会超过标签的 {max_tag_length} 个字符。请选择更短的名称。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; and &apos;{other}&apos; are both 0, so the recipe &apos;weighted&apos; puts nothing before anything.</source>
        <translation>“{name}”和“{other}”都为 0，因此配方“weighted”无法排序。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; and &apos;{other}&apos; come to {total}, not to 1; only their ratio counts.</source>
        <translation>“{name}”与“{other}”之和为 {total} 而不是 1；只有它们的比例起作用。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; cannot be proposed in a database. Read its tables there.</source>
        <translation>“{name}”不能在数据库中提议。请在那里读取数据表。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has access already. If this is the same program, which needs a new token, allow it with &apos;replace_token&apos; (on the command line --replace-token): it keeps its trust, and the token so far ends. Refuse it if it is another program.</source>
        <translation>“{name}”已有访问权限。如果是同一程序需要新令牌，请用“replace_token”（命令行为 --replace-token）允许：它保留信任级别，旧令牌失效。如果是其他程序，请拒绝。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no effect on a model of this machine.</source>
        <translation>“{name}”对此电脑上的模型不起作用。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no effect, as both prices are 0 and so nothing is counted as cost.</source>
        <translation>“{name}”不起作用，因为两个价格都为 0，不计任何费用。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; in {file} has a value, but is a section.</source>
        <translation>{file} 中的“{name}”有值，但它是一个小节。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is above &apos;{other}&apos;: an emergency would leave more messages than a usual compaction.</source>
        <translation>“{name}”大于“{other}”：紧急情况下留下的消息会多于通常的压缩。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is below &apos;{other}&apos;, so no reflection is ever written.</source>
        <translation>“{name}”小于“{other}”，因此永远不会写回顾。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is below &apos;{other}&apos;, so nothing is ever compressed.</source>
        <translation>“{name}”小于“{other}”，因此永远不会压缩任何内容。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is below &apos;{other}&apos;, so one run may take the budget of the whole month.</source>
        <translation>“{name}”小于“{other}”，因此一次运行就可能用完整月的额度。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is below &apos;{other}&apos;: some messages that a compaction leaves are never given to agents.</source>
        <translation>“{name}”小于“{other}”：压缩后留下的部分消息永远不会提供给智能体。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is empty, but &apos;{compatible}&apos; needs it.</source>
        <translation>“{name}”为空，但“{compatible}”需要它。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is empty, so no language model is asked.</source>
        <translation>“{name}”为空，因此不会询问语言模型。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is for the person&apos;s own programs, not for agents.</source>
        <translation>“{name}”仅供本人自己的程序使用，不供智能体使用。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is no address.</source>
        <translation>“{name}”不是地址。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is no whole path, so it means another folder wherever Keepsake starts.</source>
        <translation>“{name}”不是完整路径，因此 Keepsake 在不同位置启动时指的是不同的文件夹。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not above &apos;{other}&apos;: observations are archived before they are compressed.</source>
        <translation>“{name}”不大于“{other}”：观察会在压缩之前就被归档。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not above &apos;{other}&apos;: the archive would be emptied as fast as it fills.</source>
        <translation>“{name}”不大于“{other}”：归档会在填充的同时被清空。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not below &apos;{other}&apos;, so condensing would begin again as soon as it ends.</source>
        <translation>“{name}”不小于“{other}”，因此浓缩一结束就会重新开始。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not below &apos;{other}&apos;: a fact that a newer one contradicts is set aside at once.</source>
        <translation>“{name}”不小于“{other}”：被较新事实否定的事实会立即被搁置。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is set by {where} and cannot be changed here.</source>
        <translation>“{name}”由 {where} 设定，不能在此更改。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; must be from {least} to {most}.</source>
        <translation>“{name}”必须为 {least} 到 {most}。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; must be {allowed}{but}.</source>
        <translation>“{name}”必须是{allowed}{but}。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; names a provider that Keepsake does not know.</source>
        <translation>“{name}”指定的提供方 Keepsake 不认识。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; names no folder of this machine.</source>
        <translation>“{name}”不是此电脑上的文件夹。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; names the provider &apos;{provider}&apos; but no model.</source>
        <translation>“{name}”指定了提供方“{provider}”，但没有指定模型。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; needs {needed} trust; {agent} has {held}.</source>
        <translation>“{name}”需要信任级别 {needed}；{agent} 的级别是 {held}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be removed: {strerror}.</source>
        <translation>无法移除“{path}”：{strerror}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be written: {strerror}.</source>
        <translation>无法写入“{path}”：{strerror}。</translation>
    </message>
    <message>
        <source>&apos;{provider}&apos; takes no model name.</source>
        <translation>“{provider}”不接受模型名称。</translation>
    </message>
    <message>
        <source>&apos;{section}&apos; in {path} is not a section. Correct it there, then set &apos;{name}&apos; again.</source>
        <translation>{path} 中的“{section}”不是一个节。请在那里更正，然后重新设置“{name}”。</translation>
    </message>
    <message>
        <source>, not {shown}</source>
        <translation>，而不是 {shown}</translation>
    </message>
    <message>
        <source>-on: cannot be searched, so nothing matches; use before: or after: instead.</source>
        <translation>-on: 无法搜索，因此没有匹配；请改用 before: 或 after:。</translation>
    </message>
    <message>
        <source>1 Markdown file</source>
        <translation>1 个 Markdown 文件</translation>
    </message>
    <message>
        <source>1 agent or conversation stores mostly what is deleted or rejected.</source>
        <translation>1 个代理或会话存储的内容大多被删除或拒绝。</translation>
    </message>
    <message>
        <source>1 agent tries to store again what it has just recalled.</source>
        <translation>1 个代理试图再次存储它刚刚调取的内容。</translation>
    </message>
    <message>
        <source>1 attached file that no note shows was left out.</source>
        <translation>1 个没有笔记显示的附件被略去。</translation>
    </message>
    <message>
        <source>1 call was lost.</source>
        <translation>丢失了 1 次调用。</translation>
    </message>
    <message>
        <source>1 conversation</source>
        <translation>1 个会话</translation>
    </message>
    <message>
        <source>1 conversation waits for it.</source>
        <translation>有 1 个会话在等待。</translation>
    </message>
    <message>
        <source>1 conversation waits for the language model: {why}</source>
        <translation>1 个会话正在等待语言模型：{why}</translation>
    </message>
    <message>
        <source>1 day</source>
        <translation>1 天</translation>
    </message>
    <message>
        <source>1 digest</source>
        <translation>1 份摘要</translation>
    </message>
    <message>
        <source>1 encrypted passage was left out. Decrypt the text in Evernote, and export the note again.</source>
        <translation>1 段加密文本被略去。请在 Evernote 中解密后重新导出该笔记。</translation>
    </message>
    <message>
        <source>1 entity is mentioned nowhere.</source>
        <translation>1 个名称未在任何地方被提及。</translation>
    </message>
    <message>
        <source>1 entry of another Google product was left out.</source>
        <translation>1 条其他 Google 产品的记录被略去。</translation>
    </message>
    <message>
        <source>1 fact</source>
        <translation>1 条事实</translation>
    </message>
    <message>
        <source>1 fact contradicts others of the same category and key.</source>
        <translation>1 个事实与同类别同键的其他事实矛盾。</translation>
    </message>
    <message>
        <source>1 fact is stale.</source>
        <translation>1 个事实已过时。</translation>
    </message>
    <message>
        <source>1 faded fact is kept for now, because a run and a month may set aside only a share of the facts.</source>
        <translation>1 条淡忘的事实暂时保留，因为一次运行和一个月内只能搁置一部分事实。</translation>
    </message>
    <message>
        <source>1 file</source>
        <translation>1 个文件</translation>
    </message>
    <message>
        <source>1 file of the archive is none of Joplin&apos;s and was left out.</source>
        <translation>归档中有 1 个文件不是 Joplin 的，已略去。</translation>
    </message>
    <message>
        <source>1 file that belongs to no note was left out.</source>
        <translation>1 个不属于任何笔记的文件被略去。</translation>
    </message>
    <message>
        <source>1 file that is no ENEX was left out.</source>
        <translation>1 个非 ENEX 文件被略去。</translation>
    </message>
    <message>
        <source>1 file that is not Markdown was left out ({kinds}).</source>
        <translation>1 个非 Markdown 文件被略去（{kinds}）。</translation>
    </message>
    <message>
        <source>1 file that no page shows was left out.</source>
        <translation>1 个没有页面显示的文件被略去。</translation>
    </message>
    <message>
        <source>1 hidden folder was left out ({names}).</source>
        <translation>1 个隐藏文件夹被略去（{names}）。</translation>
    </message>
    <message>
        <source>1 inbox rule</source>
        <translation>1 条收件箱规则</translation>
    </message>
    <message>
        <source>1 memory</source>
        <translation>1 条记忆</translation>
    </message>
    <message>
        <source>1 memory or message has a password or key in clear.</source>
        <translation>1 条记忆或消息含有明文密码或密钥。</translation>
    </message>
    <message>
        <source>1 memory says nothing beyond another one.</source>
        <translation>1 条记忆没有说出另一条之外的内容。</translation>
    </message>
    <message>
        <source>1 mention of a person or thing stands in texts that are gone.</source>
        <translation>1 处对人或事物的提及位于已不存在的文本中。</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 条消息</translation>
    </message>
    <message>
        <source>1 message cannot be found by search.</source>
        <translation>有 1 条消息无法通过搜索找到。</translation>
    </message>
    <message>
        <source>1 message could not be stored in the background. The last reason: {last}</source>
        <translation>1 条消息无法在后台存储。最近的原因：{last}</translation>
    </message>
    <message>
        <source>1 message has no date; the time of the import stands in its place.</source>
        <translation>1 条消息没有日期；以导入时间代替。</translation>
    </message>
    <message>
        <source>1 more file holds words and was left out.</source>
        <translation>另有 1 个含文字的文件被略去。</translation>
    </message>
    <message>
        <source>1 more line begins with a date and a time and was read as part of a message.</source>
        <translation>另有 1 行以日期和时间开头，被读作消息的一部分。</translation>
    </message>
    <message>
        <source>1 name</source>
        <translation>1 个名称</translation>
    </message>
    <message>
        <source>1 new fact</source>
        <translation>1 条新事实</translation>
    </message>
    <message>
        <source>1 note</source>
        <translation>1 条笔记</translation>
    </message>
    <message>
        <source>1 note cannot be found by search.</source>
        <translation>有 1 条笔记无法通过搜索找到。</translation>
    </message>
    <message>
        <source>1 observation</source>
        <translation>1 条观察</translation>
    </message>
    <message>
        <source>1 observation into one digest</source>
        <translation>将 1 条观察合为一份摘要</translation>
    </message>
    <message>
        <source>1 of its observations is no text and was left out.</source>
        <translation>其中 1 条观察不是文本，已略去。</translation>
    </message>
    <message>
        <source>1 page has no text, such as scanned pages.</source>
        <translation>1 页没有文本，例如扫描页。</translation>
    </message>
    <message>
        <source>1 picture was left out.</source>
        <translation>1 张图片被略去。</translation>
    </message>
    <message>
        <source>1 place in it was not valid UTF-8 and was replaced with �.</source>
        <translation>其中 1 处不是有效的 UTF-8，已替换为 �。</translation>
    </message>
    <message>
        <source>1 private text is not sent to the embedding service and found by words only; the setting embedding.send_private changes that.</source>
        <translation>1 段私密文本不会发送到嵌入服务，只能按词语找到；设置 embedding.send_private 可更改此行为。</translation>
    </message>
    <message>
        <source>1 proposal</source>
        <translation>1 个提议</translation>
    </message>
    <message>
        <source>1 reflection</source>
        <translation>1 篇回顾</translation>
    </message>
    <message>
        <source>1 saved search</source>
        <translation>1 个已保存的搜索</translation>
    </message>
    <message>
        <source>1 schedule</source>
        <translation>1 个计划</translation>
    </message>
    <message>
        <source>1 search entry belongs to nothing.</source>
        <translation>1 个搜索条目不属于任何内容。</translation>
    </message>
    <message>
        <source>1 search entry has no vector and waits for none.</source>
        <translation>1 个搜索条目没有向量，也没有在等待。</translation>
    </message>
    <message>
        <source>1 search entry lacks its number of words, which search ranks by.</source>
        <translation>1 个搜索条目缺少用于排序的词数。</translation>
    </message>
    <message>
        <source>1 sentence without sources left out.</source>
        <translation>略去了 1 个没有来源的句子。</translation>
    </message>
    <message>
        <source>1 session lacks the note of how far it is.</source>
        <translation>1 个会话缺少进度记录。</translation>
    </message>
    <message>
        <source>1 text</source>
        <translation>1 篇文本</translation>
    </message>
    <message>
        <source>1 text is not yet indexed for search by meaning.</source>
        <translation>1 段文本尚未为按含义搜索建立索引。</translation>
    </message>
    <message>
        <source>1 text that is gone waits to be read for names.</source>
        <translation>1 段已不存在的文本在等待识别名称。</translation>
    </message>
    <message>
        <source>1 transcript</source>
        <translation>1 份转录</translation>
    </message>
    <message>
        <source>1 vector belongs to nothing.</source>
        <translation>1 个向量不属于任何内容。</translation>
    </message>
    <message>
        <source>1 view of a database was left out; the whole tables hold their rows.</source>
        <translation>1 个数据库视图被略去；完整的表中包含其各行。</translation>
    </message>
    <message>
        <source>1 was set aside.</source>
        <translation>搁置了 1 条。</translation>
    </message>
    <message>
        <source>1 would be set aside.</source>
        <translation>将搁置 1 条。</translation>
    </message>
    <message>
        <source>1 {things} was left out ({names}).</source>
        <translation>1 个{things}被略去（{names}）。</translation>
    </message>
    <message>
        <source>A backup waits to be restored.</source>
        <translation>有一个备份等待恢复。</translation>
    </message>
    <message>
        <source>A backup waits to take the vault&apos;s place at the next start.</source>
        <translation>有一个备份等待在下次启动时取代记忆库。</translation>
    </message>
    <message>
        <source>A built-in schedule cannot be deleted. Pause it instead.</source>
        <translation>内置计划无法删除。请改为暂停。</translation>
    </message>
    <message>
        <source>A capsule can be valid for 1 to {most} days.</source>
        <translation>胶囊的有效期可为 1 到 {most} 天。</translation>
    </message>
    <message>
        <source>A capsule holds memories; something else in it was left out.</source>
        <translation>胶囊中应为记忆；其中的其他内容被略去。</translation>
    </message>
    <message>
        <source>A change to this vault was cut off, and undoing it needs a folder that can be written. Free some space, make the folder writable, or copy it to a place that is.</source>
        <translation>对此记忆库的一次更改被中断，撤销它需要可写的文件夹。请腾出空间、使文件夹可写，或将其复制到可写的位置。</translation>
    </message>
    <message>
        <source>A confidence lies between 0 and 1.</source>
        <translation>置信度在 0 和 1 之间。</translation>
    </message>
    <message>
        <source>A conversation that was left could not be consolidated: {why}</source>
        <translation>无法整理一个已离开的会话：{why}</translation>
    </message>
    <message>
        <source>A cron expression has five fields: minute, hour, day of month, month, day of week.</source>
        <translation>cron 表达式有五个字段：分、时、日、月、星期。</translation>
    </message>
    <message>
        <source>A decryption of these memories was requested, and not from this account of this computer. Nothing was decrypted. &apos;keepsake encryption decrypt&apos; has them decrypted, &apos;keepsake encryption encrypt&apos; keeps them encrypted; both ask for the passphrase.</source>
        <translation>有人请求解密这些记忆，但请求并非来自此电脑的此账户。没有解密任何内容。“keepsake encryption decrypt”会解密它们，“keepsake encryption encrypt”会让它们保持加密；两者都会要求输入密码短语。</translation>
    </message>
    <message>
        <source>A draft may have at most {max_bytes} characters.</source>
        <translation>草稿最多 {max_bytes} 个字符。</translation>
    </message>
    <message>
        <source>A fact cannot stand against itself; name two.</source>
        <translation>事实不能与自身矛盾；请指定两个。</translation>
    </message>
    <message>
        <source>A fact that is set needs a key.</source>
        <translation>要设置的事实需要键。</translation>
    </message>
    <message>
        <source>A fact with a key needs a category too: give &apos;category&apos;, or leave &apos;key&apos; out.</source>
        <translation>带键的事实还需要类别：请给出“category”，或省略“key”。</translation>
    </message>
    <message>
        <source>A file comes from a machine that is not in the list of your machines here. If you have just added one, wait until all files are copied; otherwise remove the file.</source>
        <translation>有一个文件来自不在你设备列表中的设备。如果你刚添加了设备，请等所有文件复制完成；否则请删除该文件。</translation>
    </message>
    <message>
        <source>A file in the folder belongs to another vault. Move it away.</source>
        <translation>文件夹中有一个文件属于另一个记忆库。请把它移走。</translation>
    </message>
    <message>
        <source>A file in the folder stands in the place of another. Put it back, or remove it.</source>
        <translation>文件夹中有一个文件占了另一个文件的位置。请放回原处或将其移除。</translation>
    </message>
    <message>
        <source>A file of another machine is missing, or one stands twice. Wait until the folder is complete.</source>
        <translation>另一台设备的文件缺失或重复。请等待文件夹完整。</translation>
    </message>
    <message>
        <source>A file of this type cannot be attached; pack it into a zip file first.</source>
        <translation>此类型的文件无法附加；请先打包成 zip 文件。</translation>
    </message>
    <message>
        <source>A file that another machine left is damaged. Keepsake there writes it anew if the file is removed.</source>
        <translation>另一台设备留下的文件已损坏。移除该文件后，那里的 Keepsake 会重新写入。</translation>
    </message>
    <message>
        <source>A file that it shows ({name}) is not in the archive.</source>
        <translation>其中显示的文件（{name}）不在归档中。</translation>
    </message>
    <message>
        <source>A folder cannot be moved into itself.</source>
        <translation>文件夹不能移动到自身之中。</translation>
    </message>
    <message>
        <source>A goal cannot have more trust than {agent} has.</source>
        <translation>目标的信任级别不能高于 {agent} 的级别。</translation>
    </message>
    <message>
        <source>A goal has 1 to {max_goal} characters.</source>
        <translation>目标为 1 到 {max_goal} 个字符。</translation>
    </message>
    <message>
        <source>A judged query has 1 to {most} characters.</source>
        <translation>被评判的查询须有 1 到 {most} 个字符。</translation>
    </message>
    <message>
        <source>A key of {service} belongs to its address; set {section}.base_url first.</source>
        <translation>{service} 的密钥与其地址绑定；请先设置 {section}.base_url。</translation>
    </message>
    <message>
        <source>A language model reads them; which facts it finds shows after the run.</source>
        <translation>由语言模型读取；找到哪些事实会在运行后显示。</translation>
    </message>
    <message>
        <source>A later change was undone before that ({last}) and can be done again.</source>
        <translation>在此之前已撤销一项较晚的更改（{last}），可以重做。</translation>
    </message>
    <message>
        <source>A lease lasts up to {most} seconds.</source>
        <translation>租期最长为 {most} 秒。</translation>
    </message>
    <message>
        <source>A link in the folder of notes leads out of it; nothing is written there.</source>
        <translation>笔记文件夹中的一个链接指向其外部；不会向那里写入任何内容。</translation>
    </message>
    <message>
        <source>A list can be narrowed to at most {max_tags} tags at once.</source>
        <translation>列表一次最多按 {max_tags} 个标签筛选。</translation>
    </message>
    <message>
        <source>A log that is not this database&apos;s, or an older one of it, lay beside it and was set aside as {name}. The database is whole without it.</source>
        <translation>数据库旁有一个不属于它或较旧的日志，已另存为 {name}。没有它数据库也是完整的。</translation>
    </message>
    <message>
        <source>A mark stands in place of each.</source>
        <translation>每个的位置都留有标记。</translation>
    </message>
    <message>
        <source>A memory holds at most {max_bytes} MB of text; this one has {size} MB. Split it into several notes.</source>
        <translation>一条记忆最多 {max_bytes} MB 文本；这条有 {size} MB。请拆成多条笔记。</translation>
    </message>
    <message>
        <source>A memory names at most {max_related} of each thing it relates to.</source>
        <translation>一条记忆对每类关联内容最多引用 {max_related} 个。</translation>
    </message>
    <message>
        <source>A memory names at most {max_related} sources.</source>
        <translation>一条记忆最多引用 {max_related} 个来源。</translation>
    </message>
    <message>
        <source>A memory&apos;s id must not be empty; leave it out to get a new one.</source>
        <translation>记忆的标识不能为空；省略它可获得新的标识。</translation>
    </message>
    <message>
        <source>A memory&apos;s kind is one of {names}.</source>
        <translation>记忆的类型为以下之一：{names}。</translation>
    </message>
    <message>
        <source>A memory&apos;s store is one of {names}.</source>
        <translation>记忆的存储区为以下之一：{names}。</translation>
    </message>
    <message>
        <source>A memory&apos;s {field} has at most {max_name} characters.</source>
        <translation>记忆的这一字段（{field}）最多 {max_name} 个字符。</translation>
    </message>
    <message>
        <source>A memory&apos;s {field} must not contain control characters. Leave them out.</source>
        <translation>记忆的这一字段（{field}）不能包含控制字符。请去掉它们。</translation>
    </message>
    <message>
        <source>A message has more than {allowed} and was left out.</source>
        <translation>有一条消息超过 {allowed}，已略去。</translation>
    </message>
    <message>
        <source>A message is too long and was left out.</source>
        <translation>有一条消息过长，已略去。</translation>
    </message>
    <message>
        <source>A message may have at most 128 million characters.</source>
        <translation>一条消息最多 1.28 亿个字符。</translation>
    </message>
    <message>
        <source>A message&apos;s number is at most {max_seq}.</source>
        <translation>消息编号最大为 {max_seq}。</translation>
    </message>
    <message>
        <source>A message&apos;s predecessor is missing from the file; the messages before it are not there.</source>
        <translation>文件中缺少某条消息的前一条；其之前的消息都不在。</translation>
    </message>
    <message>
        <source>A name must have 1 to {max_name} characters.</source>
        <translation>名称必须有 1 到 {max_name} 个字符。</translation>
    </message>
    <message>
        <source>A name must have 1 to {most} characters.</source>
        <translation>名称必须有 1 到 {most} 个字符。</translation>
    </message>
    <message>
        <source>A number is too large: whole numbers have at most 64 bits.</source>
        <translation>数字过大：整数最多为 64 位。</translation>
    </message>
    <message>
        <source>A part has whole lines, and ends behind its start.</source>
        <translation>一个部分由完整的行组成，且结束位置在开始位置之后。</translation>
    </message>
    <message>
        <source>A part of this path is a file, so nothing can lie in it.</source>
        <translation>此路径的一部分是文件，其中不能再放任何内容。</translation>
    </message>
    <message>
        <source>A passphrase does not begin or end with a space.</source>
        <translation>密码短语的开头和结尾不能是空格。</translation>
    </message>
    <message>
        <source>A passphrase has at least {least} characters; several words are better than one.</source>
        <translation>密码短语至少有 {least} 个字符；多个词比一个词更好。</translation>
    </message>
    <message>
        <source>A passphrase has at most {most} characters.</source>
        <translation>密码短语最多有 {most} 个字符。</translation>
    </message>
    <message>
        <source>A passphrase is one line without control characters.</source>
        <translation>密码短语是不含控制字符的一行文字。</translation>
    </message>
    <message>
        <source>A path is made of names with &apos;/&apos; between them, such as projects/plan.md.</source>
        <translation>路径由名称组成，中间以“/”分隔，例如 projects/plan.md。</translation>
    </message>
    <message>
        <source>A prompt that was taken back out of the queue was left out.</source>
        <translation>一条从队列中撤回的输入被略去。</translation>
    </message>
    <message>
        <source>A reader still held an older state of the vault; the next start of Keepsake finishes this.</source>
        <translation>有程序仍在读取记忆库的较旧状态；Keepsake 下次启动时会完成此操作。</translation>
    </message>
    <message>
        <source>A role {shown} is unknown.</source>
        <translation>未知的角色 {shown}。</translation>
    </message>
    <message>
        <source>A row of its {table} points to nothing in {parent}.</source>
        <translation>其 {table} 中有一行在 {parent} 中没有对应。</translation>
    </message>
    <message>
        <source>A row of {table} points to nothing in {parent}.</source>
        <translation>{table} 中有一行在 {parent} 中没有对应。</translation>
    </message>
    <message>
        <source>A run takes 1 to {max_turns} turns.</source>
        <translation>一次运行为 1 到 {max_turns} 轮。</translation>
    </message>
    <message>
        <source>A schedule that runs once needs its time.</source>
        <translation>只运行一次的计划需要时间。</translation>
    </message>
    <message>
        <source>A schema&apos;s name has 1 to 40 lower-case letters, digits and underscores.</source>
        <translation>模式的名称由 1 到 40 个小写字母、数字和下划线组成。</translation>
    </message>
    <message>
        <source>A scratchpad has at most {max_items} items, not {count}. Join or drop some.</source>
        <translation>草稿板最多 {max_items} 项，而不是 {count} 项。请合并或删去一些。</translation>
    </message>
    <message>
        <source>A search to save has 1 to {max_query} characters.</source>
        <translation>要保存的搜索为 1 到 {max_query} 个字符。</translation>
    </message>
    <message>
        <source>A source&apos;s kind is one of {names}.</source>
        <translation>来源的类型为以下之一：{names}。</translation>
    </message>
    <message>
        <source>A summary has at most {max_summary_characters} characters.</source>
        <translation>摘要最多 {max_summary_characters} 个字符。</translation>
    </message>
    <message>
        <source>A tag needs a name: letters or digits, at most 64 of them.</source>
        <translation>标签需要名称：字母或数字，最多 64 个。</translation>
    </message>
    <message>
        <source>A text holds half a character (a lone surrogate). Send it as proper Unicode.</source>
        <translation>文本中含有半个字符（孤立的代理项）。请以正确的 Unicode 发送。</translation>
    </message>
    <message>
        <source>A title has at most {max_title} characters; this one has {count}. Move the rest into the text.</source>
        <translation>标题最多 {max_title} 个字符；此标题有 {count} 个。请将其余部分移到正文。</translation>
    </message>
    <message>
        <source>A value needs a name.</source>
        <translation>值需要一个名称。</translation>
    </message>
    <message>
        <source>API key variable</source>
        <translation>API 密钥变量</translation>
    </message>
    <message>
        <source>About 1 message is still to be searched. Ask again to go on.</source>
        <translation>约有 1 条消息尚待检查。再次询问即可继续。</translation>
    </message>
    <message>
        <source>About {count} messages are still to be searched. Ask again to go on.</source>
        <translation>约有 {count} 条消息尚待检查。再次询问即可继续。</translation>
    </message>
    <message>
        <source>About {foreign} of what is written here is in words that the built-in model does not know well, so search by meaning finds less of it. A multilingual model, such as &apos;fastembed:sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2&apos;, would suit this vault better.</source>
        <translation>这里约 {foreign} 的内容使用了内置模型不太熟悉的词语，因此按含义搜索找到的较少。多语言模型（如“fastembed:sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2”）更适合此记忆库。</translation>
    </message>
    <message>
        <source>Accepted {items}</source>
        <translation>接受了{items}</translation>
    </message>
    <message>
        <source>Accepted {items}, proposed by {agent}</source>
        <translation>接受了 {agent} 提议的{items}</translation>
    </message>
    <message>
        <source>Added to a conversation</source>
        <translation>向会话追加了内容</translation>
    </message>
    <message>
        <source>Address of an &apos;openai-compatible&apos; embedding service.</source>
        <translation>“openai-compatible”嵌入服务的地址。</translation>
    </message>
    <message>
        <source>Address of the service, such as http://localhost:11434/v1 for Ollama.</source>
        <translation>服务地址，例如 Ollama 的 http://localhost:11434/v1。</translation>
    </message>
    <message>
        <source>After a turn, {part}: {why}</source>
        <translation>一轮对话之后，{part}：{why}</translation>
    </message>
    <message>
        <source>After turn</source>
        <translation>每轮之后</translation>
    </message>
    <message>
        <source>Agents that get a vault of their own, separated by commas; the person&apos;s vault then has nothing of them.</source>
        <translation>拥有自己记忆库的智能体，用逗号分隔；你的记忆库中便没有它们的内容。</translation>
    </message>
    <message>
        <source>Agents whose conversations are not stored, separated by commas.</source>
        <translation>不保存其会话的智能体，用逗号分隔。</translation>
    </message>
    <message>
        <source>All conversations and memories and the first attachment were read, and no other attachment.</source>
        <translation>已读取全部会话和记忆以及第一个附件，没有读取其他附件。</translation>
    </message>
    <message>
        <source>All conversations and memories and the first {count} attachments were read, and no other attachment.</source>
        <translation>已读取全部会话和记忆以及前 {count} 个附件，没有读取其他附件。</translation>
    </message>
    <message>
        <source>All schedules are paused until {time} UTC.</source>
        <translation>所有计划暂停至 {time}（UTC）。</translation>
    </message>
    <message>
        <source>All your machines have forgotten it.</source>
        <translation>你的所有设备都已遗忘它。</translation>
    </message>
    <message>
        <source>Allow yourself to write there, or name another --vault.</source>
        <translation>请允许自己写入那里，或用 --vault 指定其他位置。</translation>
    </message>
    <message>
        <source>An age is a number of days from 0 to {most_days}.</source>
        <translation>时长为 0 到 {most_days} 之间的天数。</translation>
    </message>
    <message>
        <source>An agent with a vault of its own proposes nothing in a database.</source>
        <translation>隔离的智能体不能在数据库中提议。</translation>
    </message>
    <message>
        <source>An agent&apos;s name has 1 to {max_name} characters on one line.</source>
        <translation>智能体名称为一行内的 1 到 {max_name} 个字符。</translation>
    </message>
    <message>
        <source>An encrypted export needs a passphrase.</source>
        <translation>加密导出需要密码短语。</translation>
    </message>
    <message>
        <source>An encrypted file of the vault is damaged or cut off.</source>
        <translation>库中的一个加密文件已损坏或不完整。</translation>
    </message>
    <message>
        <source>An entity cannot be related to itself.</source>
        <translation>条目不能与自身建立关系。</translation>
    </message>
    <message>
        <source>An entity keeps its own name. Rename it first.</source>
        <translation>条目保留自己的名称。请先重命名。</translation>
    </message>
    <message>
        <source>An error of Keepsake itself; the log has it.</source>
        <translation>Keepsake 自身的错误；日志中有记录。</translation>
    </message>
    <message>
        <source>An import is running. The exchange goes on when it has ended.</source>
        <translation>正在导入。导入结束后继续交换。</translation>
    </message>
    <message>
        <source>An import of {path} was cut off. Import it again to go on; nothing is added twice.</source>
        <translation>{path} 的导入被中断。请再次导入以继续；不会重复添加。</translation>
    </message>
    <message>
        <source>An interval must be at least {min_interval_s} seconds.</source>
        <translation>间隔至少为 {min_interval_s} 秒。</translation>
    </message>
    <message>
        <source>An interval needs &apos;seconds&apos;, above 0 and at most {max_interval_s}.</source>
        <translation>间隔需要“seconds”，大于 0 且不超过 {max_interval_s}。</translation>
    </message>
    <message>
        <source>An invitation has twelve words; these are {count}.</source>
        <translation>邀请由十二个单词组成，这里有 {count} 个。</translation>
    </message>
    <message>
        <source>An isolated agent cannot change keys: they are the person&apos;s.</source>
        <translation>隔离的智能体不能更改密钥：它们属于本人。</translation>
    </message>
    <message>
        <source>An isolated agent cannot change the encryption: it is the person&apos;s.</source>
        <translation>隔离的智能体不能更改加密：这由本人决定。</translation>
    </message>
    <message>
        <source>An isolated agent cannot change the settings: they are the person&apos;s.</source>
        <translation>隔离的智能体不能更改设置：它们属于本人。</translation>
    </message>
    <message>
        <source>An isolated agent&apos;s vault contains no other vaults.</source>
        <translation>隔离智能体的记忆库中不含其他记忆库。</translation>
    </message>
    <message>
        <source>An item is not an object and was left out.</source>
        <translation>有一项不是对象，已略去。</translation>
    </message>
    <message>
        <source>Another Keepsake (process {number}) has this vault open.</source>
        <translation>另一个 Keepsake（进程 {number}）已打开此记忆库。</translation>
    </message>
    <message>
        <source>Another Keepsake, or another program, holds this vault&apos;s lock.</source>
        <translation>另一个 Keepsake 或其他程序正锁定此记忆库。</translation>
    </message>
    <message>
        <source>Another fact has taken the place of this one since. Undo or delete that one first.</source>
        <translation>此后另一个事实取代了它。请先撤销或删除那一个。</translation>
    </message>
    <message>
        <source>Another machine came in with these words. Make a new invitation.</source>
        <translation>已有另一台设备使用这些单词加入。请创建新的邀请。</translation>
    </message>
    <message>
        <source>Another machine removed much at once, which waits for you.</source>
        <translation>另一台设备一次删除了很多内容，正等待你确认。</translation>
    </message>
    <message>
        <source>Another machine sealed changes with a key that is no longer used. They come here once it has met the others again.</source>
        <translation>另一台设备用已停用的密钥封存了一些更改。等它再次与其他设备同步后，这些更改就会到达这里。</translation>
    </message>
    <message>
        <source>Another machine writes with a newer Keepsake. Update Keepsake here to see its changes.</source>
        <translation>另一台设备使用更新版本的 Keepsake 写入。请更新此处的 Keepsake 以查看其更改。</translation>
    </message>
    <message>
        <source>Another machine writes with a newer Keepsake. Update Keepsake here to see what it wrote (changes that wait: {n}).</source>
        <translation>另一台电脑使用的 Keepsake 版本较新。请在此更新 Keepsake，以查看其写入的内容（等待中的更改：{n}）。</translation>
    </message>
    <message>
        <source>Another of your machines ran it.</source>
        <translation>你的另一台电脑已运行它。</translation>
    </message>
    <message>
        <source>Another of your machines runs it at this moment. Try again when it has ended.</source>
        <translation>你的另一台设备正在运行它。请在它结束后重试。</translation>
    </message>
    <message>
        <source>Another program holds the vault&apos;s database. Close it and try again.</source>
        <translation>其他程序占用了库的数据库。请关闭它后重试。</translation>
    </message>
    <message>
        <source>Another program is writing to it. Close that program and try again.</source>
        <translation>另一个程序正在向其中写入。请关闭该程序后重试。</translation>
    </message>
    <message>
        <source>Another program keeps a file locked on {server}. It is tried again by itself; nothing is lost meanwhile.</source>
        <translation>另一个程序锁定了 {server} 上的一个文件。稍后会自动重试；其间不会丢失任何内容。</translation>
    </message>
    <message>
        <source>Another reflection was written meanwhile.</source>
        <translation>其间已写了另一篇回顾。</translation>
    </message>
    <message>
        <source>Another user&apos;s program listens where Keepsake should.</source>
        <translation>另一个用户的程序占用了 Keepsake 应监听的位置。</translation>
    </message>
    <message>
        <source>Another {type} is called {name} now. Rename it, or merge the two.</source>
        <translation>现在另有一个同类（{type}）名称叫 {name}。请重命名它，或合并两者。</translation>
    </message>
    <message>
        <source>Appends that may wait for agents that do not.</source>
        <translation>为不等待的智能体排队的最大追加数。</translation>
    </message>
    <message>
        <source>Apple Notes</source>
        <translation>Apple 备忘录</translation>
    </message>
    <message>
        <source>Archived 1 observation.</source>
        <translation>归档了 1 条观察。</translation>
    </message>
    <message>
        <source>Archived {count} observations.</source>
        <translation>归档了 {count} 条观察。</translation>
    </message>
    <message>
        <source>Archived {items}</source>
        <translation>归档了{items}</translation>
    </message>
    <message>
        <source>Asked how the vault stands</source>
        <translation>询问了记忆库的状态</translation>
    </message>
    <message>
        <source>Asked what it should know</source>
        <translation>询问了它应当知道的内容</translation>
    </message>
    <message>
        <source>Asked why something was found</source>
        <translation>询问了某项内容为何被找到</translation>
    </message>
    <message>
        <source>At most {max_batch} can be stored at once.</source>
        <translation>一次最多存储 {max_batch} 条。</translation>
    </message>
    <message>
        <source>At most {max_merged} tags become one at once.</source>
        <translation>一次最多将 {max_merged} 个标签合为一个。</translation>
    </message>
    <message>
        <source>At most {max_owners} messages and memories at once.</source>
        <translation>一次最多 {max_owners} 条消息和记忆。</translation>
    </message>
    <message>
        <source>At most {max_places} positions at once.</source>
        <translation>一次最多 {max_places} 个位置。</translation>
    </message>
    <message>
        <source>At most {most} at once.</source>
        <translation>一次最多 {most} 个。</translation>
    </message>
    <message>
        <source>At most {most} conversations at once.</source>
        <translation>一次最多 {most} 个会话。</translation>
    </message>
    <message>
        <source>At most {most} entries at once.</source>
        <translation>一次最多 {most} 个条目。</translation>
    </message>
    <message>
        <source>At most {most} items at once.</source>
        <translation>一次最多 {most} 项。</translation>
    </message>
    <message>
        <source>At most {most} machines share one memory. Remove one first.</source>
        <translation>最多 {most} 台设备共享同一份记忆。请先移除一台。</translation>
    </message>
    <message>
        <source>At most {most} proposals at once.</source>
        <translation>一次最多 {most} 条提议。</translation>
    </message>
    <message>
        <source>At most {most} texts at once.</source>
        <translation>一次最多 {most} 段文本。</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>尝试次数</translation>
    </message>
    <message>
        <source>Attempts for one answer, where the service is busy or out of reach.</source>
        <translation>服务繁忙或无法访问时，每个回答的尝试次数。</translation>
    </message>
    <message>
        <source>Attributes may be nested at most {most} deep.</source>
        <translation>属性最多可嵌套 {most} 层。</translation>
    </message>
    <message>
        <source>Back the vault up before each import.</source>
        <translation>每次导入前备份记忆库。</translation>
    </message>
    <message>
        <source>Back the vault up once a day.</source>
        <translation>每天备份一次记忆库。</translation>
    </message>
    <message>
        <source>Backups still hold it.</source>
        <translation>备份中仍有它。</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>Began a conversation</source>
        <translation>开始了会话</translation>
    </message>
    <message>
        <source>Begin llm.base_url with https://.</source>
        <translation>请让 llm.base_url 以 https:// 开头。</translation>
    </message>
    <message>
        <source>Begin {name} with https://.</source>
        <translation>请让 {name} 以 https:// 开头。</translation>
    </message>
    <message>
        <source>Between {least} and {max_merged} notes can be merged.</source>
        <translation>可以合并 {least} 到 {max_merged} 条笔记。</translation>
    </message>
    <message>
        <source>Block {row} of {table} does not hold whole vectors.</source>
        <translation>{table} 的第 {row} 块中的向量不完整。</translation>
    </message>
    <message>
        <source>Boosted</source>
        <translation>增强</translation>
    </message>
    <message>
        <source>Both</source>
        <translation>双向</translation>
    </message>
    <message>
        <source>Bring the summaries of a conversation up to date once it falls quiet.</source>
        <translation>会话安静下来后更新其摘要。</translation>
    </message>
    <message>
        <source>Brought 1 fact back that another machine set aside and this one uses.</source>
        <translation>取回了 1 条被另一台电脑搁置而本机仍在使用的事实。</translation>
    </message>
    <message>
        <source>Brought back {items}</source>
        <translation>恢复了{items}</translation>
    </message>
    <message>
        <source>Brought {count} facts back that another machine set aside and this one uses.</source>
        <translation>取回了 {count} 条被另一台电脑搁置而本机仍在使用的事实。</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>Building the vectors stopped after an error in Keepsake ({error}). Restart it.</source>
        <translation>由于 Keepsake 出错，向量生成已停止（{error}）。请重新启动。</translation>
    </message>
    <message>
        <source>Burst</source>
        <translation>突发</translation>
    </message>
    <message>
        <source>Call it off with &apos;keepsake call backup.cancel_restore&apos;.</source>
        <translation>可用“keepsake call backup.cancel_restore”取消。</translation>
    </message>
    <message>
        <source>Calls a second that an agent may make in the long run.</source>
        <translation>智能体长期每秒可进行的调用数。</translation>
    </message>
    <message>
        <source>Calls that an agent may make at once after a rest.</source>
        <translation>智能体休息后可一次进行的调用数。</translation>
    </message>
    <message>
        <source>Calls that the ledger keeps at most. Beyond, the oldest of whoever made most of them leave first.</source>
        <translation>访问账本最多保留的调用数。超出后先移除调用最多者的最早记录。</translation>
    </message>
    <message>
        <source>Candidates that words and meaning each give to a recipe, except &apos;learned&apos;.</source>
        <translation>词语和含义各自提供给配方的候选数（“learned”除外）。</translation>
    </message>
    <message>
        <source>Capsule</source>
        <translation>胶囊</translation>
    </message>
    <message>
        <source>Capture clients</source>
        <translation>记录的程序</translation>
    </message>
    <message>
        <source>Capture min turn messages</source>
        <translation>每轮最少消息数</translation>
    </message>
    <message>
        <source>Capture watch seconds</source>
        <translation>记录间隔秒数</translation>
    </message>
    <message>
        <source>Care for the database at night, and verify the latest backup.</source>
        <translation>夜间维护数据库，并验证最近的备份。</translation>
    </message>
    <message>
        <source>Care for the database; no content changes.</source>
        <translation>维护数据库；内容不变。</translation>
    </message>
    <message>
        <source>Changed a conversation</source>
        <translation>更改了会话</translation>
    </message>
    <message>
        <source>Changed a note</source>
        <translation>更改了笔记</translation>
    </message>
    <message>
        <source>Changed people and things</source>
        <translation>更改了人物和事物</translation>
    </message>
    <message>
        <source>Changed saved searches</source>
        <translation>更改了已保存的搜索</translation>
    </message>
    <message>
        <source>Changed tags</source>
        <translation>更改了标签</translation>
    </message>
    <message>
        <source>Changed the archive</source>
        <translation>更改了归档</translation>
    </message>
    <message>
        <source>Changed the project of {items}</source>
        <translation>更改了{items}的项目</translation>
    </message>
    <message>
        <source>Changed the tags of {items}</source>
        <translation>更改了{items}的标签</translation>
    </message>
    <message>
        <source>Changed who may see {items}</source>
        <translation>更改了谁可以看到{items}</translation>
    </message>
    <message>
        <source>Changed {items}</source>
        <translation>更改了{items}</translation>
    </message>
    <message>
        <source>Changes are missing at the place that are on: {machines}. They come here once such a machine meets the others. If it is gone for good, remove it here.</source>
        <translation>该位置缺少一些更改，它们在以下设备上：{machines}。其中一台与其他设备会合后，这些更改就会到达这里。如果它不会再回来，请在此处将其移除。</translation>
    </message>
    <message>
        <source>Changes of another machine are missing.</source>
        <translation>缺少另一台设备的更改。</translation>
    </message>
    <message>
        <source>Changes of another machine are still being copied.</source>
        <translation>另一台设备的更改仍在复制中。</translation>
    </message>
    <message>
        <source>Changes of another machine cannot be read.</source>
        <translation>无法读取另一台设备的更改。</translation>
    </message>
    <message>
        <source>Changes of your machines are in a snapshot, which is not whole at the place yet. They come here as soon as it is.</source>
        <translation>你的设备的更改在一个快照中，而该快照在该位置尚不完整。一旦完整，它们就会传到这里。</translation>
    </message>
    <message>
        <source>Characters of a run&apos;s output shown in its summary.</source>
        <translation>运行输出在摘要中显示的字符数。</translation>
    </message>
    <message>
        <source>Characters of a tool&apos;s answer that the model reads.</source>
        <translation>模型读取的工具回答字符数。</translation>
    </message>
    <message>
        <source>Characters that cannot be stored were replaced.</source>
        <translation>无法存储的字符已被替换。</translation>
    </message>
    <message>
        <source>ChatGPT export</source>
        <translation>ChatGPT 导出</translation>
    </message>
    <message>
        <source>ChatGPT, with branches</source>
        <translation>ChatGPT（含分支）</translation>
    </message>
    <message>
        <source>Check its permissions and those of its folder, then check again.</source>
        <translation>检查它及其文件夹的权限，然后再次检查。</translation>
    </message>
    <message>
        <source>Checked its own access</source>
        <translation>查看了自己的访问权限</translation>
    </message>
    <message>
        <source>Choose one of {known}.</source>
        <translation>请选择：{known}。</translation>
    </message>
    <message>
        <source>Claude Code</source>
        <translation>Claude Code</translation>
    </message>
    <message>
        <source>Claude export</source>
        <translation>Claude 导出</translation>
    </message>
    <message>
        <source>Cleared {items} out of the archive</source>
        <translation>从归档中清除了{items}</translation>
    </message>
    <message>
        <source>Clients whose transcripts are followed, separated by commas.</source>
        <translation>跟踪其会话记录的程序，用逗号分隔。</translation>
    </message>
    <message>
        <source>Closing the window keeps Keepsake running: in the tray, or hidden where there is none.</source>
        <translation>关闭窗口后 Keepsake 继续运行：在托盘中，没有托盘时在后台。</translation>
    </message>
    <message>
        <source>Codex</source>
        <translation>Codex</translation>
    </message>
    <message>
        <source>Colours of the window.</source>
        <translation>窗口的颜色。</translation>
    </message>
    <message>
        <source>Comparing models</source>
        <translation>正在比较模型</translation>
    </message>
    <message>
        <source>Comparing recipes</source>
        <translation>正在比较配方</translation>
    </message>
    <message>
        <source>Compress and archive old observations.</source>
        <translation>压缩并归档旧的观察。</translation>
    </message>
    <message>
        <source>Compress similar old observations, archive idle ones, and clean up the archive.</source>
        <translation>压缩相似的旧观察，归档闲置的观察，并清理归档。</translation>
    </message>
    <message>
        <source>Compressed 1 observation into {digests}.</source>
        <translation>将 1 条观察压缩为 {digests}。</translation>
    </message>
    <message>
        <source>Compressed {count} observations into {digests}.</source>
        <translation>将 {count} 条观察压缩为 {digests}。</translation>
    </message>
    <message>
        <source>Condensed</source>
        <translation>压缩</translation>
    </message>
    <message>
        <source>Condensed {items}</source>
        <translation>压缩了{items}</translation>
    </message>
    <message>
        <source>Confidence below which a fact is set aside; that can be undone.</source>
        <translation>低于此置信度的事实会被搁置；可以撤销。</translation>
    </message>
    <message>
        <source>Confidence left to a fact that a newer one contradicts.</source>
        <translation>被新事实反驳的事实保留的置信度。</translation>
    </message>
    <message>
        <source>Confirmed {items}</source>
        <translation>确认了{items}</translation>
    </message>
    <message>
        <source>Consolidate a conversation when the next one begins.</source>
        <translation>下一个会话开始时整理上一个会话。</translation>
    </message>
    <message>
        <source>Consolidation</source>
        <translation>整理</translation>
    </message>
    <message>
        <source>Constant of the recipe &apos;rrf&apos;: the larger, the less the first places count.</source>
        <translation>配方“rrf”的常数：越大，靠前名次的权重越小。</translation>
    </message>
    <message>
        <source>Context index</source>
        <translation>上下文索引</translation>
    </message>
    <message>
        <source>Context index limit</source>
        <translation>上下文索引上限</translation>
    </message>
    <message>
        <source>Context index max tokens</source>
        <translation>上下文索引最大词元数</translation>
    </message>
    <message>
        <source>Context index recent days</source>
        <translation>上下文索引最近天数</translation>
    </message>
    <message>
        <source>Context max facts</source>
        <translation>上下文最大事实数</translation>
    </message>
    <message>
        <source>Context max tokens</source>
        <translation>上下文最大词元数</translation>
    </message>
    <message>
        <source>Context recent max tokens</source>
        <translation>上下文近期最大词元数</translation>
    </message>
    <message>
        <source>Context recent messages</source>
        <translation>上下文近期消息数</translation>
    </message>
    <message>
        <source>Context recent sessions</source>
        <translation>上下文近期会话数</translation>
    </message>
    <message>
        <source>Context reflection</source>
        <translation>上下文反思</translation>
    </message>
    <message>
        <source>Context reflection max tokens</source>
        <translation>上下文反思最大词元数</translation>
    </message>
    <message>
        <source>Context relevant max tokens</source>
        <translation>上下文相关最大词元数</translation>
    </message>
    <message>
        <source>Context relevant messages</source>
        <translation>上下文相关消息数</translation>
    </message>
    <message>
        <source>Context relevant similarity</source>
        <translation>上下文相关相似度</translation>
    </message>
    <message>
        <source>Context salient importance</source>
        <translation>上下文重要度</translation>
    </message>
    <message>
        <source>Context salient max tokens</source>
        <translation>上下文重要内容最大词元数</translation>
    </message>
    <message>
        <source>Context salient messages</source>
        <translation>上下文重要消息数</translation>
    </message>
    <message>
        <source>Context sessions max tokens</source>
        <translation>上下文会话最大词元数</translation>
    </message>
    <message>
        <source>Contrast of the colours: as the system asks for, or always high.</source>
        <translation>颜色对比度：跟随系统，或始终为高。</translation>
    </message>
    <message>
        <source>Copies that were written anew still hold something of it. Delete these backups.</source>
        <translation>重新写入的副本中仍有其部分内容。请删除这些备份。</translation>
    </message>
    <message>
        <source>Correct it in {where}; until then the vault stays closed.</source>
        <translation>请在 {where} 中更正；在此之前记忆库保持关闭。</translation>
    </message>
    <message>
        <source>Correct it in {where}; until then {now} counts.</source>
        <translation>请在 {where} 中更正；在此之前以{now}为准。</translation>
    </message>
    <message>
        <source>Correct it, or leave it empty.</source>
        <translation>请更正，或留空。</translation>
    </message>
    <message>
        <source>Correct it; it looks like https://example.org/v1.</source>
        <translation>请更正；形如 https://example.org/v1。</translation>
    </message>
    <message>
        <source>Correct the file or move it away; until then the vault stays closed.</source>
        <translation>请更正该文件或将其移走；在此之前记忆库保持关闭。</translation>
    </message>
    <message>
        <source>Corrected a fact</source>
        <translation>更正了事实</translation>
    </message>
    <message>
        <source>Cost in a calendar month beyond which nothing is asked; 0 for no limit.</source>
        <translation>每个自然月的费用上限，超出后不再请求；0 表示不限。</translation>
    </message>
    <message>
        <source>Cost of one run of a goal at most, in the currency of the prices.</source>
        <translation>目标单次运行的最高费用，以价格的货币计。</translation>
    </message>
    <message>
        <source>Counted anew what was counted wrongly.</source>
        <translation>已重新计数有误的部分。</translation>
    </message>
    <message>
        <source>Created {items}</source>
        <translation>创建了{items}</translation>
    </message>
    <message>
        <source>Cursor</source>
        <translation>Cursor</translation>
    </message>
    <message>
        <source>Daily backups that are kept.</source>
        <translation>保留的每日备份数。</translation>
    </message>
    <message>
        <source>Damaged copies hold it and cannot be written anew. Delete these backups.</source>
        <translation>损坏的副本中有它，且无法重新写入。请删除这些备份。</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Days</source>
        <translation>天数</translation>
    </message>
    <message>
        <source>Days after which an observation goes to the archive.</source>
        <translation>多少天后观察进入归档。</translation>
    </message>
    <message>
        <source>Days after which calls leave the ledger.</source>
        <translation>多少天后调用从访问账本中移除。</translation>
    </message>
    <message>
        <source>Days after which similar observations become one digest.</source>
        <translation>多少天后相似观察合并为一篇摘编。</translation>
    </message>
    <message>
        <source>Days in the archive after which an observation is deleted; notes never are.</source>
        <translation>观察在归档中多少天后被删除；笔记永不删除。</translation>
    </message>
    <message>
        <source>Days it looks back.</source>
        <translation>回看的天数。</translation>
    </message>
    <message>
        <source>Days since the last one without which none is written.</source>
        <translation>距上一次至少多少天才会写新的。</translation>
    </message>
    <message>
        <source>Days that a proposal of an agent waits for you before it expires.</source>
        <translation>智能体的提议等待你多少天后过期。</translation>
    </message>
    <message>
        <source>Days whose memories the index names after those that match the prompt.</source>
        <translation>索引在与提示匹配的记忆之后列出最近这些天的记忆。</translation>
    </message>
    <message>
        <source>Decay</source>
        <translation>衰减</translation>
    </message>
    <message>
        <source>Decay max share</source>
        <translation>衰减最大比例</translation>
    </message>
    <message>
        <source>Decay max share month</source>
        <translation>每月衰减最大比例</translation>
    </message>
    <message>
        <source>Decay threshold</source>
        <translation>衰减阈值</translation>
    </message>
    <message>
        <source>Decay time</source>
        <translation>衰减时间</translation>
    </message>
    <message>
        <source>Decided on proposals</source>
        <translation>对提议作出了决定</translation>
    </message>
    <message>
        <source>Delete the folder once you are sure that nothing in it is missed.</source>
        <translation>确定其中没有需要的内容后，请删除该文件夹。</translation>
    </message>
    <message>
        <source>Deleted 1 observation after its time in the archive.</source>
        <translation>删除了 1 条归档期满的观察。</translation>
    </message>
    <message>
        <source>Deleted a note</source>
        <translation>删除了笔记</translation>
    </message>
    <message>
        <source>Deleted {count} observations after their time in the archive.</source>
        <translation>删除了 {count} 条归档期满的观察。</translation>
    </message>
    <message>
        <source>Deleted {items}</source>
        <translation>删除了{items}</translation>
    </message>
    <message>
        <source>Depth</source>
        <translation>深度</translation>
    </message>
    <message>
        <source>Device or resource busy</source>
        <translation>设备或资源正忙</translation>
    </message>
    <message>
        <source>Did again: {what}</source>
        <translation>重新执行：{what}</translation>
    </message>
    <message>
        <source>Did nothing that is still known</source>
        <translation>没有仍可查知的更改</translation>
    </message>
    <message>
        <source>Did you mean &apos;{near}&apos;?</source>
        <translation>你是指“{near}”吗？</translation>
    </message>
    <message>
        <source>Did you mean {name}:?</source>
        <translation>你是指 {name}: 吗？</translation>
    </message>
    <message>
        <source>Discord</source>
        <translation>Discord</translation>
    </message>
    <message>
        <source>Disk quota exceeded</source>
        <translation>超出磁盘配额</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>文档</translation>
    </message>
    <message>
        <source>Draw lasting facts from conversations that have ended.</source>
        <translation>从已结束的会话中提取长期事实。</translation>
    </message>
    <message>
        <source>Embedding API key variable</source>
        <translation>嵌入 API 密钥变量</translation>
    </message>
    <message>
        <source>Embedding base address</source>
        <translation>嵌入服务地址</translation>
    </message>
    <message>
        <source>Embedding batch</source>
        <translation>嵌入批量</translation>
    </message>
    <message>
        <source>Embedding dimensions</source>
        <translation>嵌入维度</translation>
    </message>
    <message>
        <source>Embedding model</source>
        <translation>嵌入模型</translation>
    </message>
    <message>
        <source>Embedding model folder</source>
        <translation>嵌入模型文件夹</translation>
    </message>
    <message>
        <source>Embedding send private</source>
        <translation>嵌入：发送私密内容</translation>
    </message>
    <message>
        <source>Emergency retain</source>
        <translation>紧急保留</translation>
    </message>
    <message>
        <source>Encrypted Keepsake export</source>
        <translation>加密的 Keepsake 导出</translation>
    </message>
    <message>
        <source>Encrypting needs {needed} MB of free space for a while, and the disk has {free} MB. Nothing was changed.</source>
        <translation>加密过程中暂时需要 {needed} MB 可用空间，而磁盘只有 {free} MB。未作任何更改。</translation>
    </message>
    <message>
        <source>Enrichment limit</source>
        <translation>名称补充上限</translation>
    </message>
    <message>
        <source>Enrichment max entities</source>
        <translation>名称补充阈值</translation>
    </message>
    <message>
        <source>Enrichment time</source>
        <translation>名称补充时间</translation>
    </message>
    <message>
        <source>Entries</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>Environment variable that holds the key of a remote embedding service, in capital letters; never the key itself. Empty for the key in the system&apos;s keyring.</source>
        <translation>保存远程嵌入服务密钥的环境变量，用大写字母；绝不是密钥本身。留空则使用系统密钥环中的密钥。</translation>
    </message>
    <message>
        <source>Environment variable that holds the key, in capital letters; never the key itself. Empty for the key in the system&apos;s keyring.</source>
        <translation>保存密钥的环境变量，用大写字母；绝不是密钥本身。留空则使用系统密钥环中的密钥。</translation>
    </message>
    <message>
        <source>Evernote notes</source>
        <translation>Evernote 笔记</translation>
    </message>
    <message>
        <source>Every hours</source>
        <translation>间隔小时数</translation>
    </message>
    <message>
        <source>Exporting to {name}</source>
        <translation>正在导出到 {name}</translation>
    </message>
    <message>
        <source>Extract facts from conversations that have ended.</source>
        <translation>从已结束的会话中提取事实。</translation>
    </message>
    <message>
        <source>Facts and index may take {context} tokens, all of the {budget} in &apos;sessions.budget&apos;.</source>
        <translation>事实和索引可占用 {context} 个词元，即“sessions.budget”的全部 {budget}。</translation>
    </message>
    <message>
        <source>Facts are shown of the first {count} only.</source>
        <translation>只显示前 {count} 个的事实。</translation>
    </message>
    <message>
        <source>Facts of other conversations in an agent&apos;s context.</source>
        <translation>智能体上下文中来自其他会话的事实数。</translation>
    </message>
    <message>
        <source>Facts of the past days without which none is written.</source>
        <translation>过去几天至少多少条事实才会写。</translation>
    </message>
    <message>
        <source>Failures in a row after which a schedule pauses.</source>
        <translation>连续失败多少次后计划暂停。</translation>
    </message>
    <message>
        <source>Failures to pause</source>
        <translation>暂停前失败次数</translation>
    </message>
    <message>
        <source>Fast model</source>
        <translation>快速模型</translation>
    </message>
    <message>
        <source>Fetch a fastembed model from the network when it is not on this machine.</source>
        <translation>此电脑上没有 fastembed 模型时从网络获取。</translation>
    </message>
    <message>
        <source>Fetching the model {name} was cancelled. What came of it is kept; choose it again to go on.</source>
        <translation>已取消下载模型 {name}。已下载的部分会保留；再次选择它即可继续。</translation>
    </message>
    <message>
        <source>Fetching {name}</source>
        <translation>正在获取 {name}</translation>
    </message>
    <message>
        <source>File exists</source>
        <translation>文件已存在</translation>
    </message>
    <message>
        <source>File name too long</source>
        <translation>文件名过长</translation>
    </message>
    <message>
        <source>Files of another machine do not follow each other: the folder shows an older state than it did, or two copies of one vault wrote to it.</source>
        <translation>另一台设备的文件不连续：文件夹显示的状态比之前更旧，或同一记忆库的两个副本都写入了它。</translation>
    </message>
    <message>
        <source>Finding names with a language model or spaCy is switched off in the settings.</source>
        <translation>设置中已关闭用语言模型或 spaCy 查找名称。</translation>
    </message>
    <message>
        <source>Folder of Markdown notes, such as an Obsidian vault, whose edits are taken in within seconds.</source>
        <translation>Markdown 笔记文件夹（例如 Obsidian 库），其中的编辑会在几秒内收录。</translation>
    </message>
    <message>
        <source>Folder of an offline fastembed model; empty for its own cache.</source>
        <translation>离线 fastembed 模型的文件夹；留空则用其自己的缓存。</translation>
    </message>
    <message>
        <source>Folder of that model&apos;s files; empty for its own cache.</source>
        <translation>该模型文件的文件夹；留空则用其自己的缓存。</translation>
    </message>
    <message>
        <source>Follow the transcripts that coding agents keep on this computer; conversations from then on are taken in.</source>
        <translation>跟踪编程智能体在此电脑上保存的会话记录；从此开始收录会话。</translation>
    </message>
    <message>
        <source>Forgetting could not be finished. It stands all the same: what is to be forgotten is hidden already, and the next start at which the disk permits it erases the rest by itself. Free some space if the disk is full, then start Keepsake again. What happened: {cause}</source>
        <translation>遗忘未能完成，但依然有效：要遗忘的内容已经隐藏，下次启动时只要磁盘允许，其余部分会自动删除。如果磁盘已满，请腾出空间，然后重新启动 Keepsake。发生了什么：{cause}</translation>
    </message>
    <message>
        <source>Forgetting for ever</source>
        <translation>正在永久删除</translation>
    </message>
    <message>
        <source>Forgetting for ever could not be finished: {why}</source>
        <translation>永久遗忘未能完成：{why}</translation>
    </message>
    <message>
        <source>Found names in {items}</source>
        <translation>在{items}中找到了名称</translation>
    </message>
    <message>
        <source>Free some space or make the folder writable, and check again.</source>
        <translation>请腾出空间或使文件夹可写，然后再次检查。</translation>
    </message>
    <message>
        <source>Friday</source>
        <translation>星期五</translation>
    </message>
    <message>
        <source>From here on, 1 message has no date that can be right: none there is, or one in the future. It was kept without its time.</source>
        <translation>从这里起，有 1 条消息的日期不可能正确：不存在或在未来。它已不带时间保留。</translation>
    </message>
    <message>
        <source>From here on, {count} messages have no date that can be right: none there is, or one in the future. They were kept without their time.</source>
        <translation>从这里起，有 {count} 条消息的日期不可能正确：不存在或在未来。它们已不带时间保留。</translation>
    </message>
    <message>
        <source>Gemini CLI</source>
        <translation>Gemini CLI</translation>
    </message>
    <message>
        <source>Gemini, from Google Takeout</source>
        <translation>Gemini（来自 Google Takeout）</translation>
    </message>
    <message>
        <source>Give agents an index of the memories they may see.</source>
        <translation>向智能体提供它们可见记忆的索引。</translation>
    </message>
    <message>
        <source>Give agents the latest weekly reflection.</source>
        <translation>向智能体提供最近的每周反思。</translation>
    </message>
    <message>
        <source>Give the file a name that ends in {names}.</source>
        <translation>请为文件取一个以 {names} 结尾的名称。</translation>
    </message>
    <message>
        <source>Goal: {name}</source>
        <translation>目标：{name}</translation>
    </message>
    <message>
        <source>Goals answer characters</source>
        <translation>目标回答字符数</translation>
    </message>
    <message>
        <source>Goals max turns</source>
        <translation>目标最多轮数</translation>
    </message>
    <message>
        <source>HTML page</source>
        <translation>HTML 页面</translation>
    </message>
    <message>
        <source>Hiding what {name} wrote</source>
        <translation>正在隐藏 {name} 写入的内容</translation>
    </message>
    <message>
        <source>High</source>
        <translation>高</translation>
    </message>
    <message>
        <source>Hours between two searches for conversations to consolidate.</source>
        <translation>两次查找待整理会话之间的小时数。</translation>
    </message>
    <message>
        <source>Housekeeping</source>
        <translation>维护</translation>
    </message>
    <message>
        <source>Housekeeping time</source>
        <translation>维护时间</translation>
    </message>
    <message>
        <source>How often memories are read is not counted at the moment. {why}</source>
        <translation>目前没有统计记忆被读取的次数。{why}</translation>
    </message>
    <message>
        <source>How words and meaning are weighed.</source>
        <translation>如何权衡词语和含义。</translation>
    </message>
    <message>
        <source>Import the folders in it one by one.</source>
        <translation>请逐个导入其中的文件夹。</translation>
    </message>
    <message>
        <source>Importance from which a message counts as important.</source>
        <translation>消息被视为重要的重要度下限。</translation>
    </message>
    <message>
        <source>Importance from which the recipe &apos;tri&apos; takes a message as salient.</source>
        <translation>配方“tri”将消息视为突出的重要度下限。</translation>
    </message>
    <message>
        <source>Important messages in an agent&apos;s context.</source>
        <translation>智能体上下文中的重要消息数。</translation>
    </message>
    <message>
        <source>Important turns</source>
        <translation>重要轮次</translation>
    </message>
    <message>
        <source>Imported {items}</source>
        <translation>导入了{items}</translation>
    </message>
    <message>
        <source>Importing {name}</source>
        <translation>正在导入 {name}</translation>
    </message>
    <message>
        <source>In config.toml: {why}</source>
        <translation>在 config.toml 中：{why}</translation>
    </message>
    <message>
        <source>In the variable {name}: {why}</source>
        <translation>在变量 {name} 中：{why}</translation>
    </message>
    <message>
        <source>In {folder}: {what}</source>
        <translation>在 {folder} 中：{what}</translation>
    </message>
    <message>
        <source>Incognito has an end only while it is on.</source>
        <translation>只有开启隐身模式时才能设置结束时间。</translation>
    </message>
    <message>
        <source>Index vectors</source>
        <translation>索引向量</translation>
    </message>
    <message>
        <source>Indexing for search by meaning</source>
        <translation>正在为按含义搜索建立索引</translation>
    </message>
    <message>
        <source>Indexing stopped after an error inside Keepsake ({error}). Restart it.</source>
        <translation>由于 Keepsake 内部出错，索引已停止（{error}）。请重新启动。</translation>
    </message>
    <message>
        <source>Input/output error</source>
        <translation>输入/输出错误</translation>
    </message>
    <message>
        <source>Is a directory</source>
        <translation>是文件夹</translation>
    </message>
    <message>
        <source>It began on another of your machines, which was not heard of since.</source>
        <translation>它在你的另一台设备上开始，此后再无消息。</translation>
    </message>
    <message>
        <source>It began on {machine}, which was not heard of since.</source>
        <translation>它在 {machine} 上开始，此后再无消息。</translation>
    </message>
    <message>
        <source>It begins with a date and a time and was read as part of the message before it.</source>
        <translation>它以日期和时间开头，被读作前一条消息的一部分。</translation>
    </message>
    <message>
        <source>It belongs to the system and was left out.</source>
        <translation>它属于系统，已略去。</translation>
    </message>
    <message>
        <source>It cannot be opened. Check that it is there and that it is yours.</source>
        <translation>无法打开它。请检查该文件是否存在且属于你。</translation>
    </message>
    <message>
        <source>It cannot be read where it lies. Copy it to a folder of your own.</source>
        <translation>无法在其所在位置读取它。请将该文件复制到你自己的文件夹。</translation>
    </message>
    <message>
        <source>It cannot be read.</source>
        <translation>无法读取。</translation>
    </message>
    <message>
        <source>It cannot be stored: {strerror}.</source>
        <translation>无法存储：{strerror}。</translation>
    </message>
    <message>
        <source>It could not be read and was left out: {error}</source>
        <translation>无法读取，已略去：{error}</translation>
    </message>
    <message>
        <source>It could not be read and was left out: {error}.</source>
        <translation>无法读取，已略去：{error}。</translation>
    </message>
    <message>
        <source>It could not be read: {error}. Its names are missing.</source>
        <translation>无法读取：{error}。其中的名称缺失。</translation>
    </message>
    <message>
        <source>It could not be read: {strerror}.</source>
        <translation>无法读取：{strerror}。</translation>
    </message>
    <message>
        <source>It could not be read: {why}.</source>
        <translation>无法读取：{why}。</translation>
    </message>
    <message>
        <source>It goes on by itself whenever Keepsake runs.</source>
        <translation>只要 Keepsake 在运行，它就会自动继续。</translation>
    </message>
    <message>
        <source>It has 1 {thing}, which is no conversation, message or note that this version knows.</source>
        <translation>其中有 1 个 {thing}，不是此版本认识的会话、消息或笔记。</translation>
    </message>
    <message>
        <source>It has expired already.</source>
        <translation>它已经过期。</translation>
    </message>
    <message>
        <source>It has more than {most} MB and was left out.</source>
        <translation>它超过 {most} MB，已略去。</translation>
    </message>
    <message>
        <source>It has more than {most} files; 1 more file was not looked at.</source>
        <translation>其中超过 {most} 个文件；另有 1 个文件未查看。</translation>
    </message>
    <message>
        <source>It has more than {most} files; {count} more files were not looked at.</source>
        <translation>其中超过 {most} 个文件；另有 {count} 个文件未查看。</translation>
    </message>
    <message>
        <source>It has more than {most} pages; the rest was left out.</source>
        <translation>它超过 {most} 页；其余部分被略去。</translation>
    </message>
    <message>
        <source>It has more than {most} tags or very long ones; as tags the first {most} were kept, shortened.</source>
        <translation>它的标签超过 {most} 个或过长；前 {most} 个已缩短并保留为标签。</translation>
    </message>
    <message>
        <source>It has neither a title nor a text and was left out.</source>
        <translation>它既无标题也无文本，已略去。</translation>
    </message>
    <message>
        <source>It has no encoding mark and was read as {guess}.</source>
        <translation>它没有编码标记，已按 {guess} 读取。</translation>
    </message>
    <message>
        <source>It has no end.</source>
        <translation>缺少结尾。</translation>
    </message>
    <message>
        <source>It has no messages (&apos;chat_messages&apos; is missing) and was left out.</source>
        <translation>它没有消息（缺少“chat_messages”），已略去。</translation>
    </message>
    <message>
        <source>It has no messages (&apos;mapping&apos; is missing or empty) and was left out.</source>
        <translation>它没有消息（“mapping”缺失或为空），已略去。</translation>
    </message>
    <message>
        <source>It has no name that can be stored, and was left out.</source>
        <translation>它没有可存储的名称，已略去。</translation>
    </message>
    <message>
        <source>It has no text and was left out.</source>
        <translation>它没有文本，已略去。</translation>
    </message>
    <message>
        <source>It has no time that can be read and was left out.</source>
        <translation>它没有可读的时间，已略去。</translation>
    </message>
    <message>
        <source>It has no two ends with names and was left out.</source>
        <translation>它的两端没有名称，已略去。</translation>
    </message>
    <message>
        <source>It has {count} {things}, none of them a conversation, message or note that this version knows.</source>
        <translation>其中有 {count} 个 {things}，都不是此版本认识的会话、消息或笔记。</translation>
    </message>
    <message>
        <source>It holds no text and was left out.</source>
        <translation>它不含文本，已略去。</translation>
    </message>
    <message>
        <source>It holds words and was left out; to have them, unpack the zip.</source>
        <translation>它含有文字但被略去；要获得这些文字，请解压该 zip。</translation>
    </message>
    <message>
        <source>It holds words in no format that is known and was left out.</source>
        <translation>它含有未知格式的文字，已略去。</translation>
    </message>
    <message>
        <source>It holds words {where} that this version does not know; they {end}: {sample}.</source>
        <translation>它{where}含有此版本不认识的文字；这些文字{end}：{sample}。</translation>
    </message>
    <message>
        <source>It is a Keepsake vault and was left out. {advice}</source>
        <translation>它是 Keepsake 的记忆库，已略去。{advice}</translation>
    </message>
    <message>
        <source>It is a link that leads nowhere or in a circle and was left out.</source>
        <translation>它是一个指向空处或循环的链接，已略去。</translation>
    </message>
    <message>
        <source>It is a link that leads out of the folder and was not followed.</source>
        <translation>它是一个指向文件夹之外的链接，没有跟随。</translation>
    </message>
    <message>
        <source>It is a link to a folder that it lies in and was not followed; the notes there are read once.</source>
        <translation>它是指向自身所在文件夹的链接，没有跟随；那里的笔记只读取一次。</translation>
    </message>
    <message>
        <source>It is a link, which is not followed; it was left out.</source>
        <translation>它是链接，不会跟随；已略去。</translation>
    </message>
    <message>
        <source>It is a pipe, a socket or a device and was left out.</source>
        <translation>它是管道、套接字或设备，已略去。</translation>
    </message>
    <message>
        <source>It is an item of a kind that this version does not know, and was left out.</source>
        <translation>它是此版本不认识的类型，已略去。</translation>
    </message>
    <message>
        <source>It is cut off and was left out; import the file again when it is complete.</source>
        <translation>它被截断，已略去；请在文件完整后再次导入。</translation>
    </message>
    <message>
        <source>It is damaged and was left out.</source>
        <translation>它已损坏，已略去。</translation>
    </message>
    <message>
        <source>It is damaged or cannot be read, and was left out.</source>
        <translation>它已损坏或无法读取，已略去。</translation>
    </message>
    <message>
        <source>It is damaged, or larger than {most} MB, and was left out.</source>
        <translation>它已损坏或超过 {most} MB，已略去。</translation>
    </message>
    <message>
        <source>It is damaged, or no database at all.</source>
        <translation>该文件已损坏，或根本不是数据库。</translation>
    </message>
    <message>
        <source>It is damaged, or something other than its name says.</source>
        <translation>它已损坏，或与其名称不符。</translation>
    </message>
    <message>
        <source>It is damaged: {lines}.</source>
        <translation>它已损坏：{lines}。</translation>
    </message>
    <message>
        <source>It is empty and was left out.</source>
        <translation>它是空的，已略去。</translation>
    </message>
    <message>
        <source>It is encrypted and was left out. Export it from a Joplin that can decrypt it.</source>
        <translation>它已加密，已略去。请从可以解密的 Joplin 中导出。</translation>
    </message>
    <message>
        <source>It is from a newer Keepsake (schema {schema}; this one knows {known}).</source>
        <translation>它来自较新的 Keepsake（结构版本 {schema}；当前支持 {known}）。</translation>
    </message>
    <message>
        <source>It is hidden, holds words and was left out; to have them, import this file.</source>
        <translation>它是隐藏文件，含有文字但被略去；要获得这些文字，请导入此文件。</translation>
    </message>
    <message>
        <source>It is joined to no other message by its &apos;parent&apos; and was left out; the format &apos;{name}&apos; takes it.</source>
        <translation>它的“parent”没有将其与其他消息相连，已略去；格式“{name}”会采纳它。</translation>
    </message>
    <message>
        <source>It is larger than an archive within an archive may be.</source>
        <translation>它超过了归档中嵌套归档的允许大小。</translation>
    </message>
    <message>
        <source>It is larger than an attachment may be.</source>
        <translation>它超过了附件允许的大小。</translation>
    </message>
    <message>
        <source>It is larger than {most} MB and was left out.</source>
        <translation>它大于 {most} MB，已略去。</translation>
    </message>
    <message>
        <source>It is larger than {most} MB, so only its text was taken.</source>
        <translation>它大于 {most} MB，因此只采纳了其文本。</translation>
    </message>
    <message>
        <source>It is larger than {most} million characters and was left out.</source>
        <translation>它超过 {most} 百万个字符，已略去。</translation>
    </message>
    <message>
        <source>It is longer than {most} MB and was left out.</source>
        <translation>它长于 {most} MB，已略去。</translation>
    </message>
    <message>
        <source>It is missing.</source>
        <translation>它缺失。</translation>
    </message>
    <message>
        <source>It is nested beyond reason.</source>
        <translation>嵌套层数过多。</translation>
    </message>
    <message>
        <source>It is no canvas of the JSON Canvas format, or damaged; it was left out.</source>
        <translation>它不是 JSON Canvas 格式的画布，或已损坏；已略去。</translation>
    </message>
    <message>
        <source>It is no database of Keepsake.</source>
        <translation>这不是 Keepsake 的数据库。</translation>
    </message>
    <message>
        <source>It is no database that Keepsake can read ({kind}).</source>
        <translation>该文件不是 Keepsake 能读取的数据库（{kind}）。</translation>
    </message>
    <message>
        <source>It is no item of Joplin: the fields at its end are missing or damaged. It was left out.</source>
        <translation>它不是 Joplin 的条目：末尾的字段缺失或损坏。已略去。</translation>
    </message>
    <message>
        <source>It is no line of JSON that a memory server writes and was left out.</source>
        <translation>它不是记忆服务器写入的 JSON 行，已略去。</translation>
    </message>
    <message>
        <source>It is not JSON and was left out: {text}.</source>
        <translation>它不是 JSON，已略去：{text}。</translation>
    </message>
    <message>
        <source>It is not UTF-8 and was read as {encoding}; check its special letters.</source>
        <translation>它不是 UTF-8，已按 {encoding} 读取；请检查其中的特殊字符。</translation>
    </message>
    <message>
        <source>It is not UTF-8; check its special letters.</source>
        <translation>它不是 UTF-8；请检查其中的特殊字符。</translation>
    </message>
    <message>
        <source>It is not a JSON object and was left out.</source>
        <translation>它不是 JSON 对象，已略去。</translation>
    </message>
    <message>
        <source>It is not a complete zip file, so its notes were left out.</source>
        <translation>它不是完整的 zip 文件，因此其中的笔记被略去。</translation>
    </message>
    <message>
        <source>It is not a conversation of Cursor and was left out.</source>
        <translation>它不是 Cursor 的会话，已略去。</translation>
    </message>
    <message>
        <source>It is not a message of Signal and was left out.</source>
        <translation>它不是 Signal 的消息，已略去。</translation>
    </message>
    <message>
        <source>It is not an object and was left out.</source>
        <translation>它不是对象，已略去。</translation>
    </message>
    <message>
        <source>It is not complete JSON, or has no messages, and was left out.</source>
        <translation>它不是完整的 JSON 或没有消息，已略去。</translation>
    </message>
    <message>
        <source>It is not complete JSON, or too large, and was left out.</source>
        <translation>它不是完整的 JSON 或过大，已略去。</translation>
    </message>
    <message>
        <source>It is not in the file, and was left out.</source>
        <translation>它不在文件中，已略去。</translation>
    </message>
    <message>
        <source>It is not read. Move it out of the folder.</source>
        <translation>它不会被读取。请将其移出文件夹。</translation>
    </message>
    <message>
        <source>It is not text and was left out.</source>
        <translation>它不是文本，已略去。</translation>
    </message>
    <message>
        <source>It is not text, in spite of its name, and was left out.</source>
        <translation>尽管名称如此，它不是文本，已略去。</translation>
    </message>
    <message>
        <source>It is not text, in spite of its name; it was left out.</source>
        <translation>尽管名称如此，它不是文本；已略去。</translation>
    </message>
    <message>
        <source>It is not valid JSON and was left out: {error}.</source>
        <translation>它不是有效的 JSON，已略去：{error}。</translation>
    </message>
    <message>
        <source>It is not valid JSON: line {line} cannot be read.</source>
        <translation>这不是有效的 JSON：第 {line} 行无法读取。</translation>
    </message>
    <message>
        <source>It is not valid TOML: {reason}.</source>
        <translation>这不是有效的 TOML：{reason}。</translation>
    </message>
    <message>
        <source>It is switched off in the settings.</source>
        <translation>它在设置中已关闭。</translation>
    </message>
    <message>
        <source>It leads out of the attachments folder, so it is not shown.</source>
        <translation>它指向附件文件夹之外，因此不显示。</translation>
    </message>
    <message>
        <source>It needs its passphrase or key and was left out; import it alone.</source>
        <translation>它需要密码短语或密钥，已略去；请单独导入。</translation>
    </message>
    <message>
        <source>It ran already.</source>
        <translation>当时它已在运行。</translation>
    </message>
    <message>
        <source>It ran on {machine}.</source>
        <translation>它已在 {machine} 上运行。</translation>
    </message>
    <message>
        <source>It stopped because of a fault in Keepsake ({kind}).</source>
        <translation>因 Keepsake 的错误而停止（{kind}）。</translation>
    </message>
    <message>
        <source>It takes the vault&apos;s place when Keepsake is started again; until then nothing changes.</source>
        <translation>它会在 Keepsake 下次启动时取代记忆库；在此之前不会有任何变化。</translation>
    </message>
    <message>
        <source>It takes {values}.</source>
        <translation>可用的值：{values}。</translation>
    </message>
    <message>
        <source>It waited after a failure.</source>
        <translation>失败之后等待了一段时间。</translation>
    </message>
    <message>
        <source>It waited because incognito was on.</source>
        <translation>因无痕模式开启而等待。</translation>
    </message>
    <message>
        <source>It waited because {agent}, who made it, was paused.</source>
        <translation>因创建它的 {agent} 已暂停而等待。</translation>
    </message>
    <message>
        <source>It waited for a language model or an agent.</source>
        <translation>它在等待语言模型或智能体。</translation>
    </message>
    <message>
        <source>It waited: {why}</source>
        <translation>它等待过：{why}</translation>
    </message>
    <message>
        <source>It waited: {why}.</source>
        <translation>它等待过：{why}。</translation>
    </message>
    <message>
        <source>It waits already.</source>
        <translation>它已在等待。</translation>
    </message>
    <message>
        <source>It was accepted already.</source>
        <translation>它已被接受。</translation>
    </message>
    <message>
        <source>It was checked and is sound.</source>
        <translation>已检查，状况良好。</translation>
    </message>
    <message>
        <source>It was left out.</source>
        <translation>已略去。</translation>
    </message>
    <message>
        <source>It was left out: {error}.</source>
        <translation>已略去：{error}。</translation>
    </message>
    <message>
        <source>It was left out: {reason}.</source>
        <translation>已略去：{reason}。</translation>
    </message>
    <message>
        <source>It was missed.</source>
        <translation>错过了。</translation>
    </message>
    <message>
        <source>It was not finished: {why}</source>
        <translation>未完成：{why}</translation>
    </message>
    <message>
        <source>It was rejected already.</source>
        <translation>它已被拒绝。</translation>
    </message>
    <message>
        <source>It was stopped after 1 turn.</source>
        <translation>1 轮之后停止。</translation>
    </message>
    <message>
        <source>It was stopped after {count} turns.</source>
        <translation>{count} 轮之后停止。</translation>
    </message>
    <message>
        <source>It was stopped after {seconds} seconds.</source>
        <translation>{seconds} 秒之后停止。</translation>
    </message>
    <message>
        <source>It was stopped because it cost {cost}; {most} is allowed.</source>
        <translation>因花费 {cost} 而停止；允许 {most}。</translation>
    </message>
    <message>
        <source>It was stopped because the conversation with the model became too long.</source>
        <translation>因与模型的对话过长而停止。</translation>
    </message>
    <message>
        <source>It was stopped on request.</source>
        <translation>已按请求停止。</translation>
    </message>
    <message>
        <source>It was stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>It was the turn of another of your machines.</source>
        <translation>当时轮到你的另一台电脑。</translation>
    </message>
    <message>
        <source>It was the turn of {machine}.</source>
        <translation>当时轮到 {machine}。</translation>
    </message>
    <message>
        <source>It went in without {names}, whose value cannot be read; it is kept in &apos;meta&apos;.</source>
        <translation>它已导入，但不含 {names}，因为其值无法读取；该值保留在“meta”中。</translation>
    </message>
    <message>
        <source>Item {place} has {count} characters; at most {max_item_characters} are allowed.</source>
        <translation>第 {place} 项有 {count} 个字符；最多允许 {max_item_characters} 个。</translation>
    </message>
    <message>
        <source>Its XML is damaged ({why}).</source>
        <translation>其 XML 已损坏（{why}）。</translation>
    </message>
    <message>
        <source>Its dates are of the {name} calendar and were converted.</source>
        <translation>其日期采用 {name} 历法，已换算。</translation>
    </message>
    <message>
        <source>Its dates may mean day or month first; they were read with the day first.</source>
        <translation>其日期可能日在前或月在前；已按日在前读取。</translation>
    </message>
    <message>
        <source>Its dates may mean day or month first; they were read with the month first.</source>
        <translation>其日期可能日在前或月在前；已按月在前读取。</translation>
    </message>
    <message>
        <source>Its documents (&apos;docs&apos;) are no list and were left out.</source>
        <translation>其文档（“docs”）不是列表，已略去。</translation>
    </message>
    <message>
        <source>Its entity has no name that can be stored and was left out.</source>
        <translation>其实体没有可存储的名称，已略去。</translation>
    </message>
    <message>
        <source>Its folder</source>
        <translation>其文件夹</translation>
    </message>
    <message>
        <source>Its front matter is nested or repeated beyond reason; it stays part of the text.</source>
        <translation>文前元数据嵌套或重复过多；它将保留为正文的一部分。</translation>
    </message>
    <message>
        <source>Its front matter is not YAML ({reason}); it stays part of the text.</source>
        <translation>文前元数据不是 YAML（{reason}）；它将保留为正文的一部分。</translation>
    </message>
    <message>
        <source>Its front matter is not YAML, line {line} ({reason}); it stays part of the text.</source>
        <translation>文前元数据不是 YAML，第 {line} 行（{reason}）；它将保留为正文的一部分。</translation>
    </message>
    <message>
        <source>Its inline table cannot be told from others, so nothing can be added to it.</source>
        <translation>无法将其内联表与其他表区分，因此无法添加内容。</translation>
    </message>
    <message>
        <source>Its message is not JSON and was left out.</source>
        <translation>其消息不是 JSON，已略去。</translation>
    </message>
    <message>
        <source>Its number is not greater than the last one stored of session {session_id}, and its text is another.</source>
        <translation>其编号不大于会话 {session_id} 中最后存储的编号，且文本不同。</translation>
    </message>
    <message>
        <source>Its number {seq} does not follow {key}; it was kept in the order of the file.</source>
        <translation>其编号 {seq} 不接续 {key}；已按文件中的顺序保留。</translation>
    </message>
    <message>
        <source>Its path leads out of the archive; it was left out.</source>
        <translation>其路径指向归档之外；已略去。</translation>
    </message>
    <message>
        <source>Its relation has no two ends with names and was left out.</source>
        <translation>其关系的两端没有名称，已略去。</translation>
    </message>
    <message>
        <source>Its role {shown} is none of {roles}; it was left out.</source>
        <translation>其角色 {shown} 不在 {roles} 之中；已略去。</translation>
    </message>
    <message>
        <source>Its role {shown} is unknown; it went in as &apos;system&apos;.</source>
        <translation>其角色 {shown} 未知；已作为“system”导入。</translation>
    </message>
    <message>
        <source>Its sender {text} is unknown; it went in as &apos;system&apos;.</source>
        <translation>其发送者 {text} 未知；已作为“system”导入。</translation>
    </message>
    <message>
        <source>Its text has no end.</source>
        <translation>其文本缺少结尾。</translation>
    </message>
    <message>
        <source>Its text is encrypted and was left out. Decrypt the mail, and export it again.</source>
        <translation>其文本已加密，已略去。请解密该邮件后重新导出。</translation>
    </message>
    <message>
        <source>Its text is longer than {most} million characters; the rest was left out.</source>
        <translation>其文本超过 {most} 百万个字符；其余部分被略去。</translation>
    </message>
    <message>
        <source>Its text is not in the agent file.</source>
        <translation>其文本不在智能体文件中。</translation>
    </message>
    <message>
        <source>Its text is not {charset}, as it says; it was read as {encoding}.</source>
        <translation>其文本并非所声称的 {charset}；已按 {encoding} 读取。</translation>
    </message>
    <message>
        <source>Its text was read as far as it goes.</source>
        <translation>其文本已读取到可读之处。</translation>
    </message>
    <message>
        <source>Its time has passed. Give it a new one.</source>
        <translation>其时间已过。请设置新的时间。</translation>
    </message>
    <message>
        <source>Job {key} is running already.</source>
        <translation>任务 {key} 已在运行。</translation>
    </message>
    <message>
        <source>Join 1 short name of a person to the full name near it.</source>
        <translation>将 1 个人物短名与其附近的全名合并。</translation>
    </message>
    <message>
        <source>Join {count} short names of people to the full names near them.</source>
        <translation>将 {count} 个人物短名与其附近的全名合并。</translation>
    </message>
    <message>
        <source>Joined 1 short name of a person to the full name near it.</source>
        <translation>已将 1 个人物短名与其附近的全名合并。</translation>
    </message>
    <message>
        <source>Joined {count} short names of people to the full names near them.</source>
        <translation>已将 {count} 个人物短名与其附近的全名合并。</translation>
    </message>
    <message>
        <source>Joplin export</source>
        <translation>Joplin 导出</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Keep a log of what the engine does, never of content.</source>
        <translation>记录引擎的操作，绝不记录内容。</translation>
    </message>
    <message>
        <source>Keep runs</source>
        <translation>保留的运行</translation>
    </message>
    <message>
        <source>Keep the database quick, small and sound, and verify the latest backup.</source>
        <translation>保持数据库快速、小巧、完好，并验证最近的备份。</translation>
    </message>
    <message>
        <source>Keep the text of agents&apos; searches in the ledger. When off, only a keyed hash of it, which nobody can read.</source>
        <translation>在访问账本中保留智能体搜索的文本。关闭时只保留无人可读的带密钥哈希。</translation>
    </message>
    <message>
        <source>Keepsake does not know how long the vectors of this model are; set embedding.dimensions to a number from 1 to {most}.</source>
        <translation>Keepsake 不知道该模型的向量长度；请将 embedding.dimensions 设为 1 到 {most} 之间的数。</translation>
    </message>
    <message>
        <source>Keepsake does not know this program, or its token was replaced by a newer one. Use the newest token, or call &apos;agent.request_access&apos; and have the person allow &apos;{agent}&apos; in Keepsake&apos;s window or with &apos;keepsake agent allow&apos;.</source>
        <translation>Keepsake 不认识此程序，或其令牌已被更新的令牌取代。请使用最新的令牌，或调用“agent.request_access”，并请本人在 Keepsake 窗口中或用“keepsake agent allow”允许“{agent}”。</translation>
    </message>
    <message>
        <source>Keepsake export</source>
        <translation>Keepsake 导出</translation>
    </message>
    <message>
        <source>Keepsake has too many files and connections open. Close some clients, or allow more (ulimit -n).</source>
        <translation>Keepsake 打开的文件和连接过多。请关闭一些客户端，或提高上限（ulimit -n）。</translation>
    </message>
    <message>
        <source>Keepsake is closing; the keyring is not asked any more.</source>
        <translation>Keepsake 正在关闭；不再询问密钥环。</translation>
    </message>
    <message>
        <source>Keepsake is not running for {vault}. Open its window or run &apos;keepsake serve&apos;.</source>
        <translation>没有为 {vault} 运行的 Keepsake。请打开其窗口，或运行“keepsake serve”。</translation>
    </message>
    <message>
        <source>Keepsake runs but is too busy to take another program now. Try again shortly.</source>
        <translation>Keepsake 正在运行，但太忙，暂时无法接受其他程序。请稍后再试。</translation>
    </message>
    <message>
        <source>Keepsake runs its own schedules itself.</source>
        <translation>Keepsake 自己的计划由它自行运行。</translation>
    </message>
    <message>
        <source>Keepsake shows only files of the vault&apos;s attachments folder.</source>
        <translation>Keepsake 只显示库的附件文件夹中的文件。</translation>
    </message>
    <message>
        <source>Keepsake was closed meanwhile.</source>
        <translation>Keepsake 在此期间已关闭。</translation>
    </message>
    <message>
        <source>Keepsake was closed while it was asked. Start it again and repeat this.</source>
        <translation>Keepsake 在处理请求时被关闭。请重新启动它并重复此操作。</translation>
    </message>
    <message>
        <source>Keepsake&apos;s own work has no trust to change.</source>
        <translation>Keepsake 自身的工作没有可更改的信任级别。</translation>
    </message>
    <message>
        <source>Keys that differ from the usual ones, as a JSON object of actions and keys.</source>
        <translation>与默认不同的按键，以动作和按键的 JSON 对象表示。</translation>
    </message>
    <message>
        <source>Language of the window; &apos;system&apos; is that of the computer, where Keepsake speaks it, else English.</source>
        <translation>窗口语言；“system”为电脑的语言（若 Keepsake 支持），否则为英语。</translation>
    </message>
    <message>
        <source>Late interaction has not read {waiting} of the first {hits} results yet; until then they count by words and meaning alone.</source>
        <translation>延迟交互尚未读取前 {hits} 条结果中的 {waiting} 条;在此之前,这些结果只按词语和含义计分。</translation>
    </message>
    <message>
        <source>Latest messages in an agent&apos;s context.</source>
        <translation>智能体上下文中的最近消息数。</translation>
    </message>
    <message>
        <source>Latest messages that the recipe &apos;tri&apos; takes.</source>
        <translation>配方“tri”采用的最近消息数。</translation>
    </message>
    <message>
        <source>Latest turns of this conversation</source>
        <translation>此会话的最近轮次</translation>
    </message>
    <message>
        <source>Learned</source>
        <translation>学习所得</translation>
    </message>
    <message>
        <source>Length of the vectors a remote model is asked for; 0 for its own.</source>
        <translation>向远程模型请求的向量长度；0 为其默认。</translation>
    </message>
    <message>
        <source>Let 1 fact fade.</source>
        <translation>让 1 条事实淡忘。</translation>
    </message>
    <message>
        <source>Let facts that are not used lose confidence, and set aside those that faded.</source>
        <translation>让未使用的事实降低置信度，并搁置已淡忘的。</translation>
    </message>
    <message>
        <source>Let facts that are not used lose confidence.</source>
        <translation>让未使用的事实降低置信度。</translation>
    </message>
    <message>
        <source>Let reads go on while something is written; off, for file systems that cannot share memory, is far slower.</source>
        <translation>允许写入时读取；关闭（用于不能共享内存的文件系统）会慢得多。</translation>
    </message>
    <message>
        <source>Let {count} facts fade.</source>
        <translation>让 {count} 条事实淡忘。</translation>
    </message>
    <message>
        <source>Letta</source>
        <translation>Letta</translation>
    </message>
    <message>
        <source>Lexical weight</source>
        <translation>词语权重</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Lines of the memory index.</source>
        <translation>记忆索引的行数。</translation>
    </message>
    <message>
        <source>Linked 1 name.</source>
        <translation>关联了 1 个名称。</translation>
    </message>
    <message>
        <source>Linked {count} names.</source>
        <translation>关联了 {count} 个名称。</translation>
    </message>
    <message>
        <source>Look into it with &apos;keepsake --vault&apos; in a folder of its own, then move it away; and keep the vault out of synchronised folders.</source>
        <translation>请在单独的文件夹中用“keepsake --vault”查看，然后将其移走；并且不要把记忆库放在同步文件夹中。</translation>
    </message>
    <message>
        <source>Look whether anything is missing, then delete the file.</source>
        <translation>请查看是否有缺失，然后删除该文件。</translation>
    </message>
    <message>
        <source>Looked after the vault</source>
        <translation>维护了记忆库</translation>
    </message>
    <message>
        <source>Looked at conversations</source>
        <translation>查看了会话</translation>
    </message>
    <message>
        <source>Looked at its proposals</source>
        <translation>查看了它的提议</translation>
    </message>
    <message>
        <source>Looked at notes</source>
        <translation>查看了笔记</translation>
    </message>
    <message>
        <source>Looked at reflections</source>
        <translation>查看了反思</translation>
    </message>
    <message>
        <source>Looked at saved searches</source>
        <translation>查看了已保存的搜索</translation>
    </message>
    <message>
        <source>Looked at settings</source>
        <translation>查看了设置</translation>
    </message>
    <message>
        <source>Looked at tags</source>
        <translation>查看了标签</translation>
    </message>
    <message>
        <source>Looked at the archive</source>
        <translation>查看了归档</translation>
    </message>
    <message>
        <source>Looked at the timeline</source>
        <translation>查看了时间线</translation>
    </message>
    <message>
        <source>Looked at transcripts</source>
        <translation>查看了会话记录</translation>
    </message>
    <message>
        <source>Looked at upkeep</source>
        <translation>查看了维护情况</translation>
    </message>
    <message>
        <source>Looked up people and things</source>
        <translation>查询了人物和事物</translation>
    </message>
    <message>
        <source>Lower {parts}, or raise sessions.budget.</source>
        <translation>请调低 {parts}，或调高 sessions.budget。</translation>
    </message>
    <message>
        <source>Lowered the confidence of {items}</source>
        <translation>降低了{items}的可信度</translation>
    </message>
    <message>
        <source>MCP memory server</source>
        <translation>MCP 记忆服务器</translation>
    </message>
    <message>
        <source>MCP memory service</source>
        <translation>MCP 记忆服务</translation>
    </message>
    <message>
        <source>Made 1 conversation for messages that had none.</source>
        <translation>已为没有会话的消息创建 1 个会话。</translation>
    </message>
    <message>
        <source>Made the index {name} anew.</source>
        <translation>已重建索引 {name}。</translation>
    </message>
    <message>
        <source>Made the search index of 1 message or memory anew.</source>
        <translation>已重建 1 条消息或记忆的搜索索引。</translation>
    </message>
    <message>
        <source>Made the search index of {count} messages and memories anew.</source>
        <translation>已重建 {count} 条消息和记忆的搜索索引。</translation>
    </message>
    <message>
        <source>Made {count} conversations for messages that had none.</source>
        <translation>已为没有会话的消息创建 {count} 个会话。</translation>
    </message>
    <message>
        <source>Made {name} readable for you only.</source>
        <translation>已将 {name} 设为仅你可读。</translation>
    </message>
    <message>
        <source>Mails</source>
        <translation>邮件</translation>
    </message>
    <message>
        <source>Make vectors in the background, for search by meaning.</source>
        <translation>在后台生成向量，用于按含义搜索。</translation>
    </message>
    <message>
        <source>Making a backup</source>
        <translation>正在备份</translation>
    </message>
    <message>
        <source>Markdown notes</source>
        <translation>Markdown 笔记</translation>
    </message>
    <message>
        <source>Max history</source>
        <translation>最大历史</translation>
    </message>
    <message>
        <source>Max output tokens</source>
        <translation>最大输出词元数</translation>
    </message>
    <message>
        <source>Megabytes</source>
        <translation>兆字节</translation>
    </message>
    <message>
        <source>Memories and messages searched in one run.</source>
        <translation>一次运行搜索的记忆和消息数。</translation>
    </message>
    <message>
        <source>Memories candidate similarity</source>
        <translation>候选记忆相似度</translation>
    </message>
    <message>
        <source>Memories conflict confidence</source>
        <translation>矛盾时的置信度</translation>
    </message>
    <message>
        <source>Memories decay rate</source>
        <translation>记忆衰减率</translation>
    </message>
    <message>
        <source>Memories duplicate similarity</source>
        <translation>重复记忆相似度</translation>
    </message>
    <message>
        <source>Memories it looks at.</source>
        <translation>它查看的记忆数。</translation>
    </message>
    <message>
        <source>Memories of an agent</source>
        <translation>某个智能体的记忆</translation>
    </message>
    <message>
        <source>Memories reconcile seconds</source>
        <translation>记忆核对秒数</translation>
    </message>
    <message>
        <source>Memory index</source>
        <translation>记忆索引</translation>
    </message>
    <message>
        <source>Mentioned {items} again</source>
        <translation>再次提到了{items}</translation>
    </message>
    <message>
        <source>Merged {items}</source>
        <translation>合并了{items}</translation>
    </message>
    <message>
        <source>Message number {seq} is not greater than {previous}, the last of session {session}.</source>
        <translation>消息编号 {seq} 不大于 {previous}（会话 {session} 的最后一条）。</translation>
    </message>
    <message>
        <source>Messages consolidated in one step.</source>
        <translation>每步整理的消息数。</translation>
    </message>
    <message>
        <source>Messages of a conversation that agents are given.</source>
        <translation>提供给智能体的会话消息数。</translation>
    </message>
    <message>
        <source>Messages of an agent</source>
        <translation>某个智能体的消息</translation>
    </message>
    <message>
        <source>Messages of each conversation in use that are held in memory.</source>
        <translation>每个使用中会话保留在内存中的消息数。</translation>
    </message>
    <message>
        <source>Messages that a compaction leaves as they are.</source>
        <translation>压缩时保持原样的消息数。</translation>
    </message>
    <message>
        <source>Messages that a turn must have for that.</source>
        <translation>触发记录所需的每轮最少消息数。</translation>
    </message>
    <message>
        <source>Messages that an emergency leaves.</source>
        <translation>紧急情况下保留的消息数。</translation>
    </message>
    <message>
        <source>Messages without which nothing is condensed.</source>
        <translation>少于此数的消息不压缩。</translation>
    </message>
    <message>
        <source>Messenger or Instagram</source>
        <translation>Messenger 或 Instagram</translation>
    </message>
    <message>
        <source>Milliseconds to wait while another program holds the database.</source>
        <translation>其他程序占用数据库时等待的毫秒数。</translation>
    </message>
    <message>
        <source>Min interval</source>
        <translation>最小间隔</translation>
    </message>
    <message>
        <source>Minimum seconds between two runs of a schedule.</source>
        <translation>同一计划两次运行之间的最少秒数。</translation>
    </message>
    <message>
        <source>Minutes without use after which the window locks an encrypted vault; 0 for never.</source>
        <translation>加密库在无人使用多少分钟后由窗口锁定；0 表示从不。</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Model of fastembed that adds its judgement to the order of the first 50 results; empty for none. A cross-encoder reads them again at each search, a late interaction model reads all texts once in the background.</source>
        <translation>fastembed 的模型,其判断会计入前 50 条结果的排序;留空表示不用。交叉编码器在每次搜索时重新读取这些结果,延迟交互模型则在后台把所有文本读取一遍。</translation>
    </message>
    <message>
        <source>Monday</source>
        <translation>星期一</translation>
    </message>
    <message>
        <source>Monthly backups that are kept.</source>
        <translation>保留的每月备份数。</translation>
    </message>
    <message>
        <source>More than one item has an id that ends as {short} does: {candidates}. Give the whole id.</source>
        <translation>有多个条目的标识以 {short} 的结尾相同：{candidates}。请给出完整的标识。</translation>
    </message>
    <message>
        <source>Move it away; it cannot be restored.</source>
        <translation>请将其移走；它无法恢复。</translation>
    </message>
    <message>
        <source>Name a file or a folder: &apos;path&apos; is empty or has a character no path can have.</source>
        <translation>请指定文件或文件夹：“path”为空，或含有路径中不能有的字符。</translation>
    </message>
    <message>
        <source>Name a schedule of yours.</source>
        <translation>请指定你自己的一个计划。</translation>
    </message>
    <message>
        <source>Name a session or a channel to restore.</source>
        <translation>请指定要恢复的会话或频道。</translation>
    </message>
    <message>
        <source>Name an agent; what the person did is undone with &apos;memory.undo&apos;.</source>
        <translation>请指定智能体；你自己的操作可用“memory.undo”撤销。</translation>
    </message>
    <message>
        <source>Name another --vault.</source>
        <translation>请用 --vault 指定其他位置。</translation>
    </message>
    <message>
        <source>Name at least one other entity to merge into this one.</source>
        <translation>请至少指定一个要合并到此处的其他名称。</translation>
    </message>
    <message>
        <source>Name of a quicker model for small work; the other one when empty.</source>
        <translation>用于小任务的更快模型名称；留空则用主模型。</translation>
    </message>
    <message>
        <source>Name of the model as the service calls it.</source>
        <translation>服务所用的模型名称。</translation>
    </message>
    <message>
        <source>Name or folder of the spaCy pipeline; empty for the best installed one.</source>
        <translation>spaCy 流水线的名称或文件夹；留空则用已安装的最佳者。</translation>
    </message>
    <message>
        <source>Name the file or folder by its whole path, from the top or from &apos;~&apos;.</source>
        <translation>请用完整路径指明文件或文件夹，从根目录或“~”开始。</translation>
    </message>
    <message>
        <source>Name the items: &apos;id&apos; for one, &apos;ids&apos; for several.</source>
        <translation>请指定项目：单个用“id”，多个用“ids”。</translation>
    </message>
    <message>
        <source>Name the proposals: &apos;id&apos; for one, &apos;ids&apos; for several.</source>
        <translation>请指定提议：单条用“id”，多条用“ids”。</translation>
    </message>
    <message>
        <source>Name what to undo: either &apos;history_ids&apos; or a &apos;run_id&apos;.</source>
        <translation>请指定要撤销的内容：“history_ids”或“run_id”。</translation>
    </message>
    <message>
        <source>Names from it stay with people or things you changed, protected or connected yourself.</source>
        <translation>其中的名称仍保留在你自己更改、保护或关联过的人物或事物上。</translation>
    </message>
    <message>
        <source>Names up to which a memory or message has few.</source>
        <translation>名称数不超过此值的记忆或消息算作名称较少。</translation>
    </message>
    <message>
        <source>Neither spaCy nor a language model is there to find names with.</source>
        <translation>没有可用于查找名称的 spaCy 或语言模型。</translation>
    </message>
    <message>
        <source>Ner batch</source>
        <translation>名称识别批量</translation>
    </message>
    <message>
        <source>Ner spacy pipeline</source>
        <translation>名称识别 spaCy 流水线</translation>
    </message>
    <message>
        <source>No agent named &apos;{name}&apos; has a vault of its own. See &apos;agent.vaults&apos;.</source>
        <translation>没有名为“{name}”且拥有自己的库的智能体。请参阅“agent.vaults”。</translation>
    </message>
    <message>
        <source>No conversation waits.</source>
        <translation>没有等待中的会话。</translation>
    </message>
    <message>
        <source>No daily backups are made, while old observations are archived and in time deleted.</source>
        <translation>没有每日备份，而旧的观察会被归档并最终删除。</translation>
    </message>
    <message>
        <source>No fact faded.</source>
        <translation>没有事实淡忘。</translation>
    </message>
    <message>
        <source>No fact has to fade.</source>
        <translation>没有事实需要淡忘。</translation>
    </message>
    <message>
        <source>No item has such a tag.</source>
        <translation>没有内容带有该标签。</translation>
    </message>
    <message>
        <source>No keyring is used here; name an environment variable.</source>
        <translation>此处不使用密钥环；请指定一个环境变量。</translation>
    </message>
    <message>
        <source>No language model is configured; see the settings llm.*.</source>
        <translation>尚未配置语言模型；请查看设置 llm.*。</translation>
    </message>
    <message>
        <source>No line of it begins with a date and a time as in a chat of WhatsApp, so nothing was taken from it. Export the chat again, or import the file as a note with the format &apos;markdown&apos;.</source>
        <translation>没有一行像 WhatsApp 聊天那样以日期和时间开头，因此未采纳任何内容。请重新导出聊天，或用“markdown”格式将文件导入为笔记。</translation>
    </message>
    <message>
        <source>No memory was chosen, so there is nothing to put into a capsule.</source>
        <translation>未选择任何记忆，因此没有内容可放入胶囊。</translation>
    </message>
    <message>
        <source>No model could be asked: {why}</source>
        <translation>无法询问任何模型：{why}</translation>
    </message>
    <message>
        <source>No observation is old enough.</source>
        <translation>没有足够旧的观察。</translation>
    </message>
    <message>
        <source>No observation was old enough.</source>
        <translation>当时没有足够旧的观察。</translation>
    </message>
    <message>
        <source>No other text of that id is kept for this memory.</source>
        <translation>这条记忆没有保留该标识的其他文本。</translation>
    </message>
    <message>
        <source>No other vectors are being made; choose a model with &apos;embedding.change&apos; first.</source>
        <translation>没有正在生成的其他向量；请先用“embedding.change”选择模型。</translation>
    </message>
    <message>
        <source>No reflection was written.</source>
        <translation>没有写回顾。</translation>
    </message>
    <message>
        <source>No reflection was written: the last one is {age} old, and reflection.min_days asks for {days} days between two.</source>
        <translation>没有写回顾：上一篇距今 {age}，而 reflection.min_days 要求两篇之间相隔 {days} 天。</translation>
    </message>
    <message>
        <source>No reflection was written: the last {days} have {facts}, and reflection.min_facts asks for {least}.</source>
        <translation>没有写回顾：最近 {days} 有 {facts}，而 reflection.min_facts 要求 {least} 条。</translation>
    </message>
    <message>
        <source>No schedule runs, because the vault cannot be written: {why}</source>
        <translation>没有计划在运行，因为记忆库无法写入：{why}</translation>
    </message>
    <message>
        <source>No space left on device</source>
        <translation>磁盘上没有剩余空间</translation>
    </message>
    <message>
        <source>No such file or directory</source>
        <translation>没有该文件或文件夹</translation>
    </message>
    <message>
        <source>No such request for access waits. See &apos;keepsake agent requests&apos;.</source>
        <translation>没有这样的访问请求在等待。请参阅“keepsake agent requests”。</translation>
    </message>
    <message>
        <source>No text has any of the words {words}.</source>
        <translation>没有文本含有词语 {words} 中的任何一个。</translation>
    </message>
    <message>
        <source>No text has the word {words}.</source>
        <translation>没有文本含有词语 {words}。</translation>
    </message>
    <message>
        <source>No text was searched again.</source>
        <translation>没有重新搜索任何文本。</translation>
    </message>
    <message>
        <source>No time is both after and before what you asked, so nothing can match.</source>
        <translation>没有任何时间同时晚于和早于你所指定的时间，因此不可能有匹配。</translation>
    </message>
    <message>
        <source>Nobody let this machine in within ten minutes. Make a new invitation, and confirm it on the other machine.</source>
        <translation>十分钟内没有人批准此设备加入。请创建新的邀请，并在另一台设备上确认。</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>None of these messages and memories mentions it.</source>
        <translation>这些消息和记忆都没有提到它。</translation>
    </message>
    <message>
        <source>Not a directory</source>
        <translation>不是文件夹</translation>
    </message>
    <message>
        <source>Not everything of your other machines is here yet. {reason}</source>
        <translation>你其他设备上的内容尚未全部到达。{reason}</translation>
    </message>
    <message>
        <source>Not forgotten yet on: {machines}. Each forgets it when it next meets the others.</source>
        <translation>尚未在以下设备上遗忘：{machines}。每台设备会在下次与其他设备同步时遗忘它。</translation>
    </message>
    <message>
        <source>Not heard of for half a year: {machines}. The place keeps no changes for such a machine one by one; it takes them from the snapshot there when it comes back, and nothing that it wrote is lost.</source>
        <translation>半年没有消息的设备：{machines}。该位置不再为这样的设备逐条保留更改；它回来时会从那里的快照中获取，它所写的内容不会丢失。</translation>
    </message>
    <message>
        <source>Nothing could be read after line {line}: {error}.</source>
        <translation>第 {line} 行之后无法读取：{error}。</translation>
    </message>
    <message>
        <source>Nothing could be read from here on, because it is broken ({line}).</source>
        <translation>从这里起无法读取，因为已损坏（{line}）。</translation>
    </message>
    <message>
        <source>Nothing could be read from here on, because the file is cut off ({line}).</source>
        <translation>从这里起无法读取，因为文件被截断（{line}）。</translation>
    </message>
    <message>
        <source>Nothing here seems to answer this: what fits best was not said by whom you name.</source>
        <translation>这里似乎没有内容能回答：最相符的内容并非你所指的人所说。</translation>
    </message>
    <message>
        <source>Nothing in it is a conversation or a note that this version knows.</source>
        <translation>其中没有此版本认识的会话或笔记。</translation>
    </message>
    <message>
        <source>Nothing is left to undo of that run.</source>
        <translation>该次运行已没有可撤销的内容。</translation>
    </message>
    <message>
        <source>Nothing is sent: no language model is configured.</source>
        <translation>不会发送任何内容：未配置语言模型。</translation>
    </message>
    <message>
        <source>Nothing is shared there yet. Look whether it is the address of the invitation.</source>
        <translation>那里尚未共享任何内容。请检查地址是否与邀请中的一致。</translation>
    </message>
    <message>
        <source>Nothing matches that.</source>
        <translation>没有与之匹配的内容。</translation>
    </message>
    <message>
        <source>Nothing of that machine waits for you up to that change.</source>
        <translation>那台设备到该更改为止没有内容等待你确认。</translation>
    </message>
    <message>
        <source>Nothing of what was written can be read. Restore a backup: &apos;keepsake backup list&apos; shows them.</source>
        <translation>写入的内容都无法读取。请恢复备份：“keepsake backup list”会列出它们。</translation>
    </message>
    <message>
        <source>Nothing old is taken away from the place until Keepsake is updated on: {machines}.</source>
        <translation>在以下设备更新 Keepsake 之前，该位置不会清除任何旧内容：{machines}。</translation>
    </message>
    <message>
        <source>Nothing says “{phrase}” word for word, so its words were searched.</source>
        <translation>没有内容逐字包含“{phrase}”，因此搜索了其中的词语。</translation>
    </message>
    <message>
        <source>Nothing that {agent} wrote is in quarantine.</source>
        <translation>{agent} 写入的内容都不在隔离中。</translation>
    </message>
    <message>
        <source>Nothing was changed. &apos;keepsake backup list&apos; shows what can be restored, and &apos;keepsake salvage&apos; saves what is readable.</source>
        <translation>未作任何更改。“keepsake backup list”会列出可恢复的内容，“keepsake salvage”可保存可读的部分。</translation>
    </message>
    <message>
        <source>Notion export</source>
        <translation>Notion 导出</translation>
    </message>
    <message>
        <source>Number of similar observations that make a digest.</source>
        <translation>多少条相似观察合成一篇摘编。</translation>
    </message>
    <message>
        <source>Old proposals could not be set aside: {why}</source>
        <translation>无法搁置旧的提议：{why}</translation>
    </message>
    <message>
        <source>Older files of the trace that are kept.</source>
        <translation>保留的旧日志文件数。</translation>
    </message>
    <message>
        <source>On switch</source>
        <translation>切换时</translation>
    </message>
    <message>
        <source>One of these entities is not there. Create it first.</source>
        <translation>这些名称中有一个不存在。请先创建它。</translation>
    </message>
    <message>
        <source>Only a remote service has a key: {choices}.</source>
        <translation>只有远程服务才有密钥：{choices}。</translation>
    </message>
    <message>
        <source>Only facts can be confirmed, and this is of the kind {kind}. Remember what is certain as a fact.</source>
        <translation>只能确认事实，而这是其他类型（{kind}）。请将确定的内容记为事实。</translation>
    </message>
    <message>
        <source>Only notes can be merged; leave facts and other memories out.</source>
        <translation>只能合并笔记；请排除事实和其他记忆。</translation>
    </message>
    <message>
        <source>Only one proposal at a time can be changed.</source>
        <translation>一次只能更改一条提议。</translation>
    </message>
    <message>
        <source>Only programs with full trust choose ids. Leave &apos;id&apos; out to get one.</source>
        <translation>只有完全信任的程序才能选择 ID。省略“id”即可获得一个。</translation>
    </message>
    <message>
        <source>Only the first {count} are listed.</source>
        <translation>只列出前 {count} 个。</translation>
    </message>
    <message>
        <source>Only the first {most} characters were searched.</source>
        <translation>仅搜索了前 {most} 个字符。</translation>
    </message>
    <message>
        <source>Only the first {most} words were searched.</source>
        <translation>仅搜索了前 {most} 个词语。</translation>
    </message>
    <message>
        <source>Only the format &apos;encrypted&apos; takes a passphrase; a {format_name} export is not encrypted.</source>
        <translation>只有“encrypted”格式使用密码短语；{format_name} 导出不加密。</translation>
    </message>
    <message>
        <source>Only the {most} most recently archived memories were searched.</source>
        <translation>仅搜索了最近归档的 {most} 条记忆。</translation>
    </message>
    <message>
        <source>Only the {most} most recently superseded memories were searched.</source>
        <translation>仅搜索了最近被取代的 {most} 条记忆。</translation>
    </message>
    <message>
        <source>Open it with --vault, or export it there and import the file.</source>
        <translation>请用 --vault 打开它，或在那里导出后再导入该文件。</translation>
    </message>
    <message>
        <source>Open quick capture from anywhere, with a shortcut that the desktop grants.</source>
        <translation>通过桌面授予的快捷键，从任何地方打开快速记录。</translation>
    </message>
    <message>
        <source>Operation not permitted</source>
        <translation>不允许的操作</translation>
    </message>
    <message>
        <source>Other machines change the list of your machines at this moment. Try again.</source>
        <translation>其他设备正在更改你的设备列表。请重试。</translation>
    </message>
    <message>
        <source>Other machines share their memory there. Make an invitation on one of them, and join with its words.</source>
        <translation>其他设备已在那里共享记忆。请在其中一台上创建邀请，并用邀请中的单词加入。</translation>
    </message>
    <message>
        <source>Others on this machine may read {name}.</source>
        <translation>此电脑上的其他人可以读取 {name}。</translation>
    </message>
    <message>
        <source>PDF document</source>
        <translation>PDF 文档</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>页</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>没有权限</translation>
    </message>
    <message>
        <source>Pinned {items}</source>
        <translation>置顶了{items}</translation>
    </message>
    <message>
        <source>Poll</source>
        <translation>轮询</translation>
    </message>
    <message>
        <source>Positions must be finite numbers.</source>
        <translation>位置必须是有限的数字。</translation>
    </message>
    <message>
        <source>Preparing search</source>
        <translation>正在准备搜索</translation>
    </message>
    <message>
        <source>Preparing search by meaning with {name}</source>
        <translation>正在用 {name} 准备按含义搜索</translation>
    </message>
    <message>
        <source>Price of a million tokens that the model reads, in your currency.</source>
        <translation>模型读取一百万词元的价格，以你的货币计。</translation>
    </message>
    <message>
        <source>Price of a million tokens that the model writes, in your currency.</source>
        <translation>模型写出一百万词元的价格，以你的货币计。</translation>
    </message>
    <message>
        <source>Private texts are kept from the language model, so rules wrote it.</source>
        <translation>私密文本不交给语言模型，因此由规则撰写。</translation>
    </message>
    <message>
        <source>Private texts are not sent to {host}; the setting llm.send_private would allow it.</source>
        <translation>私密文本不会发送到 {host}；设置 llm.send_private 可允许发送。</translation>
    </message>
    <message>
        <source>Private texts were left out, for the settings keep them from the language model.</source>
        <translation>略去了私密文本，因为设置不让语言模型看到它们。</translation>
    </message>
    <message>
        <source>Propose 1 merge.</source>
        <translation>提议 1 次合并。</translation>
    </message>
    <message>
        <source>Propose {count} merges.</source>
        <translation>提议 {count} 次合并。</translation>
    </message>
    <message>
        <source>Proposed 1 merge of entities that may be one; see the inbox.</source>
        <translation>提议了 1 次可能相同条目的合并；请查看收件箱。</translation>
    </message>
    <message>
        <source>Proposed {count} merges of entities that may be one; see the inbox.</source>
        <translation>提议了 {count} 次可能相同条目的合并；请查看收件箱。</translation>
    </message>
    <message>
        <source>Put the key into its place, or choose a service that needs none.</source>
        <translation>请将密钥放到相应位置，或选择不需要密钥的服务。</translation>
    </message>
    <message>
        <source>Questions made from the vault were left out: private texts are not sent to {model}.</source>
        <translation>由记忆库生成的问题已略去：私密文本不会发送给 {model}。</translation>
    </message>
    <message>
        <source>Quiet seconds</source>
        <translation>安静秒数</translation>
    </message>
    <message>
        <source>RRF k</source>
        <translation>RRF k</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>频率</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>Read 1 conversation for lasting facts.</source>
        <translation>读取 1 个会话以寻找持久的事实。</translation>
    </message>
    <message>
        <source>Read a memory</source>
        <translation>读取了记忆</translation>
    </message>
    <message>
        <source>Read {count} conversations for lasting facts.</source>
        <translation>读取 {count} 个会话以寻找持久的事实。</translation>
    </message>
    <message>
        <source>Read {messages} of 1 conversation: {outcomes}.</source>
        <translation>读取了 1 个会话中的 {messages}：{outcomes}。</translation>
    </message>
    <message>
        <source>Read {messages} of {count} conversations: {outcomes}.</source>
        <translation>读取了 {count} 个会话中的 {messages}：{outcomes}。</translation>
    </message>
    <message>
        <source>Read-only file system</source>
        <translation>只读文件系统</translation>
    </message>
    <message>
        <source>Reading for names stopped after an error inside Keepsake ({error}). Restart it.</source>
        <translation>由于 Keepsake 内部出错，名称识别已停止（{error}）。请重新启动。</translation>
    </message>
    <message>
        <source>Reading texts for late interaction</source>
        <translation>正在为延迟交互读取文本</translation>
    </message>
    <message>
        <source>Reads that run side by side.</source>
        <translation>并行的读取数。</translation>
    </message>
    <message>
        <source>Recent conversations</source>
        <translation>最近的会话</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>配方</translation>
    </message>
    <message>
        <source>Recognising names</source>
        <translation>正在识别名称</translation>
    </message>
    <message>
        <source>Record the calls of your own programs too, such as the window&apos;s.</source>
        <translation>也记录你自己程序（如窗口）的调用。</translation>
    </message>
    <message>
        <source>Reflection day</source>
        <translation>反思日</translation>
    </message>
    <message>
        <source>Reflection days</source>
        <translation>反思天数</translation>
    </message>
    <message>
        <source>Reflection limit</source>
        <translation>反思上限</translation>
    </message>
    <message>
        <source>Reflection min days</source>
        <translation>反思最少天数</translation>
    </message>
    <message>
        <source>Reflection min facts</source>
        <translation>反思最少事实数</translation>
    </message>
    <message>
        <source>Reflection time</source>
        <translation>反思时间</translation>
    </message>
    <message>
        <source>Rejected {items}</source>
        <translation>拒绝了{items}</translation>
    </message>
    <message>
        <source>Rejected {items}, proposed by {agent}</source>
        <translation>拒绝了 {agent} 提议的{items}</translation>
    </message>
    <message>
        <source>Related turns of other conversations</source>
        <translation>其他会话的相关轮次</translation>
    </message>
    <message>
        <source>Releasing what {name} wrote</source>
        <translation>正在恢复显示 {name} 写入的内容</translation>
    </message>
    <message>
        <source>Relevant memory</source>
        <translation>相关记忆</translation>
    </message>
    <message>
        <source>Relevant messages in an agent&apos;s context.</source>
        <translation>智能体上下文中的相关消息数。</translation>
    </message>
    <message>
        <source>Relevant messages that the recipe &apos;tri&apos; takes at most.</source>
        <translation>配方“tri”最多采用的相关消息数。</translation>
    </message>
    <message>
        <source>Remembered a fact</source>
        <translation>记住了事实</translation>
    </message>
    <message>
        <source>Renamed {items}</source>
        <translation>重命名了{items}</translation>
    </message>
    <message>
        <source>Requested access</source>
        <translation>请求了访问权限</translation>
    </message>
    <message>
        <source>Reranker</source>
        <translation>重排模型</translation>
    </message>
    <message>
        <source>Reranker folder</source>
        <translation>重排模型文件夹</translation>
    </message>
    <message>
        <source>Restore a backup (&apos;keepsake backup list&apos;), or save what is readable with &apos;keepsake salvage&apos;; until then nothing is lost that is readable now.</source>
        <translation>请恢复备份（“keepsake backup list”），或用“keepsake salvage”保存可读的部分；在此之前，现在可读的内容不会丢失。</translation>
    </message>
    <message>
        <source>Restore another backup; delete this file if it is of no use.</source>
        <translation>请恢复其他备份；如果此文件没有用处，请删除。</translation>
    </message>
    <message>
        <source>Results shown at once.</source>
        <translation>一次显示的结果数。</translation>
    </message>
    <message>
        <source>Retain recent</source>
        <translation>保留最近</translation>
    </message>
    <message>
        <source>Retention</source>
        <translation>留存</translation>
    </message>
    <message>
        <source>Retention archive after days</source>
        <translation>多少天后归档</translation>
    </message>
    <message>
        <source>Retention compress after days</source>
        <translation>多少天后压缩</translation>
    </message>
    <message>
        <source>Retention compression min cluster size</source>
        <translation>压缩的最小组</translation>
    </message>
    <message>
        <source>Retention delete archive after days</source>
        <translation>归档多少天后删除</translation>
    </message>
    <message>
        <source>Retention max rows per run</source>
        <translation>每次运行最多行数</translation>
    </message>
    <message>
        <source>Retention time</source>
        <translation>留存处理时间</translation>
    </message>
    <message>
        <source>Row {row} of {table} points to nothing in {parent}.</source>
        <translation>{table} 的第 {row} 行在 {parent} 中没有对应。</translation>
    </message>
    <message>
        <source>Rows that each stage of one run changes at most.</source>
        <translation>每次运行各阶段最多更改的行数。</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Run &apos;keepsake backup&apos;; &apos;keepsake config set backup.daily true&apos; has one made every day.</source>
        <translation>请运行“keepsake backup”；“keepsake config set backup.daily true”可每天自动备份。</translation>
    </message>
    <message>
        <source>Run &apos;keepsake check --repair&apos;; only what can be made anew from the rest is.</source>
        <translation>请运行“keepsake check --repair”；只会重建可由其余内容重建的部分。</translation>
    </message>
    <message>
        <source>Run: chmod go-rwx {path}</source>
        <translation>请运行：chmod go-rwx {path}</translation>
    </message>
    <message>
        <source>Runs of a schedule that are kept.</source>
        <translation>保留的计划运行数。</translation>
    </message>
    <message>
        <source>SQLite reports: {what}.</source>
        <translation>SQLite 报告：{what}。</translation>
    </message>
    <message>
        <source>Salient messages that the recipe &apos;tri&apos; takes at most.</source>
        <translation>配方“tri”最多采用的突出消息数。</translation>
    </message>
    <message>
        <source>Saturday</source>
        <translation>星期六</translation>
    </message>
    <message>
        <source>Say what to archive: &apos;ids&apos;, or an age in &apos;older_than_days&apos;.</source>
        <translation>请说明要归档的内容：“ids”，或在“older_than_days”中给出天数。</translation>
    </message>
    <message>
        <source>Say what to forget: &apos;ids&apos; of memories and the like, or &apos;sessions&apos;.</source>
        <translation>请说明要遗忘的内容：记忆等项目的“ids”，或“sessions”。</translation>
    </message>
    <message>
        <source>Say which names, or which messages and memories, the second entity gets.</source>
        <translation>请说明第二个条目得到哪些名称，或哪些消息和记忆。</translation>
    </message>
    <message>
        <source>Schedules cannot run: {why}</source>
        <translation>计划无法运行：{why}</translation>
    </message>
    <message>
        <source>Search 1 text for names.</source>
        <translation>在 1 个文本中查找名称。</translation>
    </message>
    <message>
        <source>Search by meaning covers only the present, so the past was searched by words.</source>
        <translation>按含义搜索只涵盖当前内容，因此过去的内容按词语搜索。</translation>
    </message>
    <message>
        <source>Search by meaning is switched off. Set index.vectors to true and start Keepsake again.</source>
        <translation>按含义搜索已关闭。请将 index.vectors 设为 true 并重新启动 Keepsake。</translation>
    </message>
    <message>
        <source>Search by meaning was left out: {why}</source>
        <translation>未进行按含义搜索：{why}</translation>
    </message>
    <message>
        <source>Search for names</source>
        <translation>查找名称</translation>
    </message>
    <message>
        <source>Search memories and messages with few names again, and propose merges of entities.</source>
        <translation>重新搜索名称较少的记忆和消息，并提议合并名称。</translation>
    </message>
    <message>
        <source>Search texts with few names again, join names of one person, and propose to merge entities that may be one.</source>
        <translation>重新搜索名称较少的文本，合并同一人的名称，并建议合并可能是同一个的名称。</translation>
    </message>
    <message>
        <source>Search {count} texts for names.</source>
        <translation>在 {count} 个文本中查找名称。</translation>
    </message>
    <message>
        <source>Searched 1 text again.</source>
        <translation>重新搜索了 1 个文本。</translation>
    </message>
    <message>
        <source>Searched your memory</source>
        <translation>搜索了你的记忆</translation>
    </message>
    <message>
        <source>Searched {count} texts again.</source>
        <translation>重新搜索了 {count} 个文本。</translation>
    </message>
    <message>
        <source>Seconds after which a read is stopped.</source>
        <translation>读取多少秒后停止。</translation>
    </message>
    <message>
        <source>Seconds between two checks for due schedules.</source>
        <translation>两次检查到期计划之间的秒数。</translation>
    </message>
    <message>
        <source>Seconds between two looks at the transcripts.</source>
        <translation>两次查看会话记录之间的秒数。</translation>
    </message>
    <message>
        <source>Seconds that a model may take to judge a new memory.</source>
        <translation>模型判断一条新记忆最多用时秒数。</translation>
    </message>
    <message>
        <source>Seconds that one answer may take.</source>
        <translation>一个回答最多用时秒数。</translation>
    </message>
    <message>
        <source>Seconds that one run of a goal takes at most.</source>
        <translation>目标单次运行最多秒数。</translation>
    </message>
    <message>
        <source>Seconds without a turn after which a conversation counts as quiet.</source>
        <translation>多少秒没有新轮次后会话算安静。</translation>
    </message>
    <message>
        <source>Send conversations and private notes too to a remote embedding service; else they are found by words only.</source>
        <translation>也将会话和私密笔记发送到远程嵌入服务；否则只能按词找到它们。</translation>
    </message>
    <message>
        <source>Send private texts to a service that is not on this computer.</source>
        <translation>将私密文本发送到不在此电脑上的服务。</translation>
    </message>
    <message>
        <source>Session of an agent</source>
        <translation>智能体的会话</translation>
    </message>
    <message>
        <source>Session {known} was forgotten. Undo that, or use another id.</source>
        <translation>会话 {known} 已删除。请撤销，或使用其他标识。</translation>
    </message>
    <message>
        <source>Session {landed} was forgotten. Undo that, or use another key.</source>
        <translation>会话 {landed} 已删除。请撤销，或使用其他键。</translation>
    </message>
    <message>
        <source>Set it before the start, or leave {name} empty for the key in the keyring.</source>
        <translation>请在启动前设置，或将 {name} 留空以使用密钥环中的密钥。</translation>
    </message>
    <message>
        <source>Set one of them above 0.</source>
        <translation>请将其中一个设为大于 0。</translation>
    </message>
    <message>
        <source>Set {name} above {other}.</source>
        <translation>请将 {name} 设为大于 {other}。</translation>
    </message>
    <message>
        <source>Set {name} below {other}.</source>
        <translation>请将 {name} 设为小于 {other}。</translation>
    </message>
    <message>
        <source>Set {name} to true, or retention.enabled to false.</source>
        <translation>请将 {name} 设为 true，或将 retention.enabled 设为 false。</translation>
    </message>
    <message>
        <source>Set {name} to {other} or less.</source>
        <translation>请将 {name} 设为不大于 {other}。</translation>
    </message>
    <message>
        <source>Set {name} to {other} or more.</source>
        <translation>请将 {name} 设为不小于 {other}。</translation>
    </message>
    <message>
        <source>Set {name}, for example to &quot;{example}&quot;, or llm.provider to &quot;none&quot;.</source>
        <translation>请设置 {name}，例如 &quot;{example}&quot;，或将 llm.provider 设为 &quot;none&quot;。</translation>
    </message>
    <message>
        <source>Set {name}.</source>
        <translation>请设置 {name}。</translation>
    </message>
    <message>
        <source>Set {other} to {name}.</source>
        <translation>请将 {other} 设为 {name}。</translation>
    </message>
    <message>
        <source>Set {section}.api_key_env to the name of the environment variable that holds the key.</source>
        <translation>请将 {section}.api_key_env 设为存放密钥的环境变量的名称。</translation>
    </message>
    <message>
        <source>Share of its confidence a new fact loses in a day without use.</source>
        <translation>新事实一天不被使用所失去的置信度比例。</translation>
    </message>
    <message>
        <source>Share of meaning in the recipe &apos;weighted&apos;.</source>
        <translation>配方“weighted”中含义的占比。</translation>
    </message>
    <message>
        <source>Share of the budget above which older messages are condensed.</source>
        <translation>超过预算的此比例后压缩较早的消息。</translation>
    </message>
    <message>
        <source>Share of the budget that messages take at most once older ones are condensed.</source>
        <translation>压缩后消息最多占预算的比例。</translation>
    </message>
    <message>
        <source>Share of the facts that one run sets aside at most.</source>
        <translation>一次运行最多搁置的事实比例。</translation>
    </message>
    <message>
        <source>Share of the facts that the runs of 30 days set aside at most.</source>
        <translation>30 天内的运行最多搁置的事实比例。</translation>
    </message>
    <message>
        <source>Share of words in common from which a model judges two memories.</source>
        <translation>共同词语达到此比例时由模型判断两条记忆。</translation>
    </message>
    <message>
        <source>Share of words in common from which two facts count as the same.</source>
        <translation>共同词语达到此比例时两条事实视为相同。</translation>
    </message>
    <message>
        <source>Share of words in the recipe &apos;weighted&apos;.</source>
        <translation>配方“weighted”中词语的占比。</translation>
    </message>
    <message>
        <source>Show changes at once, without movement or flashes.</source>
        <translation>立即显示变化，不使用动画或闪烁。</translation>
    </message>
    <message>
        <source>Signal</source>
        <translation>Signal</translation>
    </message>
    <message>
        <source>Similarity above which a message is relevant.</source>
        <translation>超过此相似度的消息视为相关。</translation>
    </message>
    <message>
        <source>Similarity above which the recipe &apos;tri&apos; takes a message as relevant.</source>
        <translation>配方“tri”将消息视为相关的相似度下限。</translation>
    </message>
    <message>
        <source>Size at which a file of the trace is set aside for a new one.</source>
        <translation>日志文件达到此大小时换新文件。</translation>
    </message>
    <message>
        <source>Size of text and controls, in percent.</source>
        <translation>文字和控件的大小，以百分比计。</translation>
    </message>
    <message>
        <source>Skipped at {first}. {why}</source>
        <translation>跳过 {first}。{why}</translation>
    </message>
    <message>
        <source>Skipped {count} times from {first} to {last}. {why}</source>
        <translation>从 {first} 到 {last} 跳过 {count} 次。{why}</translation>
    </message>
    <message>
        <source>Slack</source>
        <translation>Slack</translation>
    </message>
    <message>
        <source>So much has changed since then that not all of it was searched.</source>
        <translation>此后变化太多，未能搜索全部内容。</translation>
    </message>
    <message>
        <source>Some bytes were not UTF-8 text and were replaced with �.</source>
        <translation>部分字节不是 UTF-8 文本，已替换为 �。</translation>
    </message>
    <message>
        <source>Some of it was not valid {encoding} and was replaced with �.</source>
        <translation>其中部分不是有效的 {encoding}，已替换为 �。</translation>
    </message>
    <message>
        <source>Something went wrong inside Keepsake ({kind}).</source>
        <translation>Keepsake 内部出错（{kind}）。</translation>
    </message>
    <message>
        <source>Stopped on request.</source>
        <translation>已按请求停止。</translation>
    </message>
    <message>
        <source>Store busy timeout</source>
        <translation>数据库忙等待时间</translation>
    </message>
    <message>
        <source>Store keys and passwords in transcripts and agents&apos; writes as they are; otherwise a mark replaces them.</source>
        <translation>按原样保存会话记录和智能体写入内容中的密钥与密码；否则以标记代替。</translation>
    </message>
    <message>
        <source>Store read limit</source>
        <translation>读取时限</translation>
    </message>
    <message>
        <source>Store readers</source>
        <translation>并行读取</translation>
    </message>
    <message>
        <source>Store wal</source>
        <translation>数据库 WAL</translation>
    </message>
    <message>
        <source>Summaries of recent conversations in a fully trusted agent&apos;s context.</source>
        <translation>完全信任的智能体上下文中最近会话的摘要数。</translation>
    </message>
    <message>
        <source>Summary characters</source>
        <translation>摘要字符数</translation>
    </message>
    <message>
        <source>Summary min turns</source>
        <translation>摘要最少轮数</translation>
    </message>
    <message>
        <source>Summary target</source>
        <translation>摘要目标</translation>
    </message>
    <message>
        <source>Summary trigger</source>
        <translation>摘要触发</translation>
    </message>
    <message>
        <source>Sunday</source>
        <translation>星期日</translation>
    </message>
    <message>
        <source>Superseded memories are searched by words alone; entity: finds nothing there.</source>
        <translation>被取代的记忆只按词语搜索；entity: 在那里找不到内容。</translation>
    </message>
    <message>
        <source>Supported are exports of {conversations}; Markdown notes of {notes}; transcripts of {transcripts}; chats and mails of {chats}; notes of {notebooks}; documents as {documents}; memories of {memories}.</source>
        <translation>支持以下内容：{conversations} 的导出；{notes} 的 Markdown 笔记；{transcripts} 的会话记录；{chats} 的聊天和邮件；{notebooks} 的笔记；{documents} 文档；{memories} 的记忆。</translation>
    </message>
    <message>
        <source>Switched off {items}</source>
        <translation>关闭了{items}</translation>
    </message>
    <message>
        <source>Switched on {items}</source>
        <translation>开启了{items}</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>Tables of these names belong to another role of the database. Name another schema.</source>
        <translation>这些名称的数据表属于数据库中的另一个角色。请指定另一个模式。</translation>
    </message>
    <message>
        <source>Take it out of the environment.</source>
        <translation>请将其从环境中移除。</translation>
    </message>
    <message>
        <source>Take it out, unless another version of Keepsake uses it.</source>
        <translation>请将其移除，除非另一个版本的 Keepsake 使用它。</translation>
    </message>
    <message>
        <source>Take it out.</source>
        <translation>请将其移除。</translation>
    </message>
    <message>
        <source>Take it out: &apos;keepsake secret set&apos; puts a key into the system&apos;s keyring, or it stays in the environment and embedding.api_key_env names the variable.</source>
        <translation>请将其移除：“keepsake secret set”可将密钥放入系统密钥环，或将其留在环境中并用 embedding.api_key_env 指定变量。</translation>
    </message>
    <message>
        <source>Take memories from conversations after each turn, where there is a language model.</source>
        <translation>有语言模型时，每轮之后从会话中提取记忆。</translation>
    </message>
    <message>
        <source>Take {name} out.</source>
        <translation>请移除 {name}。</translation>
    </message>
    <message>
        <source>Telegram export</source>
        <translation>Telegram 导出</translation>
    </message>
    <message>
        <source>Testing the search</source>
        <translation>正在测试搜索</translation>
    </message>
    <message>
        <source>Text before the first message was left out.</source>
        <translation>第一条消息之前的文本被略去。</translation>
    </message>
    <message>
        <source>Text that is no conversation was left out: {text}.</source>
        <translation>不属于会话的文本被略去：{text}。</translation>
    </message>
    <message>
        <source>Texts and the key would travel to the embedding service unencrypted.</source>
        <translation>文本和密钥会以未加密的方式发送到嵌入服务。</translation>
    </message>
    <message>
        <source>Texts and the key would travel to the language model unencrypted.</source>
        <translation>文本和密钥会以未加密的方式发送到语言模型。</translation>
    </message>
    <message>
        <source>Texts of every store may be sent to {name}, private ones too (llm.send_private).</source>
        <translation>所有分区的文本都可发送给 {name}，包括私密文本（llm.send_private）。</translation>
    </message>
    <message>
        <source>Texts of every store may be sent, to this machine only.</source>
        <translation>所有分区的文本都可发送，但仅限此电脑。</translation>
    </message>
    <message>
        <source>Texts of the stores shared and social may be sent to {name}; private ones are not.</source>
        <translation>共享区和社交区的文本可发送给 {name}；私密文本不会。</translation>
    </message>
    <message>
        <source>Texts searched for names in one step at most.</source>
        <translation>每步最多搜索名称的文本数。</translation>
    </message>
    <message>
        <source>Texts turned into vectors at once.</source>
        <translation>一次转换为向量的文本数。</translation>
    </message>
    <message>
        <source>That cannot be a path on this machine. Check how it is written.</source>
        <translation>这在本机上不可能是路径。请检查写法。</translation>
    </message>
    <message>
        <source>That change is undone already.</source>
        <translation>该更改已撤销。</translation>
    </message>
    <message>
        <source>That client was not connected from this vault, so there is nothing to take back.</source>
        <translation>该程序不是从此库连接的，因此没有可撤回的内容。</translation>
    </message>
    <message>
        <source>That is no key: it is empty, longer than {most} characters, or has characters no key has. Copy it again.</source>
        <translation>这不是密钥：它为空、超过 {most} 个字符，或含有密钥不会有的字符。请重新复制。</translation>
    </message>
    <message>
        <source>That is the tag&apos;s name already, or no tag was named.</source>
        <translation>标签已是此名称，或未指定标签。</translation>
    </message>
    <message>
        <source>That is undone already.</source>
        <translation>此项已撤销。</translation>
    </message>
    <message>
        <source>That is what Keepsake told you: it is stored already. Write what is new, in words of your own.</source>
        <translation>这是 Keepsake 告诉你的内容：已存储。请用自己的话写下新的内容。</translation>
    </message>
    <message>
        <source>That took too long and was stopped. Ask for less at once.</source>
        <translation>用时过长，已停止。请一次请求更少内容。</translation>
    </message>
    <message>
        <source>The access of {agent} has ended. Only the person can give it again.</source>
        <translation>{agent} 的访问权限已结束。只有本人可以重新授予。</translation>
    </message>
    <message>
        <source>The address of the database is not on this machine. End the projection here with &apos;keep_rows&apos;, and begin it again where it is wanted.</source>
        <translation>这台设备上没有数据库的地址。请在此用“keep_rows”结束投影，再到需要的设备上重新开始。</translation>
    </message>
    <message>
        <source>The archive has more than {most} files; it was left out.</source>
        <translation>归档中超过 {most} 个文件；已略去。</translation>
    </message>
    <message>
        <source>The archive has no memory with the id {memory_id}.</source>
        <translation>归档中没有标识为 {memory_id} 的记忆。</translation>
    </message>
    <message>
        <source>The archive is cut short or damaged there, so it was left out.</source>
        <translation>归档在该处被截断或损坏，因此已略去。</translation>
    </message>
    <message>
        <source>The archive is cut short or damaged, so only the notes before that place were read.</source>
        <translation>归档被截断或损坏，因此只读取了该处之前的笔记。</translation>
    </message>
    <message>
        <source>The archive is searched by words alone; entity: finds nothing there.</source>
        <translation>归档只按词语搜索；entity: 在那里找不到内容。</translation>
    </message>
    <message>
        <source>The arguments are not a JSON object.</source>
        <translation>参数不是 JSON 对象。</translation>
    </message>
    <message>
        <source>The arguments are too long.</source>
        <translation>参数太长。</translation>
    </message>
    <message>
        <source>The attachment {place} of the folder {root} was left out: {reason}</source>
        <translation>文件夹 {root} 中的附件 {place} 被略过：{reason}</translation>
    </message>
    <message>
        <source>The backup is now {name} in the same folder. Start Keepsake again; &apos;keepsake backup list&apos; shows the other backups.</source>
        <translation>该备份现为同一文件夹中的 {name}。请重新启动 Keepsake；“keepsake backup list”会列出其他备份。</translation>
    </message>
    <message>
        <source>The backup {latest} was verified.</source>
        <translation>已验证备份 {latest}。</translation>
    </message>
    <message>
        <source>The beginning of {name} is damaged, which holds its key: nothing of it can be read. Copy the file again, or use another copy.</source>
        <translation>{name} 的开头已损坏，而密钥就在其中：内容完全无法读取。请重新复制该文件，或使用另一份副本。</translation>
    </message>
    <message>
        <source>The beginning of {path} is damaged, and without it nothing in the file can be told apart. Restore a backup: &apos;keepsake backup list&apos; shows them.</source>
        <translation>{path} 的开头已损坏，缺少它就无法辨认文件中的内容。请恢复备份：“keepsake backup list”会列出它们。</translation>
    </message>
    <message>
        <source>The bucket is in the region {region}. Write region={region} into the address.</source>
        <translation>该存储桶位于区域 {region}。请在地址中写入 region={region}。</translation>
    </message>
    <message>
        <source>The cache is plain, and its vault is encrypted.</source>
        <translation>缓存未加密，而其记忆库已加密。</translation>
    </message>
    <message>
        <source>The clock of another machine is more than a hundred years ahead; what it wrote is not taken in.</source>
        <translation>另一台设备的时钟快了一百多年；它写入的内容不会被接收。</translation>
    </message>
    <message>
        <source>The clock of this machine and that of {server} are too far apart. Set this one right; nothing is lost meanwhile.</source>
        <translation>这台电脑的时钟与 {server} 的时钟相差太大。请校准本机时钟；其间不会丢失任何内容。</translation>
    </message>
    <message>
        <source>The column {column} has two classes.</source>
        <translation>列 {column} 有两个类别。</translation>
    </message>
    <message>
        <source>The configuration was changed by another program since it was shown. Look at the change again; nothing was written.</source>
        <translation>自显示以来，配置已被另一个程序更改。请重新查看此更改；未写入任何内容。</translation>
    </message>
    <message>
        <source>The connection to the place where your machines meet was closed.</source>
        <translation>与你的各台电脑交汇处的连接已关闭。</translation>
    </message>
    <message>
        <source>The connection to {host} was closed.</source>
        <translation>与 {host} 的连接已关闭。</translation>
    </message>
    <message>
        <source>The conversation</source>
        <translation>该对话</translation>
    </message>
    <message>
        <source>The cost of a run is above 0 and at most {max_cost}.</source>
        <translation>一次运行的费用大于 0 且不超过 {max_cost}。</translation>
    </message>
    <message>
        <source>The cursor is none that an earlier page gave. Leave it out.</source>
        <translation>此游标不是先前页面给出的。请省略它。</translation>
    </message>
    <message>
        <source>The daily backup failed: {why}</source>
        <translation>每日备份失败：{why}</translation>
    </message>
    <message>
        <source>The damage goes deeper than a repair of derived data reaches. Restore a backup (&apos;keepsake backup list&apos;), or save what is readable with &apos;keepsake salvage&apos;. Nothing was changed.</source>
        <translation>损坏程度超出了修复派生数据所能及的范围。请恢复备份（“keepsake backup list”），或用“keepsake salvage”保存可读的部分。未作任何更改。</translation>
    </message>
    <message>
        <source>The database cannot be reached: it does not answer.</source>
        <translation>无法访问数据库：没有响应。</translation>
    </message>
    <message>
        <source>The database cannot be reached: {reason}.</source>
        <translation>无法连接数据库：{reason}。</translation>
    </message>
    <message>
        <source>The database does not hold what your machines share: it is another one, or was emptied.</source>
        <translation>该数据库中没有你的设备共享的内容：它是另一个数据库，或已被清空。</translation>
    </message>
    <message>
        <source>The database is damaged, so no sound copy of it can be made.</source>
        <translation>数据库已损坏，因此无法制作完好的副本。</translation>
    </message>
    <message>
        <source>The database is full. Make room there; nothing is lost meanwhile.</source>
        <translation>数据库已满。请在那里腾出空间；其间不会丢失任何内容。</translation>
    </message>
    <message>
        <source>The database is shared by more than one vault. Name another database.</source>
        <translation>有多个记忆库使用此数据库。请指定另一个数据库。</translation>
    </message>
    <message>
        <source>The database refused a statement ({error}).</source>
        <translation>数据库拒绝了一条语句（{error}）。</translation>
    </message>
    <message>
        <source>The database refused what was asked: {reason}.</source>
        <translation>数据库拒绝了请求：{reason}。</translation>
    </message>
    <message>
        <source>The database takes no changes at the moment: it is read-only.</source>
        <translation>数据库目前不接受更改：它是只读的。</translation>
    </message>
    <message>
        <source>The database was optimized.</source>
        <translation>数据库已优化。</translation>
    </message>
    <message>
        <source>The database&apos;s log was damaged and was set aside as {name}; what was written last may be missing.</source>
        <translation>数据库的日志已损坏，已另存为 {name}；最后写入的内容可能缺失。</translation>
    </message>
    <message>
        <source>The day it is written.</source>
        <translation>撰写的日子。</translation>
    </message>
    <message>
        <source>The digest</source>
        <translation>该摘要</translation>
    </message>
    <message>
        <source>The disk can only be read. Make it writable, then try again.</source>
        <translation>磁盘是只读的。请使其可写，然后重试。</translation>
    </message>
    <message>
        <source>The disk cannot hold so large a file. Move the vault to a disk of another format.</source>
        <translation>磁盘无法容纳这么大的文件。请将库移到其他格式的磁盘上。</translation>
    </message>
    <message>
        <source>The disk is full, so this vault is open for reading only. Free some space and restart Keepsake; nothing already saved was lost.</source>
        <translation>磁盘已满，因此此记忆库仅以只读方式打开。请腾出空间并重新启动 Keepsake；已保存的内容没有丢失。</translation>
    </message>
    <message>
        <source>The disk is full.</source>
        <translation>磁盘已满。</translation>
    </message>
    <message>
        <source>The disk is full. Free some space and try again.</source>
        <translation>磁盘已满。请释放一些空间后重试。</translation>
    </message>
    <message>
        <source>The disk is full. Free some space; nothing already saved was lost.</source>
        <translation>磁盘已满。请释放一些空间；已保存的内容没有丢失。</translation>
    </message>
    <message>
        <source>The disk is full; {name} was not written.</source>
        <translation>磁盘已满；未写入 {name}。</translation>
    </message>
    <message>
        <source>The disk reported an error. Check its cable and its state; what is not confirmed was not saved.</source>
        <translation>磁盘报告了错误。请检查其连接线和状态；未确认的内容没有保存。</translation>
    </message>
    <message>
        <source>The disk that holds {path} is full. Free some space and try again.</source>
        <translation>{path} 所在的磁盘已满。请释放一些空间后重试。</translation>
    </message>
    <message>
        <source>The download of {model} was cancelled but does not end.</source>
        <translation>{model} 的下载已取消，但没有结束。</translation>
    </message>
    <message>
        <source>The embedder {family} takes no option {option}.</source>
        <translation>嵌入器 {family} 没有选项 {option}。</translation>
    </message>
    <message>
        <source>The embedding model in {folder} cannot be read ({reason}); reinstall Keepsake or choose another.</source>
        <translation>无法读取 {folder} 中的嵌入模型（{reason}）；请重新安装 Keepsake 或选择其他模型。</translation>
    </message>
    <message>
        <source>The embedding model in {folder} is damaged; reinstall Keepsake or choose another.</source>
        <translation>{folder} 中的嵌入模型已损坏；请重新安装 Keepsake 或选择其他模型。</translation>
    </message>
    <message>
        <source>The embedding model is still being opened.</source>
        <translation>嵌入模型仍在打开。</translation>
    </message>
    <message>
        <source>The embedding model was closed; open it again to embed.</source>
        <translation>嵌入模型已关闭；请重新打开后再使用。</translation>
    </message>
    <message>
        <source>The embedding model {name} failed; see that the machine has memory left, get the model&apos;s files again, or choose the embedder static.</source>
        <translation>嵌入模型 {name} 失败；请检查电脑是否还有可用内存，重新获取模型文件，或选择嵌入器 static。</translation>
    </message>
    <message>
        <source>The encryption has begun, so it cannot be called off any more. Open Keepsake with the passphrase; when everything is encrypted, it can be decrypted.</source>
        <translation>加密已经开始，无法再取消。请用密码短语打开 Keepsake；全部加密后即可解密。</translation>
    </message>
    <message>
        <source>The entity {missing}, which it names, is not in this vault.</source>
        <translation>它提到的名称 {missing} 不在此库中。</translation>
    </message>
    <message>
        <source>The entry &apos;{entry_name}&apos; in {path} was changed since, so it was left as it is.</source>
        <translation>{path} 中的条目“{entry_name}”此后被更改，因此保持原样。</translation>
    </message>
    <message>
        <source>The environment variable named in &apos;{name}&apos; holds no key for &apos;{provider}&apos;.</source>
        <translation>“{name}”中指定的环境变量没有“{provider}”的密钥。</translation>
    </message>
    <message>
        <source>The environment variable named in &apos;{name}&apos; holds no key for the language model.</source>
        <translation>“{name}”中指定的环境变量没有语言模型的密钥。</translation>
    </message>
    <message>
        <source>The environment variable that {section}.api_key_env names holds no key for {service}; set it before Keepsake starts.</source>
        <translation>{section}.api_key_env 指定的环境变量中没有 {service} 的密钥；请在 Keepsake 启动前设置它。</translation>
    </message>
    <message>
        <source>The environment variable {name} holds no key for {service}; set it before Keepsake starts.</source>
        <translation>环境变量 {name} 中没有 {service} 的密钥；请在 Keepsake 启动前设置它。</translation>
    </message>
    <message>
        <source>The environment variable {variable} holds no key for &apos;{provider}&apos;.</source>
        <translation>环境变量 {variable} 没有“{provider}”的密钥。</translation>
    </message>
    <message>
        <source>The exchange is paused.</source>
        <translation>交换已暂停。</translation>
    </message>
    <message>
        <source>The exchange with this database has ended.</source>
        <translation>与此数据库的交换已结束。</translation>
    </message>
    <message>
        <source>The export was stopped; nothing was written.</source>
        <translation>导出已停止；未写入任何内容。</translation>
    </message>
    <message>
        <source>The fact</source>
        <translation>该事实</translation>
    </message>
    <message>
        <source>The fact says that already.</source>
        <translation>该事实已经这样说。</translation>
    </message>
    <message>
        <source>The file declares entities of XML, which no real document does, so it was not read any further.</source>
        <translation>该文件声明了 XML 实体，真正的文档不会这样做，因此没有继续读取。</translation>
    </message>
    <message>
        <source>The file declares entities of XML, which no real export does, so it was not read any further.</source>
        <translation>该文件声明了 XML 实体，真正的导出文件不会这样做，因此没有继续读取。</translation>
    </message>
    <message>
        <source>The file ends in the middle of this conversation: it was cut off. Everything before it went in.</source>
        <translation>文件在此会话中间结束：它被截断了。之前的内容均已导入。</translation>
    </message>
    <message>
        <source>The file ends without its closing bracket: it was cut off here.</source>
        <translation>文件结尾缺少右括号：它在此处被截断。</translation>
    </message>
    <message>
        <source>The file is cut short or damaged there. Everything before it went in.</source>
        <translation>文件在该处被截断或损坏。之前的内容均已导入。</translation>
    </message>
    <message>
        <source>The file is damaged or cut off here. {words}</source>
        <translation>文件在此处损坏或被截断。{words}</translation>
    </message>
    <message>
        <source>The file is damaged there; what stands between this note and the next one was left out.</source>
        <translation>文件在该处损坏；此笔记与下一条之间的内容被略去。</translation>
    </message>
    <message>
        <source>The file is damaged, so only its beginning was read.</source>
        <translation>文件已损坏，因此只读取了开头。</translation>
    </message>
    <message>
        <source>The file is not as Keepsake writes it. {words}</source>
        <translation>该文件与 Keepsake 写入的不同。{words}</translation>
    </message>
    <message>
        <source>The file itself was not attached: {why}</source>
        <translation>文件本身未被附加：{why}</translation>
    </message>
    <message>
        <source>The file says nothing of this session before its &apos;{type}&apos;, which was left out.</source>
        <translation>文件在其“{type}”之前没有提及此会话，该部分被略去。</translation>
    </message>
    <message>
        <source>The file {place} of the folder {root} cannot be read.</source>
        <translation>无法读取文件夹 {root} 中的文件 {place}。</translation>
    </message>
    <message>
        <source>The files are not those of the model {name}, but another one&apos;s or damaged; get that model&apos;s files, or choose the embedder static.</source>
        <translation>这些文件不属于模型 {name}，而是其他模型的，或已损坏；请获取正确的文件，或选择嵌入器 static。</translation>
    </message>
    <message>
        <source>The files of the model {name} are damaged; get them again, or {instead}.</source>
        <translation>模型 {name} 的文件已损坏；请重新获取，或{instead}。</translation>
    </message>
    <message>
        <source>The first line was read, and nothing after that.</source>
        <translation>已读取第一行，之后没有读取任何内容。</translation>
    </message>
    <message>
        <source>The first {count} lines were read, and nothing after that.</source>
        <translation>已读取前 {count} 行，之后没有读取任何内容。</translation>
    </message>
    <message>
        <source>The folder of notes {folder} could not be read: {why}</source>
        <translation>无法读取笔记文件夹 {folder}：{why}</translation>
    </message>
    <message>
        <source>The folder on {server} is shared by more than one vault. Name another folder, or remove one of them.</source>
        <translation>{server} 上的文件夹由多个记忆库共享。请指定其他文件夹，或移除其中一个。</translation>
    </message>
    <message>
        <source>The folder {place} cannot be read.</source>
        <translation>无法读取文件夹 {place}。</translation>
    </message>
    <message>
        <source>The format &apos;{name}&apos; takes it too.</source>
        <translation>格式“{name}”也会采纳它。</translation>
    </message>
    <message>
        <source>The history has no entry {history_id}.</source>
        <translation>历史中没有条目 {history_id}。</translation>
    </message>
    <message>
        <source>The history has no such entry. See &apos;history.list&apos;.</source>
        <translation>历史中没有这样的条目。请参阅“history.list”。</translation>
    </message>
    <message>
        <source>The hook for {event} was changed since, so it was left as it is.</source>
        <translation>{event} 的钩子此后被更改，因此保持原样。</translation>
    </message>
    <message>
        <source>The inbox rule</source>
        <translation>收件箱规则</translation>
    </message>
    <message>
        <source>The key in {place} is not usable; copy it again.</source>
        <translation>来自此处的密钥不可用：{place}。请重新复制。</translation>
    </message>
    <message>
        <source>The key of your capsules, {path}, cannot be read. Move it away to get a new one.</source>
        <translation>无法读取你的胶囊密钥 {path}。请将其移走以获得新密钥。</translation>
    </message>
    <message>
        <source>The key was used before, for other messages. Give every append a key of its own.</source>
        <translation>该键已用于其他消息。请为每次追加使用各自的键。</translation>
    </message>
    <message>
        <source>The key was used before, for session {landed}.</source>
        <translation>该键已用于会话 {landed}。</translation>
    </message>
    <message>
        <source>The key was used before: for another write that waits for the person, or for this one, which they have edited since. Give every write a key of its own.</source>
        <translation>该键已被使用：用于等待本人处理的另一次写入，或用于此后被本人编辑过的这次写入。请为每次写入使用各自的键。</translation>
    </message>
    <message>
        <source>The key was used before: for another write, or for this one, which the person edited before accepting it. Give every write a key of its own.</source>
        <translation>该键已被使用：用于另一次写入，或用于这次本人在接受前编辑过的写入。请为每次写入使用各自的键。</translation>
    </message>
    <message>
        <source>The keyring does not hold the key of these memories any more. Open them with the passphrase first.</source>
        <translation>密钥环中不再有这些记忆的密钥。请先用密码短语打开它们。</translation>
    </message>
    <message>
        <source>The keyring does not hold the key of these memories; there is nothing to forget.</source>
        <translation>密钥环中没有这些记忆的密钥；没有可遗忘的内容。</translation>
    </message>
    <message>
        <source>The keyring of this machine did not keep the key. {instead}</source>
        <translation>本机的密钥环没有保存密钥。{instead}</translation>
    </message>
    <message>
        <source>The keyring of this machine does not answer within {seconds} seconds; it may wait for its password. Unlock it and try again.</source>
        <translation>本机的密钥环在 {seconds} 秒内没有响应；可能在等待密码。请解锁后重试。</translation>
    </message>
    <message>
        <source>The keyring of this machine gave no answer ({kind}). Try again, or: {instead}</source>
        <translation>本机的密钥环没有响应（{kind}）。请重试，或者：{instead}</translation>
    </message>
    <message>
        <source>The keyring of this machine stayed locked; unlock it and try again.</source>
        <translation>本机的密钥环仍处于锁定状态；请解锁后重试。</translation>
    </message>
    <message>
        <source>The keys by which this machine shares its memory are damaged. Leave, and join again with the words of an invitation.</source>
        <translation>此设备用于共享记忆的密钥已损坏。请停止共享，然后用邀请中的单词重新加入。</translation>
    </message>
    <message>
        <source>The keys by which this machine shares its memory are gone.</source>
        <translation>此设备用于共享记忆的密钥已丢失。</translation>
    </message>
    <message>
        <source>The keys by which this vault is shared are not on this machine. Make an invitation on another of your machines, and join with its words.</source>
        <translation>用于共享此记忆库的密钥不在这台设备上。请在你的另一台设备上创建邀请，并用邀请中的单词加入。</translation>
    </message>
    <message>
        <source>The keys of this machine are too old for what the others share now. Make an invitation on another of your machines, and join with its words.</source>
        <translation>此设备的密钥太旧，无法读取其他设备现在共享的内容。请在你的另一台设备上创建邀请，并用邀请中的单词加入。</translation>
    </message>
    <message>
        <source>The language model</source>
        <translation>语言模型</translation>
    </message>
    <message>
        <source>The language model answered nothing.</source>
        <translation>语言模型没有回答。</translation>
    </message>
    <message>
        <source>The language model cannot be asked now.</source>
        <translation>现在无法询问语言模型。</translation>
    </message>
    <message>
        <source>The language model cost {spent} this month; the setting llm.monthly_cap allows {cap}.</source>
        <translation>语言模型本月花费 {spent}；设置 llm.monthly_cap 允许 {cap}。</translation>
    </message>
    <message>
        <source>The language model failed, so it was stored by the rules. {said}</source>
        <translation>语言模型失败，已按规则存储。{said}</translation>
    </message>
    <message>
        <source>The language model is not used: {why}</source>
        <translation>没有使用语言模型：{why}</translation>
    </message>
    <message>
        <source>The language model took too long, so it was stored by the rules.</source>
        <translation>语言模型用时过长，已按规则存储。</translation>
    </message>
    <message>
        <source>The language model was not always there: {why}</source>
        <translation>语言模型并非一直可用：{why}</translation>
    </message>
    <message>
        <source>The language model was not used: {why}</source>
        <translation>没有使用语言模型：{why}</translation>
    </message>
    <message>
        <source>The language model&apos;s account is empty or too long.</source>
        <translation>语言模型的叙述为空或过长。</translation>
    </message>
    <message>
        <source>The language model&apos;s answer is not a JSON object of the agreed form.</source>
        <translation>语言模型的回答不是约定形式的 JSON 对象。</translation>
    </message>
    <message>
        <source>The language model&apos;s sentences cited too few sources, so rules wrote it.</source>
        <translation>语言模型的句子引用的来源太少，因此由规则撰写。</translation>
    </message>
    <message>
        <source>The language model&apos;s summary is empty or too long.</source>
        <translation>语言模型的摘要为空或过长。</translation>
    </message>
    <message>
        <source>The last message of session {session} has the number {last}.</source>
        <translation>会话 {session} 的最后一条消息编号为 {last}。</translation>
    </message>
    <message>
        <source>The late interaction model is still being opened.</source>
        <translation>延迟交互模型仍在打开中。</translation>
    </message>
    <message>
        <source>The latest backup, {latest}, cannot be restored: {problem} Make another with &apos;keepsake backup&apos;.</source>
        <translation>最新的备份 {latest} 无法恢复：{problem} 请用“keepsake backup”另做一个。</translation>
    </message>
    <message>
        <source>The line is too long and was left out.</source>
        <translation>该行过长，已略去。</translation>
    </message>
    <message>
        <source>The list of machines at the place is not that of the machine which let this one in. Nothing was taken in.</source>
        <translation>该位置的设备列表与批准此设备的那台设备的列表不一致。未接收任何内容。</translation>
    </message>
    <message>
        <source>The list of your machines at the place was changed by somebody else, or its files were mixed up. Nothing is taken in before it is put right: put the files back, or share anew in an empty place.</source>
        <translation>该位置的设备列表被他人更改，或其文件被弄混。在修复之前不会接收任何内容：请恢复这些文件，或在空的位置重新共享。</translation>
    </message>
    <message>
        <source>The list of your machines did not arrive within ten minutes. Try again.</source>
        <translation>你的设备列表未在十分钟内到达。请重试。</translation>
    </message>
    <message>
        <source>The list of your machines in this vault is not the one that its keys belong to.</source>
        <translation>此记忆库中的设备列表与其密钥不匹配。</translation>
    </message>
    <message>
        <source>The list of your machines is still being copied. Wait until the place is complete.</source>
        <translation>你的设备列表仍在复制中。请等待该位置的内容完整。</translation>
    </message>
    <message>
        <source>The log of the database could not be taken into it.</source>
        <translation>无法将数据库的日志并入数据库。</translation>
    </message>
    <message>
        <source>The machine slept or its clock was set.</source>
        <translation>电脑休眠了或时钟被调整。</translation>
    </message>
    <message>
        <source>The memory</source>
        <translation>该记忆</translation>
    </message>
    <message>
        <source>The message is too long; this line was left out.</source>
        <translation>消息过长；此行被略去。</translation>
    </message>
    <message>
        <source>The migrations in {folder} are not numbered 1, 2, 3…</source>
        <translation>{folder} 中的迁移没有按 1、2、3… 编号。</translation>
    </message>
    <message>
        <source>The model &apos;{model}&apos; refused to answer.</source>
        <translation>模型“{model}”拒绝回答。</translation>
    </message>
    <message>
        <source>The model &apos;{model}&apos; wrote nothing within its tokens; the setting llm.max_output_tokens allows more.</source>
        <translation>模型“{model}”在其词元数内未写出任何内容；可用设置 llm.max_output_tokens 增加。</translation>
    </message>
    <message>
        <source>The model that made the vectors so far is no longer available.</source>
        <translation>此前生成向量的模型已不可用。</translation>
    </message>
    <message>
        <source>The model that made this vault&apos;s vectors is no longer available.</source>
        <translation>生成此记忆库向量的模型已不可用。</translation>
    </message>
    <message>
        <source>The model {name} could not be fetched. See whether this machine is online, or put the model&apos;s files into a folder and name the folder.</source>
        <translation>无法下载模型 {name}。请检查此电脑是否联网，或将模型文件放入一个文件夹并指定该文件夹。</translation>
    </message>
    <message>
        <source>The model {name} is not on this machine or is damaged. Put its files into a folder and name the folder, set embedding.allow_download to true to have it fetched, or {instead}.</source>
        <translation>模型 {name} 不在此电脑上或已损坏。请将其文件放入一个文件夹并指定该文件夹，将 embedding.allow_download 设为 true 以下载它，或{instead}。</translation>
    </message>
    <message>
        <source>The model {name} should lie in {folder}, which is not there.</source>
        <translation>模型 {name} 应位于 {folder}，但该文件夹不存在。</translation>
    </message>
    <message>
        <source>The months of this year are not known.</source>
        <translation>不知道该年的月份。</translation>
    </message>
    <message>
        <source>The name</source>
        <translation>该名称</translation>
    </message>
    <message>
        <source>The name of a machine is one line of at most {most} characters.</source>
        <translation>设备名称只能有一行，最多 {most} 个字符。</translation>
    </message>
    <message>
        <source>The names of sender and receiver may have 200 characters each.</source>
        <translation>发送者和接收者的名称最多各 200 个字符。</translation>
    </message>
    <message>
        <source>The newest backup is {days} days old.</source>
        <translation>最新的备份已有 {days} 天。</translation>
    </message>
    <message>
        <source>The note</source>
        <translation>该笔记</translation>
    </message>
    <message>
        <source>The note no longer names that title without a link.</source>
        <translation>笔记中已没有未加链接的该标题。</translation>
    </message>
    <message>
        <source>The note {place} of the folder {root} could not be mirrored: {reason}</source>
        <translation>无法镜像文件夹 {root} 中的笔记 {place}：{reason}</translation>
    </message>
    <message>
        <source>The number of lines in {file} is {found} instead of {total}. Nothing was replaced. Export again.</source>
        <translation>{file} 的行数是 {found}，而不是 {total}。未替换任何内容。请重新导出。</translation>
    </message>
    <message>
        <source>The numbers of its session begin at 0; each message got the number one higher.</source>
        <translation>其会话的编号从 0 开始；每条消息的编号都加了 1。</translation>
    </message>
    <message>
        <source>The observation</source>
        <translation>该观察</translation>
    </message>
    <message>
        <source>The only keyring of this machine is a file that anyone with access to it can read. {instead}</source>
        <translation>本机唯一的密钥环是一个任何有访问权限的人都能读取的文件。{instead}</translation>
    </message>
    <message>
        <source>The other machine refused to let this one in.</source>
        <translation>另一台设备拒绝了此设备的加入请求。</translation>
    </message>
    <message>
        <source>The passphrase in {variable} is not that of these memories.</source>
        <translation>{variable} 中的密码短语不是这些记忆的密码短语。</translation>
    </message>
    <message>
        <source>The person has paused {agent}. Try again later.</source>
        <translation>本人已暂停 {agent}。请稍后再试。</translation>
    </message>
    <message>
        <source>The person has turned on incognito{end}: agents can neither read nor record. Try again later.</source>
        <translation>隐身模式已开启{end}：智能体既不能读取也不能记录。请稍后再试。</translation>
    </message>
    <message>
        <source>The person put this into quarantine, and only the person can release it.</source>
        <translation>本人已将其隔离，只有本人可以解除。</translation>
    </message>
    <message>
        <source>The person rejected the write with this key (proposal {id}).</source>
        <translation>本人拒绝了使用此键的写入（提议 {id}）。</translation>
    </message>
    <message>
        <source>The person takes no such changes from {agent} ({kind}).</source>
        <translation>本人不接受 {agent} 的此类更改（{kind}）。</translation>
    </message>
    <message>
        <source>The picture is damaged and was left out.</source>
        <translation>图片已损坏，已略去。</translation>
    </message>
    <message>
        <source>The picture is too large or protected, and was left out.</source>
        <translation>图片过大或受保护，已略去。</translation>
    </message>
    <message>
        <source>The place keeps every change until {date} for: {machines}. After that such a machine takes them from a snapshot when it comes back, and nothing that it wrote is lost.</source>
        <translation>该位置会将每项更改保留至 {date}，供以下设备使用：{machines}。之后，这样的设备回来时会从快照中获取，它所写的内容不会丢失。</translation>
    </message>
    <message>
        <source>The place shows another list of your machines than this machine knows: somebody changed it, or put back an older state. Nothing is taken in from there. If your other machines still meet there, make an invitation on one of them, and join with its words.</source>
        <translation>该位置显示的设备列表与此设备所知的不同：有人更改了它，或恢复了较旧的状态。不会从那里接收任何内容。如果你的其他设备仍在那里同步，请在其中一台上创建邀请，并用邀请中的单词加入。</translation>
    </message>
    <message>
        <source>The prompt &apos;{name}&apos; has no version.</source>
        <translation>提示词“{name}”没有版本。</translation>
    </message>
    <message>
        <source>The prompt &apos;{name}&apos; is missing in this installation.</source>
        <translation>此安装中缺少提示词“{name}”。</translation>
    </message>
    <message>
        <source>The proposal</source>
        <translation>该提议</translation>
    </message>
    <message>
        <source>The recipe {recipe} has no weights of words and meaning. Choose weighted, balanced or boosted.</source>
        <translation>配方 {recipe} 没有词语和含义的权重。请选择 weighted、balanced 或 boosted。</translation>
    </message>
    <message>
        <source>The reconciler named candidate {index}, which is none of the {count} it was shown, from 0 on.</source>
        <translation>协调器给出了候选项 {index}，它不在所示的 {count} 个之中（从 0 计）。</translation>
    </message>
    <message>
        <source>The reconciler named none of the candidates that it was shown.</source>
        <translation>协调器没有给出任何所示候选项。</translation>
    </message>
    <message>
        <source>The reconciler&apos;s answer is not a JSON object of the agreed form.</source>
        <translation>协调器的回答不是约定形式的 JSON 对象。</translation>
    </message>
    <message>
        <source>The reflection</source>
        <translation>该回顾</translation>
    </message>
    <message>
        <source>The registry cannot be written: {strerror}.</source>
        <translation>无法写入注册表：{strerror}。</translation>
    </message>
    <message>
        <source>The reranking model {name} failed</source>
        <translation>重排序模型 {name} 失败</translation>
    </message>
    <message>
        <source>The reranking model {name} needs fastembed, which is not installed; results keep their original order.</source>
        <translation>重排序模型 {name} 需要 fastembed，但尚未安装；结果保持原有顺序。</translation>
    </message>
    <message>
        <source>The reranking model {name} returned something other than a list of numbers</source>
        <translation>重排序模型 {name} 返回的不是数字列表</translation>
    </message>
    <message>
        <source>The reranking model {name} returned something other than vectors</source>
        <translation>重排序模型 {name} 返回的不是向量</translation>
    </message>
    <message>
        <source>The reranking model {name} was closed</source>
        <translation>重排序模型 {name} 已关闭</translation>
    </message>
    <message>
        <source>The rest of it cannot be read: {error}.</source>
        <translation>其余部分无法读取：{error}。</translation>
    </message>
    <message>
        <source>The rest of it touches what the person pinned or confirmed, or Keepsake&apos;s own work; what was done before stays. Do those one by one.</source>
        <translation>其余部分涉及本人固定或确认的内容，或 Keepsake 自己的工作；此前完成的保持不变。请逐一处理。</translation>
    </message>
    <message>
        <source>The restore was called off: the backup is a link, or no file of its own.</source>
        <translation>恢复已取消：备份是一个链接，或不是独立的文件。</translation>
    </message>
    <message>
        <source>The restore was called off: the backup is damaged.</source>
        <translation>恢复已取消：备份已损坏。</translation>
    </message>
    <message>
        <source>The restore was called off: the backup is from a newer Keepsake.</source>
        <translation>恢复已取消：备份来自较新的 Keepsake。</translation>
    </message>
    <message>
        <source>The restore was called off: the backup is no database of Keepsake.</source>
        <translation>恢复已取消：备份不是 Keepsake 的数据库。</translation>
    </message>
    <message>
        <source>The results could not be reranked: {why}</source>
        <translation>无法对结果重新排序：{why}</translation>
    </message>
    <message>
        <source>The saved search</source>
        <translation>该已保存的搜索</translation>
    </message>
    <message>
        <source>The schedule</source>
        <translation>该计划</translation>
    </message>
    <message>
        <source>The schedule of this run was deleted. Nobody waits for what it does.</source>
        <translation>此次运行的计划已删除。没有人等待其结果。</translation>
    </message>
    <message>
        <source>The schema &apos;{schema}&apos; holds what another vault shares. Name another schema, or end it there.</source>
        <translation>模式“{schema}”中是另一个记忆库共享的内容。请指定另一个模式，或在那边结束。</translation>
    </message>
    <message>
        <source>The schema cannot be read.</source>
        <translation>无法读取数据库结构。</translation>
    </message>
    <message>
        <source>The search for notes was stopped; nothing was imported.</source>
        <translation>已停止查找笔记；未导入任何内容。</translation>
    </message>
    <message>
        <source>The search index could not be made anew: {why}</source>
        <translation>无法重建搜索索引：{why}</translation>
    </message>
    <message>
        <source>The search index is being made anew and does not hold everything yet.</source>
        <translation>搜索索引正在重建，尚未包含全部内容。</translation>
    </message>
    <message>
        <source>The search weights in {path} are missing or damaged; reinstall Keepsake or choose another search recipe.</source>
        <translation>{path} 中的搜索权重缺失或已损坏；请重新安装 Keepsake 或选择其他搜索配方。</translation>
    </message>
    <message>
        <source>The server could read your shared memories: they go there as plain text. Say &apos;in_plain_text&apos; if you want that.</source>
        <translation>服务器将能读取你共享的记忆：它们以明文存放在那里。如果你同意，请指定“in_plain_text”。</translation>
    </message>
    <message>
        <source>The settings of the language model were changed meanwhile.</source>
        <translation>语言模型的设置在此期间已更改。</translation>
    </message>
    <message>
        <source>The shared store is not projected.</source>
        <translation>共享存储没有被投影。</translation>
    </message>
    <message>
        <source>The shared store is projected already. End that first.</source>
        <translation>共享存储已经在投影。请先结束它。</translation>
    </message>
    <message>
        <source>The shared store on a server is not up to date. {reason}</source>
        <translation>服务器上的共享存储不是最新的。{reason}</translation>
    </message>
    <message>
        <source>The size of a piece must be above 0, and the overlap at most half of it.</source>
        <translation>片段大小必须大于 0，重叠不得超过其一半。</translation>
    </message>
    <message>
        <source>The snapshot at the place is damaged. Another of your machines writes it anew.</source>
        <translation>该位置的快照已损坏。你的另一台设备会重新写入。</translation>
    </message>
    <message>
        <source>The system refuses access to a file or folder that this needs. Check the permissions of what is in the vault&apos;s folder, and of files that the request names.</source>
        <translation>系统拒绝访问所需的文件或文件夹。请检查记忆库文件夹内各项以及请求所指文件的权限。</translation>
    </message>
    <message>
        <source>The system refuses access to {path}.</source>
        <translation>系统拒绝访问 {path}。</translation>
    </message>
    <message>
        <source>The system refuses access to {path}: {strerror}. Check its permissions and those of its folder.</source>
        <translation>系统拒绝访问 {path}：{strerror}。请检查它及其文件夹的权限。</translation>
    </message>
    <message>
        <source>The table of vectors is gone.</source>
        <translation>向量表已丢失。</translation>
    </message>
    <message>
        <source>The tables of Keepsake are not in the database.</source>
        <translation>数据库中没有 Keepsake 的数据表。</translation>
    </message>
    <message>
        <source>The tables of Keepsake in the database are not those that Keepsake made.</source>
        <translation>数据库中的 Keepsake 表并非由 Keepsake 创建。</translation>
    </message>
    <message>
        <source>The tables of the shared store are gone, or another vault has taken them.</source>
        <translation>共享存储的数据表不见了，或已被另一个记忆库占用。</translation>
    </message>
    <message>
        <source>The ten minutes of this invitation are over. Make a new one.</source>
        <translation>此邀请的十分钟有效期已过。请创建新的邀请。</translation>
    </message>
    <message>
        <source>The time of a schedule that runs once must be in the future.</source>
        <translation>只运行一次的计划的时间必须在将来。</translation>
    </message>
    <message>
        <source>The time until which no schedule runs must be in the future.</source>
        <translation>暂停所有计划的截止时间必须在将来。</translation>
    </message>
    <message>
        <source>The time until which this is to be kept has passed.</source>
        <translation>保留期限已过。</translation>
    </message>
    <message>
        <source>The token could not be kept in {path}: {reason}.</source>
        <translation>无法将令牌保存到 {path}：{reason}。</translation>
    </message>
    <message>
        <source>The token of {agent} was replaced by a newer one. Ask the person for it, and connect again with it.</source>
        <translation>{agent} 的令牌已被更新的令牌取代。请向本人索取，并用它重新连接。</translation>
    </message>
    <message>
        <source>The transcript {name} could not be read: {why}</source>
        <translation>无法读取对话记录 {name}：{why}</translation>
    </message>
    <message>
        <source>The variable {name} is no setting and has no effect.</source>
        <translation>变量 {name} 不是设置，不起作用。</translation>
    </message>
    <message>
        <source>The vault cannot be written. Check its permissions, or choose another with --vault.</source>
        <translation>无法写入库。请检查其权限，或用 --vault 选择其他库。</translation>
    </message>
    <message>
        <source>The vault could not be opened: {error}</source>
        <translation>无法打开记忆库：{error}</translation>
    </message>
    <message>
        <source>The vault has another attachment of this name, which stays.</source>
        <translation>库中另有同名附件，该附件会保留。</translation>
    </message>
    <message>
        <source>The vault in {folder} cannot be opened: {why}</source>
        <translation>无法打开 {folder} 中的记忆库：{why}</translation>
    </message>
    <message>
        <source>The vault is closed.</source>
        <translation>记忆库已关闭。</translation>
    </message>
    <message>
        <source>The vault is closing.</source>
        <translation>库正在关闭。</translation>
    </message>
    <message>
        <source>The vault is not open.</source>
        <translation>记忆库未打开。</translation>
    </message>
    <message>
        <source>The vault of an isolated agent stays on this machine.</source>
        <translation>隔离智能体的记忆库留在这台电脑上。</translation>
    </message>
    <message>
        <source>The vault was backed up, but not every isolated agent&apos;s. {notes}</source>
        <translation>记忆库已备份，但并非每个隔离智能体的记忆库都已备份。{notes}</translation>
    </message>
    <message>
        <source>The vault was closed before they were written.</source>
        <translation>在写入之前记忆库已关闭。</translation>
    </message>
    <message>
        <source>The vault was closed before this was done.</source>
        <translation>在此完成之前记忆库已关闭。</translation>
    </message>
    <message>
        <source>The vault&apos;s database cannot be opened. Check that its folder exists and is yours.</source>
        <translation>无法打开库的数据库。请检查其文件夹是否存在且属于你。</translation>
    </message>
    <message>
        <source>The vault&apos;s database is damaged. Run &apos;keepsake check&apos;, or restore a backup.</source>
        <translation>库的数据库已损坏。请运行“keepsake check”，或恢复备份。</translation>
    </message>
    <message>
        <source>The vault&apos;s database is damaged. {advice}</source>
        <translation>记忆库的数据库已损坏。{advice}</translation>
    </message>
    <message>
        <source>The vault&apos;s lock file was taken away, and another Keepsake has opened the vault since. Nothing is written from here any more: close one of the two.</source>
        <translation>记忆库的锁文件被移除，此后另一个 Keepsake 打开了它。这里不再写入任何内容：请关闭其中一个。</translation>
    </message>
    <message>
        <source>The vault&apos;s path holds a NUL character. Name a folder with --vault.</source>
        <translation>记忆库的路径含有 NUL 字符。请用 --vault 指定文件夹。</translation>
    </message>
    <message>
        <source>The vault&apos;s path leads through {place}, which is no folder.</source>
        <translation>记忆库的路径经过 {place}，而它不是文件夹。</translation>
    </message>
    <message>
        <source>The vault&apos;s path {vault} is not UTF-8. Name another folder with --vault, or set LC_ALL=C.UTF-8.</source>
        <translation>记忆库的路径 {vault} 不是 UTF-8。请用 --vault 指定其他文件夹，或设置 LC_ALL=C.UTF-8。</translation>
    </message>
    <message>
        <source>The vectors cannot be read ({error}).</source>
        <translation>无法读取向量（{error}）。</translation>
    </message>
    <message>
        <source>The vectors of {model} answer searches already; name others.</source>
        <translation>{model} 的向量已用于搜索；请指定其他向量。</translation>
    </message>
    <message>
        <source>The vectors of {model} are not complete: {vectors} of {wanted} are there.</source>
        <translation>{model} 的向量不完整：现有 {vectors} 个，共需 {wanted} 个。</translation>
    </message>
    <message>
        <source>The vectors so far cannot be used any more and are made anew: {reason}</source>
        <translation>现有的向量无法再使用，正在重新生成：{reason}</translation>
    </message>
    <message>
        <source>The weights for facts in {path} are missing or damaged; reinstall Keepsake.</source>
        <translation>{path} 中用于事实的权重缺失或已损坏；请重新安装 Keepsake。</translation>
    </message>
    <message>
        <source>The weights of meaning and words must be 0 to {most}, and one of them above 0.</source>
        <translation>含义和词语的权重必须为 0 到 {most}，且至少一个大于 0。</translation>
    </message>
    <message>
        <source>The whole of it</source>
        <translation>整体内容</translation>
    </message>
    <message>
        <source>The word in place {number} is none of an invitation.</source>
        <translation>第 {number} 个单词不属于任何邀请。</translation>
    </message>
    <message>
        <source>The word in place {number} is none of an invitation. Is it {word}?</source>
        <translation>第 {number} 个单词不属于任何邀请。是不是 {word}？</translation>
    </message>
    <message>
        <source>The word index does not match the texts: {reason}.</source>
        <translation>词语索引与文本不符：{reason}。</translation>
    </message>
    <message>
        <source>The word index is damaged: {what}.</source>
        <translation>词语索引已损坏：{what}。</translation>
    </message>
    <message>
        <source>The words beside its times are not known ({words}); some times may be half a day off.</source>
        <translation>其时间旁的词语未知（{words}）；部分时间可能相差半天。</translation>
    </message>
    <message>
        <source>The words of the search index were not checked: that needs a vault that can be written.</source>
        <translation>没有检查搜索索引的词语：这需要可写的记忆库。</translation>
    </message>
    <message>
        <source>The zip file is damaged from here on ({error}). Copy it again.</source>
        <translation>zip 文件从这里起损坏（{error}）。请重新复制。</translation>
    </message>
    <message>
        <source>The zip file is damaged from here on ({error}). Download or copy it again.</source>
        <translation>zip 文件从这里起损坏（{error}）。请重新下载或复制。</translation>
    </message>
    <message>
        <source>The zip file is damaged here ({error}).</source>
        <translation>zip 文件在此处损坏（{error}）。</translation>
    </message>
    <message>
        <source>The zip file is damaged here ({error}). Download it again.</source>
        <translation>zip 文件在此处损坏（{error}）。请重新下载。</translation>
    </message>
    <message>
        <source>There already is another {wanted} called {clean}. Merge the two instead.</source>
        <translation>已有另一个同类（{wanted}）名称叫 {clean}。请改为合并两者。</translation>
    </message>
    <message>
        <source>There already is another {wanted} called {name}. Choose another name.</source>
        <translation>已有另一个同类（{wanted}）名称叫 {name}。请选择其他名称。</translation>
    </message>
    <message>
        <source>There are no earlier vectors to go back to; they are kept for a week.</source>
        <translation>没有可退回的早期向量；它们只保留一周。</translation>
    </message>
    <message>
        <source>There are no other vectors to compare with. Prepare a model with &apos;embedding.change&apos; and &apos;waits&apos;.</source>
        <translation>没有可供比较的其他向量。请用“embedding.change”和“waits”准备一个模型。</translation>
    </message>
    <message>
        <source>There are no vectors with the number {number}; &apos;embedding.status&apos; lists them.</source>
        <translation>没有编号为 {number} 的向量；“embedding.status”会列出它们。</translation>
    </message>
    <message>
        <source>There are too many attachments of this name. Give the file another name.</source>
        <translation>同名附件过多。请给文件换个名称。</translation>
    </message>
    <message>
        <source>There are too many backups beside {path}. Remove some.</source>
        <translation>{path} 旁边的备份过多。请删除一些。</translation>
    </message>
    <message>
        <source>There are {max_schedules} schedules already. Delete some first.</source>
        <translation>已有 {max_schedules} 个计划。请先删除一些。</translation>
    </message>
    <message>
        <source>There are {names}.</source>
        <translation>可用的有：{names}。</translation>
    </message>
    <message>
        <source>There is already a file or folder of this path.</source>
        <translation>此路径下已有文件或文件夹。</translation>
    </message>
    <message>
        <source>There is already a memory with the id {id}.</source>
        <translation>已有标识为 {id} 的记忆。</translation>
    </message>
    <message>
        <source>There is already a memory with the id {id}; use update to change it.</source>
        <translation>已有标识为 {id} 的记忆；请改为更新它。</translation>
    </message>
    <message>
        <source>There is an active memory with this id, which keeps it in the archive.</source>
        <translation>已有使用此标识的活动记忆，因此它留在归档中。</translation>
    </message>
    <message>
        <source>There is an agent named &apos;{name}&apos; already. &apos;keepsake agent rotate&apos; gives it a new token; to let another program in by that name, end its access first with &apos;keepsake agent revoke&apos;.</source>
        <translation>已有名为“{name}”的智能体。“keepsake agent rotate”会给它新令牌；要让其他程序使用该名称，请先用“keepsake agent revoke”结束其访问。</translation>
    </message>
    <message>
        <source>There is no agent named &apos;{agent}&apos;, and nothing was written by one.</source>
        <translation>没有名为“{agent}”的智能体，也没有它写入的内容。</translation>
    </message>
    <message>
        <source>There is no agent named &apos;{name}&apos; with access.</source>
        <translation>没有名为“{name}”且有访问权限的智能体。</translation>
    </message>
    <message>
        <source>There is no backup of that name. &apos;keepsake backup list&apos; shows them.</source>
        <translation>没有该名称的备份。“keepsake backup list”会列出它们。</translation>
    </message>
    <message>
        <source>There is no backup to verify yet.</source>
        <translation>还没有可验证的备份。</translation>
    </message>
    <message>
        <source>There is no backup.</source>
        <translation>没有备份。</translation>
    </message>
    <message>
        <source>There is no encryption to call off. To decrypt these memories, use the passphrase.</source>
        <translation>没有可取消的加密。要解密这些记忆，请使用密码短语。</translation>
    </message>
    <message>
        <source>There is no entity with the id {entity_id}.</source>
        <translation>没有标识为 {entity_id} 的名称。</translation>
    </message>
    <message>
        <source>There is no export format {format}; use {known}.</source>
        <translation>没有导出格式 {format}；请使用 {known}。</translation>
    </message>
    <message>
        <source>There is no fact of that category and key. &apos;fact.list&apos; shows those there are.</source>
        <translation>没有该类别和键的事实。“fact.list”会列出已有的。</translation>
    </message>
    <message>
        <source>There is no file at {path}.</source>
        <translation>{path} 处没有文件。</translation>
    </message>
    <message>
        <source>There is no file or folder at {path}.</source>
        <translation>{path} 处没有文件或文件夹。</translation>
    </message>
    <message>
        <source>There is no file or folder of this path.</source>
        <translation>此路径下没有文件或文件夹。</translation>
    </message>
    <message>
        <source>There is no folder {parent}. Make it first, or choose another place.</source>
        <translation>没有文件夹 {parent}。请先创建它，或选择其他位置。</translation>
    </message>
    <message>
        <source>There is no folder {path}. Make it first.</source>
        <translation>没有文件夹 {path}。请先创建它。</translation>
    </message>
    <message>
        <source>There is no format of that name. {supported}</source>
        <translation>没有该名称的格式。{supported}</translation>
    </message>
    <message>
        <source>There is no home folder of that name.</source>
        <translation>没有该名称的主文件夹。</translation>
    </message>
    <message>
        <source>There is no invitation with these words: its ten minutes are over, or it is for another place. Make a new one.</source>
        <translation>没有与这些单词对应的邀请：十分钟有效期已过，或邀请属于另一个位置。请创建新的邀请。</translation>
    </message>
    <message>
        <source>There is no key for {service}. Give it in the settings or with &apos;keepsake secret set {service}&apos;, or name the environment variable that holds it in {section}.api_key_env.</source>
        <translation>没有 {service} 的密钥。请在设置中或用“keepsake secret set {service}”提供，或在 {section}.api_key_env 中指定存放它的环境变量。</translation>
    </message>
    <message>
        <source>There is no language model, and no agent has taken this goal.</source>
        <translation>没有语言模型，也没有智能体接手此目标。</translation>
    </message>
    <message>
        <source>There is no memory or message with the id {anchor}.</source>
        <translation>没有标识为 {anchor} 的记忆或消息。</translation>
    </message>
    <message>
        <source>There is no memory or message with the id {id}.</source>
        <translation>没有 ID 为 {id} 的记忆或消息。</translation>
    </message>
    <message>
        <source>There is no memory with the id {memory_id}.</source>
        <translation>没有标识为 {memory_id} 的记忆。</translation>
    </message>
    <message>
        <source>There is no message or memory with the id {target}.</source>
        <translation>没有 ID 为 {target} 的消息或记忆。</translation>
    </message>
    <message>
        <source>There is no operation &apos;{name}&apos;. See &apos;keepsake call --list&apos;.</source>
        <translation>没有操作“{name}”。请参阅“keepsake call --list”。</translation>
    </message>
    <message>
        <source>There is no operation &apos;{operation}&apos;.</source>
        <translation>没有操作“{operation}”。</translation>
    </message>
    <message>
        <source>There is no proposal {proposal_id}. See &apos;inbox.list&apos;.</source>
        <translation>没有提议 {proposal_id}。请参阅“inbox.list”。</translation>
    </message>
    <message>
        <source>There is no rule for that agent and kind. See &apos;inbox.rules&apos;.</source>
        <translation>没有针对该智能体和类型的规则。请参阅“inbox.rules”。</translation>
    </message>
    <message>
        <source>There is no run of a schedule with that id.</source>
        <translation>没有该标识的运行。</translation>
    </message>
    <message>
        <source>There is no schedule with that id. See &apos;schedule.search&apos;.</source>
        <translation>没有该标识的计划。请参阅“schedule.search”。</translation>
    </message>
    <message>
        <source>There is no search recipe of that name. Choose one of: {names}.</source>
        <translation>没有该名称的搜索配方。请选择：{names}。</translation>
    </message>
    <message>
        <source>There is no session {session}.</source>
        <translation>没有会话 {session}。</translation>
    </message>
    <message>
        <source>There is no setting of that name.{hint} &apos;keepsake config list&apos; shows them.</source>
        <translation>没有该名称的设置。{hint}“keepsake config list”会列出它们。</translation>
    </message>
    <message>
        <source>There is no such client. Use one of {choices}; &apos;keepsake agent connect --print&apos; serves all others.</source>
        <translation>没有这样的程序。请使用其中之一：{choices}；其他程序可用“keepsake agent connect --print”。</translation>
    </message>
    <message>
        <source>There is no such day in the Hijri calendar.</source>
        <translation>伊斯兰历中没有这一天。</translation>
    </message>
    <message>
        <source>There is no such day in the Persian calendar.</source>
        <translation>波斯历中没有这一天。</translation>
    </message>
    <message>
        <source>There is no such embedder; choose one of {choices}.</source>
        <translation>没有这样的嵌入器；请选择其中之一：{choices}。</translation>
    </message>
    <message>
        <source>There is no such file among the attachments.</source>
        <translation>附件中没有此文件。</translation>
    </message>
    <message>
        <source>There is no such job. The jobs are {names}.</source>
        <translation>没有这样的任务。现有任务：{names}。</translation>
    </message>
    <message>
        <source>There is no such machine among those that share the memory.</source>
        <translation>共享此记忆的设备中没有这一台。</translation>
    </message>
    <message>
        <source>There is no such relation.</source>
        <translation>没有这样的关系。</translation>
    </message>
    <message>
        <source>There is no such service; choose one of {names}.</source>
        <translation>没有这样的服务；请选择：{names}。</translation>
    </message>
    <message>
        <source>There is no such time zone. Use a name such as Europe/Berlin.</source>
        <translation>没有这样的时区。请使用类似 Europe/Berlin 的名称。</translation>
    </message>
    <message>
        <source>There is no such {kind} as sources[{missing}] names.</source>
        <translation>sources[{missing}] 所指的内容不存在（{kind}）。</translation>
    </message>
    <message>
        <source>There is no trust &apos;{trust}&apos;. Use one of {names}.</source>
        <translation>没有信任级别“{trust}”。可用的有 {names}。</translation>
    </message>
    <message>
        <source>There is no {database}.</source>
        <translation>{database} 不存在。</translation>
    </message>
    <message>
        <source>There is no {kind} with the id {memory_id}.</source>
        <translation>没有标识为 {memory_id} 的该类内容（{kind}）。</translation>
    </message>
    <message>
        <source>There is nothing to append: &apos;messages&apos; is empty.</source>
        <translation>没有可追加的内容：“messages”为空。</translation>
    </message>
    <message>
        <source>There is nothing to do again.</source>
        <translation>没有可重做的内容。</translation>
    </message>
    <message>
        <source>There is nothing to search for: type a word, or an operator such as kind:note.</source>
        <translation>没有可搜索的内容：请输入词语，或如 kind:note 的运算符。</translation>
    </message>
    <message>
        <source>There is nothing to store: the title and the text are both empty.</source>
        <translation>没有可存储的内容：标题和正文都为空。</translation>
    </message>
    <message>
        <source>There is nothing to undo.</source>
        <translation>没有可撤销的内容。</translation>
    </message>
    <message>
        <source>There is nothing with the id {id}; nothing was removed.</source>
        <translation>没有 ID 为 {id} 的内容；未移除任何内容。</translation>
    </message>
    <message>
        <source>There is too little to ask about. Add conversations or notes, or judge search results first.</source>
        <translation>可提问的内容太少。请先添加会话或笔记，或评判搜索结果。</translation>
    </message>
    <message>
        <source>There was no backup to verify.</source>
        <translation>没有可验证的备份。</translation>
    </message>
    <message>
        <source>There was no entity with the id {entity_id} then.</source>
        <translation>当时没有标识为 {entity_id} 的名称。</translation>
    </message>
    <message>
        <source>There was no room on the disk to write the database anew, which would have removed the last traces.</source>
        <translation>磁盘空间不足，无法重新写入数据库；否则最后的痕迹也会被清除。</translation>
    </message>
    <message>
        <source>There was nothing to read.</source>
        <translation>没有可读取的内容。</translation>
    </message>
    <message>
        <source>These memories are encrypted already.</source>
        <translation>这些记忆已经加密。</translation>
    </message>
    <message>
        <source>These memories are encrypted, and this export is not. Use the format &apos;encrypted&apos;, or say that it may be plain text (--plain-text). A copy of the whole folder stays encrypted, too.</source>
        <translation>这些记忆已加密，而此导出未加密。请使用“encrypted”格式，或说明可以是明文（--plain-text）。复制整个文件夹也会保持加密。</translation>
    </message>
    <message>
        <source>These memories are encrypted. Open Keepsake and type the passphrase, or run &apos;keepsake serve&apos;.</source>
        <translation>这些记忆已加密。请打开 Keepsake 并输入密码短语，或运行“keepsake serve”。</translation>
    </message>
    <message>
        <source>These memories are not encrypted.</source>
        <translation>这些记忆未加密。</translation>
    </message>
    <message>
        <source>These memories were encrypted by a newer Keepsake. Update Keepsake to open them.</source>
        <translation>这些记忆由较新版本的 Keepsake 加密。请更新 Keepsake 以打开它们。</translation>
    </message>
    <message>
        <source>These memories will be encrypted now. Open Keepsake and type the passphrase, or run &apos;keepsake serve&apos;. &apos;keepsake encryption cancel&apos; calls it off.</source>
        <translation>现在将加密这些记忆。请打开 Keepsake 并输入密码短语，或运行“keepsake serve”。“keepsake encryption cancel”可取消。</translation>
    </message>
    <message>
        <source>These words do not belong together: one of them is another word, or two have changed places.</source>
        <translation>这些单词不匹配：其中一个有误，或有两个位置颠倒。</translation>
    </message>
    <message>
        <source>They said: {note}</source>
        <translation>本人说明：{note}</translation>
    </message>
    <message>
        <source>This agent has access already.</source>
        <translation>这个智能体已经有访问权限。</translation>
    </message>
    <message>
        <source>This caller stores in {names}, not in {store}.</source>
        <translation>此程序存储于 {names}，而不是 {store}。</translation>
    </message>
    <message>
        <source>This computer has too little free memory for that. Close some programs and try again.</source>
        <translation>此计算机的可用内存不足。请关闭一些程序后重试。</translation>
    </message>
    <message>
        <source>This computer has too little free memory for that. Close some programs.</source>
        <translation>此计算机的可用内存不足。请关闭一些程序。</translation>
    </message>
    <message>
        <source>This computer has too many files open. Close some programs and try again.</source>
        <translation>此计算机打开的文件过多。请关闭一些程序后重试。</translation>
    </message>
    <message>
        <source>This end of incognito has passed. Choose a later one.</source>
        <translation>此隐身结束时间已过。请选择更晚的时间。</translation>
    </message>
    <message>
        <source>This entity was merged into another. Use that one, or undo the merge.</source>
        <translation>此名称已合并到另一个。请使用那一个，或撤销合并。</translation>
    </message>
    <message>
        <source>This expression matches no date, so it would never run.</source>
        <translation>此表达式不匹配任何日期，永远不会运行。</translation>
    </message>
    <message>
        <source>This expression runs more often than every {min_interval_s} seconds.</source>
        <translation>此表达式的运行间隔小于 {min_interval_s} 秒。</translation>
    </message>
    <message>
        <source>This fact was superseded by {id}, which says “{content}”. Confirm that one instead.</source>
        <translation>此事实已被 {id} 取代，其内容为“{content}”。请改为确认那一条。</translation>
    </message>
    <message>
        <source>This file cannot be read: {reason}.</source>
        <translation>无法读取此文件：{reason}。</translation>
    </message>
    <message>
        <source>This file cannot be read: {strerror}.</source>
        <translation>无法读取此文件：{strerror}。</translation>
    </message>
    <message>
        <source>This file has {size} MB; one of its kind may have {allowed} MB.</source>
        <translation>此文件为 {size} MB；此类文件最多 {allowed} MB。</translation>
    </message>
    <message>
        <source>This file is empty, so there is nothing to attach.</source>
        <translation>此文件为空，没有可附加的内容。</translation>
    </message>
    <message>
        <source>This file is not there any more.</source>
        <translation>此文件已不存在。</translation>
    </message>
    <message>
        <source>This finding has no fix. Those that have one are {names}.</source>
        <translation>此问题没有修复方法。有修复方法的是：{names}。</translation>
    </message>
    <message>
        <source>This installation of Keepsake cannot encrypt: the package apsw has taken the place of apsw-sqlite3mc. Remove both (pip uninstall apsw apsw-sqlite3mc) and install Keepsake&apos;s wheel again, or use one of its packages.</source>
        <translation>此 Keepsake 安装无法加密：软件包 apsw 取代了 apsw-sqlite3mc。请移除两者（pip uninstall apsw apsw-sqlite3mc）并重新安装 Keepsake 的 wheel，或使用其安装包之一。</translation>
    </message>
    <message>
        <source>This invitation belongs to other words, or is not whole. Take the words and the file of one invitation.</source>
        <translation>此邀请对应其他单词，或者不完整。请使用同一份邀请的单词和文件。</translation>
    </message>
    <message>
        <source>This is no address of S3 storage. It looks like s3://KEY:SECRET@bucket/prefix?region=…&amp;endpoint=https://…; write / and + within the secret as %2F and %2B.</source>
        <translation>这不是 S3 存储的地址。它的形式为 s3://密钥:私密部分@存储桶/前缀?region=…&amp;endpoint=https://…；私密部分中的 / 和 + 请写作 %2F 和 %2B。</translation>
    </message>
    <message>
        <source>This is no address of a WebDAV server. It looks like https://name:password@server/path; write @, /, # and ? within the password as %40, %2F, %23 and %3F.</source>
        <translation>这不是 WebDAV 服务器的地址。它的形式为 https://用户名:密码@服务器/路径；密码中的 @、/、# 和 ? 请写作 %40、%2F、%23 和 %3F。</translation>
    </message>
    <message>
        <source>This is no address of a database. It looks like postgresql://name@server/database.</source>
        <translation>这不是数据库地址。它的形式是 postgresql://name@server/database。</translation>
    </message>
    <message>
        <source>This is not a cron expression. An example: 30 8 * * mon-fri.</source>
        <translation>这不是 cron 表达式。示例：30 8 * * mon-fri。</translation>
    </message>
    <message>
        <source>This is not the passphrase of these memories. Try again.</source>
        <translation>这不是这些记忆的密码短语。请重试。</translation>
    </message>
    <message>
        <source>This is not the passphrase of {name}. Try again.</source>
        <translation>这不是 {name} 的密码短语。请重试。</translation>
    </message>
    <message>
        <source>This machine and your others do not hear of each other. {reason}</source>
        <translation>这台设备与你的其他设备之间没有联系。{reason}</translation>
    </message>
    <message>
        <source>This machine cannot remove itself. Leave here, and remove it on another one.</source>
        <translation>此设备不能移除自己。请在这里停止共享，然后在另一台设备上移除它。</translation>
    </message>
    <message>
        <source>This machine has no keyring that Keepsake can use. {instead}</source>
        <translation>本机没有 Keepsake 可用的密钥环。{instead}</translation>
    </message>
    <message>
        <source>This machine has no keyring: the keys that open what lies there are in a file that programs of yours can read.</source>
        <translation>这台设备没有密钥环：用来打开那里内容的密钥存放在你的程序可以读取的文件中。</translation>
    </message>
    <message>
        <source>This machine shares its memory there already.</source>
        <translation>此设备已在那里共享记忆。</translation>
    </message>
    <message>
        <source>This machine waits no longer: its words were used, or ten minutes are over. Make a new invitation.</source>
        <translation>此设备已不再等待：其单词已被使用，或十分钟已过。请创建新的邀请。</translation>
    </message>
    <message>
        <source>This machine was added before.</source>
        <translation>此设备之前已添加。</translation>
    </message>
    <message>
        <source>This machine was removed from those that share the memory. What is here stays here. To share again, make an invitation on another machine, and join with its words.</source>
        <translation>此设备已从共享记忆的设备中移除。这里的内容会保留在这里。若要重新共享，请在另一台设备上创建邀请，并用邀请中的单词加入。</translation>
    </message>
    <message>
        <source>This memory is not deleted.</source>
        <translation>此记忆未被删除。</translation>
    </message>
    <message>
        <source>This memory was changed in the meantime. Read it again and repeat the change.</source>
        <translation>此记忆在此期间已更改。请重新读取并再次更改。</translation>
    </message>
    <message>
        <source>This part does not begin where the last one ended. Ask for the position first.</source>
        <translation>此部分的开头与上一部分的结尾不相接。请先查询位置。</translation>
    </message>
    <message>
        <source>This passphrase is one of the first that anyone tries. Choose several words that do not go together.</source>
        <translation>此密码短语是人们最先尝试的之一。请选择几个互不相关的词。</translation>
    </message>
    <message>
        <source>This proposal is decided already.</source>
        <translation>此提议已处理。</translation>
    </message>
    <message>
        <source>This reads as a sentence: texts with the quoted words side by side are preferred, others are found too. Search a quotation by itself to demand it.</source>
        <translation>这读起来像一个句子：优先显示引号中词语相邻的文本，其他文本也会找到。要强制匹配，请单独搜索引文。</translation>
    </message>
    <message>
        <source>This removes {count} for ever; nothing can bring them back. Ask again with confirm=true.</source>
        <translation>这将永久删除 {count} 项；无法恢复。请用 confirm=true 再次请求。</translation>
    </message>
    <message>
        <source>This role may not do that in the database. Let it make tables there, or name another.</source>
        <translation>该角色在数据库中没有此权限。请允许它在那里创建表，或指定另一个角色。</translation>
    </message>
    <message>
        <source>This run has ended, or it is not yours.</source>
        <translation>此次运行已结束，或不属于你。</translation>
    </message>
    <message>
        <source>This schedule is there no more.</source>
        <translation>此计划已不存在。</translation>
    </message>
    <message>
        <source>This schedule runs already.</source>
        <translation>此计划已在运行。</translation>
    </message>
    <message>
        <source>This search is no longer saved.</source>
        <translation>此搜索已不再保存。</translation>
    </message>
    <message>
        <source>This server cannot tell two machines apart that write at the same moment: add, rename and remove machines on one machine at a time.</source>
        <translation>该服务器无法区分同一时刻写入的两台设备：请每次只在一台设备上添加、重命名和移除设备。</translation>
    </message>
    <message>
        <source>This vault could not be brought up to date (step {step}). Nothing was changed. &apos;keepsake salvage --into FOLDER&apos; copies everything readable into a new vault.</source>
        <translation>无法将此记忆库升级到最新（步骤 {step}）。未作任何更改。“keepsake salvage --into FOLDER”会将可读的全部内容复制到新的记忆库。</translation>
    </message>
    <message>
        <source>This vault is from an older Keepsake (schema {have}; this one needs {known}) and must be brought up to date before it is read, which needs free space and a folder that can be written.</source>
        <translation>此记忆库来自较旧的 Keepsake（结构版本 {have}；当前需要 {known}），读取前必须升级，这需要可用空间和可写的文件夹。</translation>
    </message>
    <message>
        <source>This vault is open for reading only and has no vectors yet.</source>
        <translation>此记忆库以只读方式打开，且尚无向量。</translation>
    </message>
    <message>
        <source>This vault is shared nowhere yet. Name a place first.</source>
        <translation>此记忆库尚未在任何位置共享。请先指定一个位置。</translation>
    </message>
    <message>
        <source>This vault shares its changes through another place. If that one was moved, name the place where it is now. If it was lost, say that this one is to be filled anew.</source>
        <translation>此记忆库通过另一个位置共享更改。如果那个位置已移动，请指定现在的位置；如果已丢失，请说明要重新填充这个位置。</translation>
    </message>
    <message>
        <source>This vault shares its changes with no other machine. Name a place first.</source>
        <translation>此记忆库没有与任何其他设备共享更改。请先指定一个位置。</translation>
    </message>
    <message>
        <source>This vault was made by an unreleased version of Keepsake, and its tables differ from those of every release. Nothing was changed. &apos;keepsake salvage --into FOLDER&apos; copies everything readable into a new vault.</source>
        <translation>此记忆库由未发布的 Keepsake 版本创建，其表与所有发布版本都不同。未作任何更改。“keepsake salvage --into FOLDER”会将可读的全部内容复制到新的记忆库。</translation>
    </message>
    <message>
        <source>This vault was written by a newer Keepsake (schema {have}; this one knows {known}). Update Keepsake, or open another vault.</source>
        <translation>此记忆库由较新的 Keepsake 写入（结构版本 {have}；当前支持 {known}）。请更新 Keepsake，或打开其他记忆库。</translation>
    </message>
    <message>
        <source>This vault was written by a newer Keepsake (schema {schema}; this one knows {known}). Update Keepsake and salvage with that.</source>
        <translation>此记忆库由较新的 Keepsake 写入（结构版本 {schema}；当前支持 {known}）。请更新 Keepsake 后再抢救。</translation>
    </message>
    <message>
        <source>This version of Keepsake does not know {names}, which was left out.</source>
        <translation>此版本的 Keepsake 不认识 {names}，已略去。</translation>
    </message>
    <message>
        <source>This version of Keepsake has no such work.</source>
        <translation>此版本的 Keepsake 没有这项工作。</translation>
    </message>
    <message>
        <source>This was interrupted and finished later; the whole file was written anew.</source>
        <translation>此操作曾中断，后来才完成；整个文件已重新写入。</translation>
    </message>
    <message>
        <source>This was stopped before it was done.</source>
        <translation>此项在完成前被停止。</translation>
    </message>
    <message>
        <source>This was stopped before it was done: the vault was closed, or you chose otherwise meanwhile.</source>
        <translation>此操作在完成前已停止：保险库已关闭，或你在此期间作了其他选择。</translation>
    </message>
    <message>
        <source>This {kind} was deleted. Restore it first, or look in its history.</source>
        <translation>此内容（{kind}）已删除。请先恢复它，或查看其历史。</translation>
    </message>
    <message>
        <source>Thursday</source>
        <translation>星期四</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Time at which remaining conversations are consolidated.</source>
        <translation>整理剩余会话的时间。</translation>
    </message>
    <message>
        <source>Timeout</source>
        <translation>超时</translation>
    </message>
    <message>
        <source>Tokens of a conversation that agents are given back.</source>
        <translation>返还给智能体的会话词元数。</translation>
    </message>
    <message>
        <source>Tokens of an agent&apos;s context, unless it asks for others.</source>
        <translation>智能体上下文的词元数（除非它另有要求）。</translation>
    </message>
    <message>
        <source>Tokens that important messages take at most.</source>
        <translation>重要消息最多占用的词元数。</translation>
    </message>
    <message>
        <source>Tokens that one answer may have.</source>
        <translation>一个回答可含的词元数。</translation>
    </message>
    <message>
        <source>Tokens that relevant messages take at most.</source>
        <translation>相关消息最多占用的词元数。</translation>
    </message>
    <message>
        <source>Tokens that the latest messages take at most.</source>
        <translation>最近消息最多占用的词元数。</translation>
    </message>
    <message>
        <source>Tokens that the memory index takes at most.</source>
        <translation>记忆索引最多占用的词元数。</translation>
    </message>
    <message>
        <source>Tokens that the weekly reflection takes at most.</source>
        <translation>每周反思最多占用的词元数。</translation>
    </message>
    <message>
        <source>Tokens that these facts take at most.</source>
        <translation>这些事实最多占用的词元数。</translation>
    </message>
    <message>
        <source>Tokens that these summaries take at most.</source>
        <translation>这些摘要最多占用的词元数。</translation>
    </message>
    <message>
        <source>Too many levels of symbolic links</source>
        <translation>符号链接层数过多</translation>
    </message>
    <message>
        <source>Too many messages are waiting to be stored.</source>
        <translation>等待存储的消息过多。</translation>
    </message>
    <message>
        <source>Too many programs wait to be let in. Ask the person to allow or refuse some first.</source>
        <translation>等待访问的程序过多。请先允许或拒绝其中一些。</translation>
    </message>
    <message>
        <source>Took 1 short name apart again, which may be of somebody else.</source>
        <translation>重新拆开了 1 个可能属于别人的短名。</translation>
    </message>
    <message>
        <source>Took away 1 mention in texts that are gone.</source>
        <translation>已移除已不存在的文本中的 1 处提及。</translation>
    </message>
    <message>
        <source>Took away 1 row of {table} that belonged to nothing.</source>
        <translation>已移除 {table} 中 1 个不属于任何内容的行。</translation>
    </message>
    <message>
        <source>Took away {count} mentions in texts that are gone.</source>
        <translation>已移除已不存在的文本中的 {count} 处提及。</translation>
    </message>
    <message>
        <source>Took away {count} rows of {table} that belonged to nothing.</source>
        <translation>已移除 {table} 中 {count} 个不属于任何内容的行。</translation>
    </message>
    <message>
        <source>Took in part of a conversation</source>
        <translation>收录了会话的一部分</translation>
    </message>
    <message>
        <source>Took {count} short names apart again, which may be of somebody else.</source>
        <translation>重新拆开了 {count} 个可能属于别人的短名。</translation>
    </message>
    <message>
        <source>Transcripts are not followed for now: {why}</source>
        <translation>目前没有跟随对话记录：{why}</translation>
    </message>
    <message>
        <source>Transcripts of Cursor are not sent in lines. Import its state.vscdb.</source>
        <translation>Cursor 的会话记录不按行发送。请导入其 state.vscdb。</translation>
    </message>
    <message>
        <source>Tri</source>
        <translation>Tri</translation>
    </message>
    <message>
        <source>Tri importance</source>
        <translation>Tri 重要度</translation>
    </message>
    <message>
        <source>Tri recent</source>
        <translation>Tri 最近</translation>
    </message>
    <message>
        <source>Tri relevant</source>
        <translation>Tri 相关</translation>
    </message>
    <message>
        <source>Tri salient</source>
        <translation>Tri 突出</translation>
    </message>
    <message>
        <source>Tri similarity</source>
        <translation>Tri 相似度</translation>
    </message>
    <message>
        <source>Try {values}.</source>
        <translation>可以试试 {values}。</translation>
    </message>
    <message>
        <source>Tuesday</source>
        <translation>星期二</translation>
    </message>
    <message>
        <source>Turns of a language model that one run of a goal takes at most.</source>
        <translation>目标单次运行最多使用的语言模型轮数。</translation>
    </message>
    <message>
        <source>Two copies of one vault wrote as the same machine; what the second one wrote is not taken in.</source>
        <translation>同一记忆库的两个副本以同一台设备的身份写入；第二个副本写入的内容不会被接收。</translation>
    </message>
    <message>
        <source>Two copies of this vault wrote to one place at the same time. The next time sets it right.</source>
        <translation>此记忆库的两个副本同时写入了同一个位置。下次会自动纠正。</translation>
    </message>
    <message>
        <source>Two of your machines changed the list of your machines at the same time, and the change that was made elsewhere counts. Make an invitation on another machine, and join here with its words: nothing that was written here is lost. Then change the list again where it is not as you want it.</source>
        <translation>你的两台设备同时更改了你的设备列表，以在别处所做的更改为准。请在另一台设备上创建邀请，并在此处用其中的词语加入：在此处写下的内容不会丢失。之后，如果列表与你的期望不符，请再次更改。</translation>
    </message>
    <message>
        <source>Undid 1 change of {agent}</source>
        <translation>已撤销 {agent} 的 1 项更改</translation>
    </message>
    <message>
        <source>Undid part of: {what}</source>
        <translation>部分撤销：{what}</translation>
    </message>
    <message>
        <source>Undid {count} changes of {agent}</source>
        <translation>撤销了 {agent} 的 {count} 项更改</translation>
    </message>
    <message>
        <source>Undid: {what}</source>
        <translation>撤销：{what}</translation>
    </message>
    <message>
        <source>Undo this first: {what}.</source>
        <translation>请先撤销此项：{what}。</translation>
    </message>
    <message>
        <source>Undoing what {name} wrote</source>
        <translation>正在撤销 {name} 写入的内容</translation>
    </message>
    <message>
        <source>Unpack it, and import what is in it.</source>
        <translation>请解压并导入其中的内容。</translation>
    </message>
    <message>
        <source>Unpinned {items}</source>
        <translation>取消置顶了{items}</translation>
    </message>
    <message>
        <source>Use a language model or spaCy to find names, if available.</source>
        <translation>如有语言模型或 spaCy，则用其查找名称。</translation>
    </message>
    <message>
        <source>Use or close that one; if it does not answer, end its process.</source>
        <translation>请使用或关闭那一个；如果它没有响应，请结束其进程。</translation>
    </message>
    <message>
        <source>Used schedules</source>
        <translation>使用了计划</translation>
    </message>
    <message>
        <source>Used your facts</source>
        <translation>使用了你的事实</translation>
    </message>
    <message>
        <source>Used your memories</source>
        <translation>使用了你的记忆</translation>
    </message>
    <message>
        <source>Vector</source>
        <translation>向量</translation>
    </message>
    <message>
        <source>Vector weight</source>
        <translation>向量权重</translation>
    </message>
    <message>
        <source>Wait</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Waited 1 minute: {why}.</source>
        <translation>等待了 1 分钟：{why}。</translation>
    </message>
    <message>
        <source>Waited {count} hours: {why}.</source>
        <translation>等待了 {count} 小时：{why}。</translation>
    </message>
    <message>
        <source>Waited {count} minutes: {why}.</source>
        <translation>等待了 {count} 分钟：{why}。</translation>
    </message>
    <message>
        <source>Waits because incognito is on.</source>
        <translation>正在等待，因为无痕模式已开启。</translation>
    </message>
    <message>
        <source>Waits because {agent}, who made it, is paused.</source>
        <translation>正在等待，因为创建它的 {agent} 已暂停。</translation>
    </message>
    <message>
        <source>Waits for a language model or an agent.</source>
        <translation>正在等待语言模型或智能体。</translation>
    </message>
    <message>
        <source>Waits until your other machines can be asked.</source>
        <translation>等到可以询问你的其他设备。</translation>
    </message>
    <message>
        <source>Waits until your other machines can be asked. {reason}</source>
        <translation>等到可以询问你的其他设备。{reason}</translation>
    </message>
    <message>
        <source>Waits: it is the turn of another of your machines.</source>
        <translation>等待：轮到你的另一台设备。</translation>
    </message>
    <message>
        <source>Waits: it is the turn of {machine}.</source>
        <translation>等待：轮到 {machine}。</translation>
    </message>
    <message>
        <source>Waits: it runs already.</source>
        <translation>等待：已在运行。</translation>
    </message>
    <message>
        <source>Waits: {why}</source>
        <translation>正在等待：{why}</translation>
    </message>
    <message>
        <source>Waits: {why}.</source>
        <translation>正在等待：{why}。</translation>
    </message>
    <message>
        <source>Wednesday</source>
        <translation>星期三</translation>
    </message>
    <message>
        <source>Weekly backups that are kept.</source>
        <translation>保留的每周备份数。</translation>
    </message>
    <message>
        <source>Weekly insight</source>
        <translation>每周洞察</translation>
    </message>
    <message>
        <source>Weekly reflection</source>
        <translation>每周反思</translation>
    </message>
    <message>
        <source>Weighted</source>
        <translation>加权</translation>
    </message>
    <message>
        <source>What a built-in schedule does cannot be changed.</source>
        <translation>内置计划所做的事无法更改。</translation>
    </message>
    <message>
        <source>What a machine wrote after it was removed is not taken in.</source>
        <translation>设备被移除后写入的内容不会被接收。</translation>
    </message>
    <message>
        <source>What agents do is not recorded at the moment.</source>
        <translation>目前没有记录智能体的操作。</translation>
    </message>
    <message>
        <source>What an edit or a retry replaced was left out.</source>
        <translation>被编辑或重试取代的内容已略去。</translation>
    </message>
    <message>
        <source>What has expired could not be set aside: {why}</source>
        <translation>无法搁置已过期的内容：{why}</translation>
    </message>
    <message>
        <source>What is deleted leaves the archive; only the history keeps it, by which an undo brings it back.</source>
        <translation>删除的内容会离开归档；只有历史记录保留它，撤销可将其恢复。</translation>
    </message>
    <message>
        <source>What is done with that folder: &apos;read&apos; takes its edits in and never writes to it; &apos;both&apos; also writes edits, new notes and deletions back, and keeps a note that is edited on both sides twice.</source>
        <translation>如何处理该文件夹：“read”只收录其中的编辑而从不写入；“both”还会写回编辑、新笔记和删除，并将两边都编辑过的笔记保留两份。</translation>
    </message>
    <message>
        <source>What one of your machines wrote after {time} UTC is lost: neither the place nor a machine has it.</source>
        <translation>你的一台设备在 {time} UTC 之后写下的内容已丢失：该位置和所有设备上都没有。</translation>
    </message>
    <message>
        <source>What one of your machines wrote is lost: neither the place nor a machine has it.</source>
        <translation>你的一台设备写下的内容已丢失：该位置和所有设备上都没有。</translation>
    </message>
    <message>
        <source>What stands for the older messages of a long conversation: a list of them, one sentence each; a summary by the language model, or the list where there is none; or nothing.</source>
        <translation>长会话中较早消息的替代：每条一句的列表；语言模型的摘要，没有模型时用列表；或什么都没有。</translation>
    </message>
    <message>
        <source>What this name means there was decided already. Undo that first.</source>
        <translation>此名称在那里的含义已经确定。请先撤销。</translation>
    </message>
    <message>
        <source>What turns text into vectors: &apos;static&apos; (built in), &apos;hashed&apos; (for tests), &apos;fastembed:&lt;model name&gt;&apos;, or a remote service: &apos;openai:&apos;, &apos;voyage:&apos;, &apos;cohere:&apos; or &apos;openai-compatible:&apos; with a model name. What is searched for is sent to a remote service too.</source>
        <translation>将文本转换为向量的方式：static（内置）、hashed（测试用）、fastembed:&lt;model name&gt;，或远程服务：openai:、voyage:、cohere: 或 openai-compatible: 加模型名称。搜索内容也会发送到远程服务。</translation>
    </message>
    <message>
        <source>What waits for the person may have at most {max_bytes} characters.</source>
        <translation>等待你处理的内容最多 {max_bytes} 个字符。</translation>
    </message>
    <message>
        <source>What was accepted changed nothing that the history keeps, but perhaps a setting or what was said in a conversation, so it cannot be undone here.</source>
        <translation>接受的内容没有更改历史所保存的任何东西，但可能更改了设置或会话内容，因此无法在此撤销。</translation>
    </message>
    <message>
        <source>What was accepted changed nothing that the history keeps, so it cannot be undone here.</source>
        <translation>所接受的内容没有更改历史记录所保存的任何内容，因此无法在此撤销。</translation>
    </message>
    <message>
        <source>What was stored with this key, {id}, has been removed since. Use another key.</source>
        <translation>用此键存储的内容 {id} 此后已被移除。请使用其他键。</translation>
    </message>
    <message>
        <source>WhatsApp chat</source>
        <translation>WhatsApp 聊天</translation>
    </message>
    <message>
        <source>When it is written on that day.</source>
        <translation>当天撰写的时间。</translation>
    </message>
    <message>
        <source>When that is done each night, unless its schedule was moved.</source>
        <translation>每晚执行的时间（除非移动了其计划）。</translation>
    </message>
    <message>
        <source>When that is done each night.</source>
        <translation>每晚执行的时间。</translation>
    </message>
    <message>
        <source>When that is done, unless its schedule was moved.</source>
        <translation>执行的时间（除非移动了其计划）。</translation>
    </message>
    <message>
        <source>Whether goals wait while the connection is paid by volume, a day at most, or run on it too.</source>
        <translation>使用按流量计费的网络时，目标是等待（最多一天）还是照常运行。</translation>
    </message>
    <message>
        <source>Whether heavy work waits for mains power, a day at most, or runs on battery too.</source>
        <translation>繁重的工作是等待接通电源（最多一天）还是也用电池运行。</translation>
    </message>
    <message>
        <source>Whether your other machines have forgotten it is not known here.</source>
        <translation>这里无法得知你的其他设备是否已遗忘它。</translation>
    </message>
    <message>
        <source>While you write, show quietly what you already know about it, and what a new text may contradict.</source>
        <translation>书写时安静地显示你已知的相关内容，以及新文本可能与之矛盾的内容。</translation>
    </message>
    <message>
        <source>Who answers where a language model helps: nobody, or a service that speaks OpenAI&apos;s protocol.</source>
        <translation>在语言模型有帮助处由谁回答：无，或使用 OpenAI 协议的服务。</translation>
    </message>
    <message>
        <source>Without encryption, others could read the password on its way. Begin the address with https://.</source>
        <translation>不加密的话，他人可能在传输途中读到密码。请让地址以 https:// 开头。</translation>
    </message>
    <message>
        <source>Word document</source>
        <translation>Word 文档</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>词语</translation>
    </message>
    <message>
        <source>Working turns</source>
        <translation>工作轮次</translation>
    </message>
    <message>
        <source>Would archive 1 observation.</source>
        <translation>将归档 1 条观察。</translation>
    </message>
    <message>
        <source>Would archive {count} observations.</source>
        <translation>将归档 {count} 条观察。</translation>
    </message>
    <message>
        <source>Would compress 1 observation into {digests}.</source>
        <translation>将把 1 条观察压缩为 {digests}。</translation>
    </message>
    <message>
        <source>Would compress {count} observations into {digests}.</source>
        <translation>将把 {count} 条观察压缩为 {digests}。</translation>
    </message>
    <message>
        <source>Would delete 1 observation after its time in the archive.</source>
        <translation>将删除 1 条归档期满的观察。</translation>
    </message>
    <message>
        <source>Would delete {count} observations after their time in the archive.</source>
        <translation>将删除 {count} 条归档期满的观察。</translation>
    </message>
    <message>
        <source>Would let 1 fact fade.</source>
        <translation>将让 1 条事实淡忘。</translation>
    </message>
    <message>
        <source>Would let {count} facts fade.</source>
        <translation>将让 {count} 条事实淡忘。</translation>
    </message>
    <message>
        <source>Write [{name}] on a line of its own, and its settings below.</source>
        <translation>请将 [{name}] 单独写在一行，并把其设置写在下面。</translation>
    </message>
    <message>
        <source>Write a reflection on the week.</source>
        <translation>撰写本周反思。</translation>
    </message>
    <message>
        <source>Write behind queue</source>
        <translation>延迟写入队列</translation>
    </message>
    <message>
        <source>Write it from the top or from &apos;~&apos;.</source>
        <translation>请从根目录或“~”开始书写。</translation>
    </message>
    <message>
        <source>Write the week: people and what changed with them, plans due, open promises, changes of mind, what faded.</source>
        <translation>写下这一周：人物及其变化、临近的计划、未兑现的承诺、改变的想法以及淡忘的内容。</translation>
    </message>
    <message>
        <source>Write {name} = &quot;{provider}&quot;.</source>
        <translation>请写 {name} = &quot;{provider}&quot;。</translation>
    </message>
    <message>
        <source>Write {name} = &quot;{provider}:&lt;model name&gt;&quot;.</source>
        <translation>请写 {name} = &quot;{provider}:&lt;model name&gt;&quot;。</translation>
    </message>
    <message>
        <source>Write {new} instead; the next change of a setting does it too.</source>
        <translation>请改写为 {new}；下次更改设置时也会自动改写。</translation>
    </message>
    <message>
        <source>Write “{title}”.</source>
        <translation>撰写“{title}”。</translation>
    </message>
    <message>
        <source>Wrote a note</source>
        <translation>写了笔记</translation>
    </message>
    <message>
        <source>Wrote a reflection</source>
        <translation>写了反思</translation>
    </message>
    <message>
        <source>Wrote {items}</source>
        <translation>写下了{items}</translation>
    </message>
    <message>
        <source>Wrote “{title}” from 1 source.</source>
        <translation>根据 1 个来源写了“{title}”。</translation>
    </message>
    <message>
        <source>Wrote “{title}” from {count} sources.</source>
        <translation>根据 {count} 个来源写了“{title}”。</translation>
    </message>
    <message>
        <source>Your memory in {database} is as it was before.</source>
        <translation>{database} 中的记忆与之前一样。</translation>
    </message>
    <message>
        <source>Your other machines could not be asked.</source>
        <translation>当时无法询问你的其他设备。</translation>
    </message>
    <message>
        <source>Your other machines could not be asked. {reason}</source>
        <translation>无法询问你的其他电脑。{reason}</translation>
    </message>
    <message>
        <source>a change of conversation was not noticed</source>
        <translation>没有注意到会话的切换</translation>
    </message>
    <message>
        <source>a fact</source>
        <translation>一条事实</translation>
    </message>
    <message>
        <source>a long conversation could not be condensed</source>
        <translation>无法浓缩较长的会话</translation>
    </message>
    <message>
        <source>a name that is no plain word</source>
        <translation>一个不是简单词语的名称</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>数字</translation>
    </message>
    <message>
        <source>a text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>a text on one line, without control characters</source>
        <translation>一行不含控制字符的文本</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>an error inside Keepsake ({kind}). Restart it.</source>
        <translation>Keepsake 内部错误（{kind}）。请重新启动。</translation>
    </message>
    <message>
        <source>another encoding</source>
        <translation>其他编码</translation>
    </message>
    <message>
        <source>are kept with the message, where no search finds them</source>
        <translation>随消息保留，但搜索不到</translation>
    </message>
    <message>
        <source>beyond the {most} that are looked at in one folder</source>
        <translation>（超出每个文件夹查看的 {most} 个）</translation>
    </message>
    <message>
        <source>category</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>change</source>
        <translation>项更改</translation>
    </message>
    <message>
        <source>changes</source>
        <translation>项更改</translation>
    </message>
    <message>
        <source>choose the embedder static</source>
        <translation>选择嵌入器 static</translation>
    </message>
    <message>
        <source>comment</source>
        <translation>批注</translation>
    </message>
    <message>
        <source>comments</source>
        <translation>批注</translation>
    </message>
    <message>
        <source>confidence</source>
        <translation>置信度</translation>
    </message>
    <message>
        <source>confidence {before} to {after}</source>
        <translation>置信度 {before} 变为 {after}</translation>
    </message>
    <message>
        <source>conversation</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>conversation {key}</source>
        <translation>会话 {key}</translation>
    </message>
    <message>
        <source>conversations</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>copies</source>
        <translation>份</translation>
    </message>
    <message>
        <source>copy</source>
        <translation>份</translation>
    </message>
    <message>
        <source>date</source>
        <translation>日期</translation>
    </message>
    <message>
        <source>decision</source>
        <translation>决定</translation>
    </message>
    <message>
        <source>digest</source>
        <translation>摘录</translation>
    </message>
    <message>
        <source>document</source>
        <translation>文档</translation>
    </message>
    <message>
        <source>documents</source>
        <translation>文档</translation>
    </message>
    <message>
        <source>email</source>
        <translation>电子邮箱</translation>
    </message>
    <message>
        <source>entities</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>entity</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>entries</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>entry</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>fact</source>
        <translation>条事实</translation>
    </message>
    <message>
        <source>facts</source>
        <translation>条事实</translation>
    </message>
    <message>
        <source>fastembed cannot rerank with this model, only with {choices}.</source>
        <translation>fastembed 不能用此模型重排序，只能用：{choices}。</translation>
    </message>
    <message>
        <source>fastembed does not support this model; it supports {choices}.</source>
        <translation>fastembed 不支持此模型；支持的有：{choices}。</translation>
    </message>
    <message>
        <source>field</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>fields</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>file</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>file that is attached to a mail</source>
        <translation>附在邮件上的文件</translation>
    </message>
    <message>
        <source>files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>files that are attached to mails</source>
        <translation>附在邮件上的文件</translation>
    </message>
    <message>
        <source>from the archive</source>
        <translation>来自归档</translation>
    </message>
    <message>
        <source>goal</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>hashtag</source>
        <translation>话题标签</translation>
    </message>
    <message>
        <source>head</source>
        <translation>头部</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>头部</translation>
    </message>
    <message>
        <source>hidden file</source>
        <translation>隐藏文件</translation>
    </message>
    <message>
        <source>hidden file or folder</source>
        <translation>隐藏文件或文件夹</translation>
    </message>
    <message>
        <source>hidden files</source>
        <translation>隐藏文件</translation>
    </message>
    <message>
        <source>hidden files or folders</source>
        <translation>隐藏文件或文件夹</translation>
    </message>
    <message>
        <source>holds a {file} that is neither ChatGPT&apos;s nor Claude&apos;s</source>
        <translation>含有一个既不属于 ChatGPT 也不属于 Claude 的 {file}</translation>
    </message>
    <message>
        <source>holds no Markdown notes, no documents and no conversations.json</source>
        <translation>不含 Markdown 笔记、文档或 conversations.json</translation>
    </message>
    <message>
        <source>holds other zip files; unpack it, and import the folder</source>
        <translation>含有其他 zip 文件；请解压后导入该文件夹</translation>
    </message>
    <message>
        <source>how fast it fades</source>
        <translation>淡化速度</translation>
    </message>
    <message>
        <source>iCloud has moved {database} off this computer. Download it in the file manager, then move the vault out of iCloud Drive.</source>
        <translation>iCloud 已将 {database} 移出此电脑。请在文件管理器中下载它，然后将记忆库移出 iCloud Drive。</translation>
    </message>
    <message>
        <source>in &apos;{field}&apos;</source>
        <translation>在“{field}”中</translation>
    </message>
    <message>
        <source>in it</source>
        <translation>在其中</translation>
    </message>
    <message>
        <source>in no format that is known</source>
        <translation>（格式未知）</translation>
    </message>
    <message>
        <source>integrity, repaired where it is derived</source>
        <translation>完整性，派生数据会修复</translation>
    </message>
    <message>
        <source>into the trash</source>
        <translation>移入回收站</translation>
    </message>
    <message>
        <source>is a SQLite database without memories in tables that are known</source>
        <translation>是一个 SQLite 数据库，但其中没有已知的记忆表</translation>
    </message>
    <message>
        <source>is a damaged zip file ({reason})</source>
        <translation>是损坏的 zip 文件（{reason}）</translation>
    </message>
    <message>
        <source>is a tar archive, and not an export of Joplin; unpack it and import the folder</source>
        <translation>是 tar 归档，但不是 Joplin 的导出；请解压后导入该文件夹</translation>
    </message>
    <message>
        <source>is a zip without a conversations.json in it</source>
        <translation>是不含 conversations.json 的 zip 文件</translation>
    </message>
    <message>
        <source>is compressed, and not Keepsake&apos;s JSONL</source>
        <translation>已压缩，但不是 Keepsake 的 JSONL</translation>
    </message>
    <message>
        <source>is in no format that is known</source>
        <translation>不是任何已知格式</translation>
    </message>
    <message>
        <source>is larger than 1 MiB, which no settings are</source>
        <translation>大于 1 MiB，不会是设置文件</translation>
    </message>
    <message>
        <source>is not text</source>
        <translation>不是文本</translation>
    </message>
    <message>
        <source>is not valid TOML: a key or section is there twice</source>
        <translation>不是有效的 TOML：有键或节重复</translation>
    </message>
    <message>
        <source>is not valid TOML: it is nested too deeply</source>
        <translation>不是有效的 TOML：嵌套过深</translation>
    </message>
    <message>
        <source>is not valid TOML: line {line} is not UTF-8 text</source>
        <translation>不是有效的 TOML：第 {line} 行不是 UTF-8 文本</translation>
    </message>
    <message>
        <source>is not valid TOML: something is wrong at line {line}, column {column}</source>
        <translation>不是有效的 TOML：第 {line} 行第 {column} 列有误</translation>
    </message>
    <message>
        <source>it is not valid JSON: {error}</source>
        <translation>它不是有效的 JSON：{error}</translation>
    </message>
    <message>
        <source>item</source>
        <translation>项</translation>
    </message>
    <message>
        <source>items</source>
        <translation>项</translation>
    </message>
    <message>
        <source>its folder</source>
        <translation>其文件夹</translation>
    </message>
    <message>
        <source>its sender</source>
        <translation>其发送者</translation>
    </message>
    <message>
        <source>key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>leave search.reranker empty</source>
        <translation>将 search.reranker 留空</translation>
    </message>
    <message>
        <source>less than a day</source>
        <translation>不到一天</translation>
    </message>
    <message>
        <source>line</source>
        <translation>行</translation>
    </message>
    <message>
        <source>lines</source>
        <translation>行</translation>
    </message>
    <message>
        <source>link</source>
        <translation>链接</translation>
    </message>
    <message>
        <source>links</source>
        <translation>链接</translation>
    </message>
    <message>
        <source>llm.base_url is no address that can be used.</source>
        <translation>llm.base_url 不是可用的地址。</translation>
    </message>
    <message>
        <source>location</source>
        <translation>地点</translation>
    </message>
    <message>
        <source>looks like an export of {program}, which is not supported yet</source>
        <translation>看起来是 {program} 的导出，目前尚不支持</translation>
    </message>
    <message>
        <source>mail</source>
        <translation>邮件</translation>
    </message>
    <message>
        <source>mails</source>
        <translation>邮件</translation>
    </message>
    <message>
        <source>mem0</source>
        <translation>mem0</translation>
    </message>
    <message>
        <source>memories</source>
        <translation>条记忆</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>条记忆</translation>
    </message>
    <message>
        <source>memory with few names</source>
        <translation>名称很少的记忆</translation>
    </message>
    <message>
        <source>mention</source>
        <translation>提及</translation>
    </message>
    <message>
        <source>mentions</source>
        <translation>提及</translation>
    </message>
    <message>
        <source>message</source>
        <translation>条消息</translation>
    </message>
    <message>
        <source>message with few names</source>
        <translation>名称很少的消息</translation>
    </message>
    <message>
        <source>messages</source>
        <translation>条消息</translation>
    </message>
    <message>
        <source>name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>names</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>no memories could be taken</source>
        <translation>无法提取记忆</translation>
    </message>
    <message>
        <source>no new facts</source>
        <translation>没有新事实</translation>
    </message>
    <message>
        <source>note</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>notes</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>空内容</translation>
    </message>
    <message>
        <source>nothing is done any more</source>
        <translation>不再执行任何操作</translation>
    </message>
    <message>
        <source>nothing is drawn from it</source>
        <translation>不从中提取内容</translation>
    </message>
    <message>
        <source>nothing of use</source>
        <translation>无用的内容</translation>
    </message>
    <message>
        <source>notices</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>observation</source>
        <translation>观察</translation>
    </message>
    <message>
        <source>on battery</source>
        <translation>正在使用电池</translation>
    </message>
    <message>
        <source>on or off</source>
        <translation>开或关</translation>
    </message>
    <message>
        <source>one name has a middle name or initial more</source>
        <translation>其中一个名称多了中间名或首字母</translation>
    </message>
    <message>
        <source>one name has an initial for the first name of the other</source>
        <translation>其中一个名称用首字母代替另一个的名字</translation>
    </message>
    <message>
        <source>one name is made of the first letters of the other</source>
        <translation>其中一个名称由另一个的首字母组成</translation>
    </message>
    <message>
        <source>one name is part of the other, and both are mentioned in one conversation</source>
        <translation>其中一个名称是另一个的一部分，且两者在同一会话中被提到</translation>
    </message>
    <message>
        <source>one of {choices}</source>
        <translation>以下之一：{choices}</translation>
    </message>
    <message>
        <source>only shows a ChatGPT export in a browser; import its conversations.json or its zip</source>
        <translation>只是在浏览器中显示 ChatGPT 的导出；请导入其 conversations.json 或 zip</translation>
    </message>
    <message>
        <source>organization</source>
        <translation>组织</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他名称</translation>
    </message>
    <message>
        <source>other names</source>
        <translation>别名</translation>
    </message>
    <message>
        <source>page</source>
        <translation>页</translation>
    </message>
    <message>
        <source>pages</source>
        <translation>页</translation>
    </message>
    <message>
        <source>people</source>
        <translation>人物</translation>
    </message>
    <message>
        <source>person</source>
        <translation>人物</translation>
    </message>
    <message>
        <source>picture or recording</source>
        <translation>图片或录音</translation>
    </message>
    <message>
        <source>picture, recording or document</source>
        <translation>图片、录音或文档</translation>
    </message>
    <message>
        <source>pictures or recordings</source>
        <translation>图片或录音</translation>
    </message>
    <message>
        <source>pictures, recordings or documents</source>
        <translation>图片、录音或文档</translation>
    </message>
    <message>
        <source>pinned or not</source>
        <translation>是否置顶</translation>
    </message>
    <message>
        <source>pipe, socket or device</source>
        <translation>管道、套接字或设备</translation>
    </message>
    <message>
        <source>pipes, sockets or devices</source>
        <translation>管道、套接字或设备</translation>
    </message>
    <message>
        <source>project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>projects</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>queries</source>
        <translation>条查询</translation>
    </message>
    <message>
        <source>query</source>
        <translation>条查询</translation>
    </message>
    <message>
        <source>question</source>
        <translation>个问题</translation>
    </message>
    <message>
        <source>questions</source>
        <translation>个问题</translation>
    </message>
    <message>
        <source>reflection</source>
        <translation>反思</translation>
    </message>
    <message>
        <source>relation</source>
        <translation>关系</translation>
    </message>
    <message>
        <source>relation {first} {verb} {second}</source>
        <translation>关系 {first} {verb} {second}</translation>
    </message>
    <message>
        <source>relations</source>
        <translation>关系</translation>
    </message>
    <message>
        <source>row</source>
        <translation>行</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>session {key}</source>
        <translation>会话 {key}</translation>
    </message>
    <message>
        <source>something else</source>
        <translation>其他内容</translation>
    </message>
    <message>
        <source>something that is no chat answer</source>
        <translation>非聊天回答的内容</translation>
    </message>
    <message>
        <source>statistics for the query planner</source>
        <translation>查询规划器的统计信息</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>table {name}</source>
        <translation>表 {name}</translation>
    </message>
    <message>
        <source>tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>text</source>
        <translation>段文本</translation>
    </message>
    <message>
        <source>texts</source>
        <translation>段文本</translation>
    </message>
    <message>
        <source>texts for which making vectors failed</source>
        <translation>生成向量失败的文本</translation>
    </message>
    <message>
        <source>that lead out of the folder or nowhere</source>
        <translation>（指向文件夹之外或空处）</translation>
    </message>
    <message>
        <source>that leads out of it or nowhere</source>
        <translation>（指向文件夹之外或空处）</translation>
    </message>
    <message>
        <source>that no import takes</source>
        <translation>（任何导入都不采纳）</translation>
    </message>
    <message>
        <source>that no message shows</source>
        <translation>（没有消息显示）</translation>
    </message>
    <message>
        <source>that no note shows</source>
        <translation>（没有笔记显示）</translation>
    </message>
    <message>
        <source>that this version does not know</source>
        <translation>（此版本不认识）</translation>
    </message>
    <message>
        <source>the battery is low</source>
        <translation>电池电量低</translation>
    </message>
    <message>
        <source>the connection is metered</source>
        <translation>连接按流量计费</translation>
    </message>
    <message>
        <source>the conversation ‘{title}’</source>
        <translation>会话“{title}”</translation>
    </message>
    <message>
        <source>the default</source>
        <translation>默认值</translation>
    </message>
    <message>
        <source>the digest ‘{title}’</source>
        <translation>摘要“{title}”</translation>
    </message>
    <message>
        <source>the environment variable that {section}.api_key_env names</source>
        <translation>{section}.api_key_env 指定的环境变量</translation>
    </message>
    <message>
        <source>the environment variable {name}</source>
        <translation>环境变量 {name}</translation>
    </message>
    <message>
        <source>the fact ‘{title}’</source>
        <translation>事实“{title}”</translation>
    </message>
    <message>
        <source>the file is cut off in the middle of it</source>
        <translation>文件在其中间被截断</translation>
    </message>
    <message>
        <source>the inbox rule ‘{title}’</source>
        <translation>收件箱规则“{title}”</translation>
    </message>
    <message>
        <source>the keyring</source>
        <translation>密钥环</translation>
    </message>
    <message>
        <source>the memory ‘{title}’</source>
        <translation>记忆“{title}”</translation>
    </message>
    <message>
        <source>the name ‘{title}’</source>
        <translation>名称“{title}”</translation>
    </message>
    <message>
        <source>the names differ in one letter</source>
        <translation>两个名称只差一个字母</translation>
    </message>
    <message>
        <source>the names differ only in a title</source>
        <translation>两个名称只差一个头衔</translation>
    </message>
    <message>
        <source>the names differ only in accents, dots or hyphens</source>
        <translation>两个名称只差重音符号、点或连字符</translation>
    </message>
    <message>
        <source>the names differ only in words such as Inc. or The</source>
        <translation>两个名称只差 Inc. 或 The 之类的词</translation>
    </message>
    <message>
        <source>the note ‘{title}’</source>
        <translation>笔记“{title}”</translation>
    </message>
    <message>
        <source>the observation ‘{title}’</source>
        <translation>观察“{title}”</translation>
    </message>
    <message>
        <source>the proposal ‘{title}’</source>
        <translation>提议“{title}”</translation>
    </message>
    <message>
        <source>the reflection ‘{title}’</source>
        <translation>回顾“{title}”</translation>
    </message>
    <message>
        <source>the same words in another order</source>
        <translation>词语相同，顺序不同</translation>
    </message>
    <message>
        <source>the saved search ‘{title}’</source>
        <translation>已保存的搜索“{title}”</translation>
    </message>
    <message>
        <source>the schedule ‘{title}’</source>
        <translation>计划“{title}”</translation>
    </message>
    <message>
        <source>the text ‘{title}’</source>
        <translation>文本“{title}”</translation>
    </message>
    <message>
        <source>the value from the command line</source>
        <translation>命令行中的值</translation>
    </message>
    <message>
        <source>the value in config.toml</source>
        <translation>config.toml 中的值</translation>
    </message>
    <message>
        <source>the value in the environment</source>
        <translation>环境中的值</translation>
    </message>
    <message>
        <source>time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>times</source>
        <translation>时间安排</translation>
    </message>
    <message>
        <source>title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>to the archive</source>
        <translation>移入归档</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true 或 false</translation>
    </message>
    <message>
        <source>trust</source>
        <translation>信任级别</translation>
    </message>
    <message>
        <source>turn</source>
        <translation>轮</translation>
    </message>
    <message>
        <source>turns</source>
        <translation>轮</translation>
    </message>
    <message>
        <source>type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>until when it holds</source>
        <translation>有效期</translation>
    </message>
    <message>
        <source>until when it is kept</source>
        <translation>保留期</translation>
    </message>
    <message>
        <source>updated {items}</source>
        <translation>更新了{items}</translation>
    </message>
    <message>
        <source>url</source>
        <translation>网址</translation>
    </message>
    <message>
        <source>were left out</source>
        <translation>已被略去</translation>
    </message>
    <message>
        <source>what a conversation was about could not be written</source>
        <translation>无法写入会话的主题</translation>
    </message>
    <message>
        <source>what is remembered of a conversation could not be looked up</source>
        <translation>无法查询会话中要记住的内容</translation>
    </message>
    <message>
        <source>what it was merged into</source>
        <translation>合并到何处</translation>
    </message>
    <message>
        <source>what took its place</source>
        <translation>取代它的内容</translation>
    </message>
    <message>
        <source>who may see it</source>
        <translation>谁可以查看</translation>
    </message>
    <message>
        <source>with lists, settings or a copy of the conversations,</source>
        <translation>（含列表、设置或会话副本）</translation>
    </message>
    <message>
        <source>with ratings of answers, and remarks on them,</source>
        <translation>（含对回答的评分和备注）</translation>
    </message>
    <message>
        <source>within it</source>
        <translation>（位于其中）</translation>
    </message>
    <message>
        <source>without contents</source>
        <translation>（无内容）</translation>
    </message>
    <message>
        <source>wording</source>
        <translation>措辞</translation>
    </message>
    <message>
        <source>you are typing</source>
        <translation>你正在输入</translation>
    </message>
    <message>
        <source>zip file</source>
        <translation>zip 文件</translation>
    </message>
    <message>
        <source>zip files</source>
        <translation>zip 文件</translation>
    </message>
    <message>
        <source>{agent} has not called.</source>
        <translation>{agent} 没有调用过。</translation>
    </message>
    <message>
        <source>{agent} has {trust} trust and stores in {allowed}.</source>
        <translation>{agent} 的信任级别是 {trust}，存储位置为 {allowed}。</translation>
    </message>
    <message>
        <source>{agent}, who made this schedule, has no access any more.</source>
        <translation>创建此计划的 {agent} 已无访问权限。</translation>
    </message>
    <message>
        <source>{client} has an entry named &apos;{entry}&apos; already, in {path}. Remove it first.</source>
        <translation>{client} 在 {path} 中已有条目“{entry}”。请先将其删除。</translation>
    </message>
    <message>
        <source>{client} has no hooks. Leave out --hooks; its transcripts can be watched instead.</source>
        <translation>{client} 没有钩子。请去掉 --hooks；可以改为跟踪其会话记录。</translation>
    </message>
    <message>
        <source>{client} is connected already. Disconnect it first (&apos;keepsake agent disconnect {client_name}&apos;).</source>
        <translation>{client} 已连接。请先断开它（“keepsake agent disconnect {client_name}”）。</translation>
    </message>
    <message>
        <source>{count} Markdown files</source>
        <translation>{count} 个 Markdown 文件</translation>
    </message>
    <message>
        <source>{count} agents or conversations store mostly what is deleted or rejected.</source>
        <translation>{count} 个代理或会话存储的内容大多被删除或拒绝。</translation>
    </message>
    <message>
        <source>{count} agents try to store again what they have just recalled.</source>
        <translation>{count} 个代理试图再次存储它们刚刚调取的内容。</translation>
    </message>
    <message>
        <source>{count} attached files that no note shows were left out.</source>
        <translation>{count} 个没有笔记显示的附件被略去。</translation>
    </message>
    <message>
        <source>{count} attachments of the folder {root} were left out.</source>
        <translation>文件夹 {root} 中的 {count} 个附件被略过。</translation>
    </message>
    <message>
        <source>{count} calls were lost.</source>
        <translation>丢失了 {count} 次调用。</translation>
    </message>
    <message>
        <source>{count} conversations wait for it.</source>
        <translation>有 {count} 个会话在等待。</translation>
    </message>
    <message>
        <source>{count} conversations wait for the language model: {why}</source>
        <translation>{count} 个会话正在等待语言模型：{why}</translation>
    </message>
    <message>
        <source>{count} days</source>
        <translation>{count} 天</translation>
    </message>
    <message>
        <source>{count} digests</source>
        <translation>{count} 份摘要</translation>
    </message>
    <message>
        <source>{count} encrypted passages were left out. Decrypt the text in Evernote, and export the note again.</source>
        <translation>{count} 段加密文本被略去。请在 Evernote 中解密后重新导出该笔记。</translation>
    </message>
    <message>
        <source>{count} entities are mentioned nowhere.</source>
        <translation>{count} 个名称未在任何地方被提及。</translation>
    </message>
    <message>
        <source>{count} entries of other Google products were left out.</source>
        <translation>{count} 条其他 Google 产品的记录被略去。</translation>
    </message>
    <message>
        <source>{count} facts</source>
        <translation>{count} 条事实</translation>
    </message>
    <message>
        <source>{count} facts are stale.</source>
        <translation>{count} 个事实已过时。</translation>
    </message>
    <message>
        <source>{count} facts contradict others of the same category and key.</source>
        <translation>{count} 个事实与同类别同键的其他事实矛盾。</translation>
    </message>
    <message>
        <source>{count} faded facts are kept for now, because a run and a month may set aside only a share of the facts.</source>
        <translation>{count} 条淡忘的事实暂时保留，因为一次运行和一个月内只能搁置一部分事实。</translation>
    </message>
    <message>
        <source>{count} files</source>
        <translation>{count} 个文件</translation>
    </message>
    <message>
        <source>{count} files of the archive are none of Joplin&apos;s and were left out.</source>
        <translation>归档中有 {count} 个文件不是 Joplin 的，已略去。</translation>
    </message>
    <message>
        <source>{count} files of the folder {root} cannot be read.</source>
        <translation>无法读取文件夹 {root} 中的 {count} 个文件。</translation>
    </message>
    <message>
        <source>{count} files that are no ENEX were left out.</source>
        <translation>{count} 个非 ENEX 文件被略去。</translation>
    </message>
    <message>
        <source>{count} files that are not Markdown were left out ({kinds}).</source>
        <translation>{count} 个非 Markdown 文件被略去（{kinds}）。</translation>
    </message>
    <message>
        <source>{count} files that belong to no note were left out.</source>
        <translation>{count} 个不属于任何笔记的文件被略去。</translation>
    </message>
    <message>
        <source>{count} files that no page shows were left out.</source>
        <translation>{count} 个没有页面显示的文件被略去。</translation>
    </message>
    <message>
        <source>{count} for you to decide in the inbox</source>
        <translation>{count} 条待你在收件箱中决定</translation>
    </message>
    <message>
        <source>{count} hidden folders were left out ({names}).</source>
        <translation>{count} 个隐藏文件夹被略去（{names}）。</translation>
    </message>
    <message>
        <source>{count} known already</source>
        <translation>{count} 条已知</translation>
    </message>
    <message>
        <source>{count} later changes were undone before that, the last of them {last}, and can be done again.</source>
        <translation>在此之前已撤销 {count} 项较晚的更改，最后一项是{last}，可以重做。</translation>
    </message>
    <message>
        <source>{count} memories and messages have passwords or keys in clear.</source>
        <translation>{count} 条记忆和消息含有明文密码或密钥。</translation>
    </message>
    <message>
        <source>{count} memories say nothing beyond another one.</source>
        <translation>{count} 条记忆没有说出另一条之外的内容。</translation>
    </message>
    <message>
        <source>{count} mentions of people and things stand in texts that are gone.</source>
        <translation>{count} 处对人和事物的提及位于已不存在的文本中。</translation>
    </message>
    <message>
        <source>{count} messages</source>
        <translation>{count} 条消息</translation>
    </message>
    <message>
        <source>{count} messages cannot be found by search.</source>
        <translation>有 {count} 条消息无法通过搜索找到。</translation>
    </message>
    <message>
        <source>{count} messages could not be stored in the background. The last reason: {last}</source>
        <translation>{count} 条消息无法在后台存储。最近的原因：{last}</translation>
    </message>
    <message>
        <source>{count} messages have no date; the time of the import stands in its place.</source>
        <translation>{count} 条消息没有日期；以导入时间代替。</translation>
    </message>
    <message>
        <source>{count} more files hold words and were left out.</source>
        <translation>另有 {count} 个含文字的文件被略去。</translation>
    </message>
    <message>
        <source>{count} more lines begin with a date and a time and were read as part of a message.</source>
        <translation>另有 {count} 行以日期和时间开头，被读作消息的一部分。</translation>
    </message>
    <message>
        <source>{count} new facts</source>
        <translation>{count} 条新事实</translation>
    </message>
    <message>
        <source>{count} notes are missing from the folder {root} at once, so none was moved to the trash. Put the files back, or delete the notes here.</source>
        <translation>文件夹 {root} 中一次缺少 {count} 条笔记，因此没有移入回收站。请放回文件，或在这里删除笔记。</translation>
    </message>
    <message>
        <source>{count} notes cannot be found by search.</source>
        <translation>有 {count} 条笔记无法通过搜索找到。</translation>
    </message>
    <message>
        <source>{count} notes of the folder {root} could not be mirrored: {reason}</source>
        <translation>无法镜像文件夹 {root} 中的 {count} 条笔记：{reason}</translation>
    </message>
    <message>
        <source>{count} notes of the folder {root} were deleted here at once, so their files were left there. Restore the notes, or delete the files.</source>
        <translation>这里一次删除了文件夹 {root} 的 {count} 条笔记，因此其文件保留在原处。请恢复笔记，或删除文件。</translation>
    </message>
    <message>
        <source>{count} observations into one digest</source>
        <translation>将 {count} 条观察合为一份摘要</translation>
    </message>
    <message>
        <source>{count} of its observations are no texts and were left out.</source>
        <translation>其中 {count} 条观察不是文本，已略去。</translation>
    </message>
    <message>
        <source>{count} of them against an older one</source>
        <translation>其中 {count} 条与旧事实相反</translation>
    </message>
    <message>
        <source>{count} pages have no text, such as scanned pages.</source>
        <translation>{count} 页没有文本，例如扫描页。</translation>
    </message>
    <message>
        <source>{count} pictures were left out.</source>
        <translation>{count} 张图片被略去。</translation>
    </message>
    <message>
        <source>{count} places in it were not valid UTF-8 and were replaced with �.</source>
        <translation>其中 {count} 处不是有效的 UTF-8，已替换为 �。</translation>
    </message>
    <message>
        <source>{count} private texts are not sent to the embedding service and found by words only; the setting embedding.send_private changes that.</source>
        <translation>{count} 段私密文本不会发送到嵌入服务，只能按词语找到；设置 embedding.send_private 可更改此行为。</translation>
    </message>
    <message>
        <source>{count} search entries belong to nothing.</source>
        <translation>{count} 个搜索条目不属于任何内容。</translation>
    </message>
    <message>
        <source>{count} search entries have no vector and wait for none.</source>
        <translation>{count} 个搜索条目没有向量，也没有在等待。</translation>
    </message>
    <message>
        <source>{count} search entries lack their number of words, which search ranks by.</source>
        <translation>{count} 个搜索条目缺少用于排序的词数。</translation>
    </message>
    <message>
        <source>{count} sentences without sources left out.</source>
        <translation>略去了 {count} 个没有来源的句子。</translation>
    </message>
    <message>
        <source>{count} sessions lack the note of how far they are.</source>
        <translation>{count} 个会话缺少进度记录。</translation>
    </message>
    <message>
        <source>{count} texts are not yet indexed for search by meaning.</source>
        <translation>{count} 段文本尚未为按含义搜索建立索引。</translation>
    </message>
    <message>
        <source>{count} texts that are gone wait to be read for names.</source>
        <translation>{count} 段已不存在的文本在等待识别名称。</translation>
    </message>
    <message>
        <source>{count} that newer ones had overtaken</source>
        <translation>{count} 条已被更新的取代</translation>
    </message>
    <message>
        <source>{count} transcripts</source>
        <translation>{count} 份转录</translation>
    </message>
    <message>
        <source>{count} vectors belong to nothing.</source>
        <translation>{count} 个向量不属于任何内容。</translation>
    </message>
    <message>
        <source>{count} views of databases were left out; the whole tables hold their rows.</source>
        <translation>{count} 个数据库视图被略去；完整的表中包含其各行。</translation>
    </message>
    <message>
        <source>{count} were set aside.</source>
        <translation>搁置了 {count} 条。</translation>
    </message>
    <message>
        <source>{count} would be set aside.</source>
        <translation>将搁置 {count} 条。</translation>
    </message>
    <message>
        <source>{count} {things} hold words {where} that this version does not know; they {end}, here: {sample}.</source>
        <translation>{count} 个 {things} {where}含有此版本不认识的文字；这些文字{end}，例如：{sample}。</translation>
    </message>
    <message>
        <source>{count} {things} were left out ({names}).</source>
        <translation>{count} 个{things}被略去（{names}）。</translation>
    </message>
    <message>
        <source>{ended} &apos;{operation}&apos; may or may not have been done. Look before you repeat it.</source>
        <translation>{ended}“{operation}”可能已执行，也可能未执行。重复之前请先查看。</translation>
    </message>
    <message>
        <source>{file} does not hold the key of {database}, or the beginning of that file is damaged. Nothing was changed. Bring both back from one copy of the folder.</source>
        <translation>{file} 中没有 {database} 的密钥，或该文件的开头已损坏。未作任何更改。请从文件夹的同一份副本中恢复两者。</translation>
    </message>
    <message>
        <source>{file} has &apos;{old}&apos;, which has no effect beside &apos;{new}&apos;, its new name.</source>
        <translation>{file} 中的“{old}”与其新名称“{new}”并存，不起作用。</translation>
    </message>
    <message>
        <source>{file} has &apos;{old}&apos;, which is now called &apos;{new}&apos;. It still works.</source>
        <translation>{file} 中的“{old}”现名为“{new}”。它仍然有效。</translation>
    </message>
    <message>
        <source>{file} has the section {shown}, which has no effect.</source>
        <translation>{file} 中的小节 {shown} 不起作用。</translation>
    </message>
    <message>
        <source>{file} has the setting {shown}, which has no effect.</source>
        <translation>{file} 中的设置 {shown} 不起作用。</translation>
    </message>
    <message>
        <source>{file} has {shown}, which looks like a secret.</source>
        <translation>{file} 中有 {shown}，看起来像是机密。</translation>
    </message>
    <message>
        <source>{file} is missing, and files of these memories are encrypted: it holds their key. Bring it back from a copy of the folder; another passphrase would not open them.</source>
        <translation>缺少 {file}，而这些记忆的文件已加密：其中保存着密钥。请从文件夹的副本中恢复它；其他密码短语无法打开它们。</translation>
    </message>
    <message>
        <source>{file} of these encrypted memories is gone, and its copy too. It holds their key: bring it back from a copy of the folder.</source>
        <translation>这些加密记忆的 {file} 及其副本都已丢失。其中保存着密钥：请从文件夹的副本中恢复它。</translation>
    </message>
    <message>
        <source>{folder} holds an earlier export in which {name} was added or changed. Choose another folder.</source>
        <translation>{folder} 中有较早的导出，其中的 {name} 被添加或更改过。请选择其他文件夹。</translation>
    </message>
    <message>
        <source>{folder} holds another file called {name}. Choose another name to export to.</source>
        <translation>{folder} 中已有另一个名为 {name} 的文件。请选择其他导出名称。</translation>
    </message>
    <message>
        <source>{folder} holds no {files}, which the model {name} needs.</source>
        <translation>{folder} 中缺少模型 {name} 需要的文件：{files}。</translation>
    </message>
    <message>
        <source>{folder} is not empty and holds no Keepsake export. Choose a new or empty folder.</source>
        <translation>{folder} 不为空，也不包含 Keepsake 导出。请选择新的或空的文件夹。</translation>
    </message>
    <message>
        <source>{folder} is not finished: something was being salvaged into it. Run &apos;keepsake salvage&apos; again with the same --into, or delete the folder.</source>
        <translation>{folder} 尚未完成：之前正在向其中抢救内容。请用相同的 --into 再次运行“keepsake salvage”，或删除该文件夹。</translation>
    </message>
    <message>
        <source>{host} answered with {detail}.</source>
        <translation>{host} 的回答是{detail}。</translation>
    </message>
    <message>
        <source>{host} cannot be reached.</source>
        <translation>无法连接 {host}。</translation>
    </message>
    <message>
        <source>{host} did not answer within {seconds} seconds.</source>
        <translation>{host} 在 {seconds} 秒内没有回答。</translation>
    </message>
    <message>
        <source>{host} is busy (HTTP {status}).</source>
        <translation>{host} 正忙（HTTP {status}）。</translation>
    </message>
    <message>
        <source>{host} knows no model &apos;{model}&apos;, or llm.base_url is not right (HTTP 404).</source>
        <translation>{host} 没有模型“{model}”，或 llm.base_url 不正确（HTTP 404）。</translation>
    </message>
    <message>
        <source>{host} refused the key (HTTP {status}).</source>
        <translation>{host} 拒绝了密钥（HTTP {status}）。</translation>
    </message>
    <message>
        <source>{host} refused the request (HTTP {status}).</source>
        <translation>{host} 拒绝了请求（HTTP {status}）。</translation>
    </message>
    <message>
        <source>{into} is in use. Name a new or empty folder with --into.</source>
        <translation>{into} 正在使用。请用 --into 指定新的或空的文件夹。</translation>
    </message>
    <message>
        <source>{into} lies inside the damaged vault. Name a folder elsewhere with --into.</source>
        <translation>{into} 位于损坏的记忆库内。请用 --into 指定其他位置的文件夹。</translation>
    </message>
    <message>
        <source>{key_file} of these memories was changed, and not by Keepsake. Nothing was opened. Put a copy in its place that Keepsake wrote: {copies}/{key_file} in the same folder, or one of an older copy of the folder.</source>
        <translation>这些记忆的 {key_file} 被更改，且不是由 Keepsake 更改的。未打开任何内容。请用 Keepsake 写入的副本替换它：同一文件夹中的 {copies}/{key_file}，或该文件夹较旧副本中的文件。</translation>
    </message>
    <message>
        <source>{max_saved} searches are saved already. Delete one first.</source>
        <translation>已保存 {max_saved} 个搜索。请先删除一个。</translation>
    </message>
    <message>
        <source>{max_waiting} of your proposals wait for the person already. Try again when some are decided.</source>
        <translation>已有 {max_waiting} 个提议在等待。请在处理一些后重试。</translation>
    </message>
    <message>
        <source>{model} is another model than before; choose it with &apos;embedding.change&apos; to make its vectors anew.</source>
        <translation>{model} 与之前的模型不同；请用“embedding.change”选择它以重新生成向量。</translation>
    </message>
    <message>
        <source>{model} is not the model that made its vectors.</source>
        <translation>{model} 不是生成这些向量的模型。</translation>
    </message>
    <message>
        <source>{model} is not the same model as before.</source>
        <translation>{model} 与之前的模型不同。</translation>
    </message>
    <message>
        <source>{model} is not the same model as before; the vectors are made anew.</source>
        <translation>{model} 与之前的模型不同；正在重新生成向量。</translation>
    </message>
    <message>
        <source>{model} writes the text.</source>
        <translation>由 {model} 撰写文本。</translation>
    </message>
    <message>
        <source>{names} and {count} more</source>
        <translation>{names} 和另外 {count} 个</translation>
    </message>
    <message>
        <source>{name} belongs to a Keepsake vault that is open here, and is not imported.</source>
        <translation>{name} 属于此处已打开的 Keepsake 库，不会导入。</translation>
    </message>
    <message>
        <source>{name} cannot be compared with the vault. {problem}</source>
        <translation>无法将 {name} 与库比较。{problem}</translation>
    </message>
    <message>
        <source>{name} cannot be imported. {problem}</source>
        <translation>无法导入 {name}。{problem}</translation>
    </message>
    <message>
        <source>{name} cannot be restored: {problem} Nothing was changed.</source>
        <translation>无法恢复 {name}：{problem} 未更改任何内容。</translation>
    </message>
    <message>
        <source>{name} could be imported until {day}. Ask {sender} for a new one.</source>
        <translation>{name} 的导入期限为 {day}。请向{sender}索取新的胶囊。</translation>
    </message>
    <message>
        <source>{name} could not be read as a database of Cursor. {problem}</source>
        <translation>无法将 {name} 作为 Cursor 的数据库读取。{problem}</translation>
    </message>
    <message>
        <source>{name} could not be read: {reason}.</source>
        <translation>无法读取 {name}：{reason}。</translation>
    </message>
    <message>
        <source>{name} has no access any more. Reject what it proposed, or let it in again.</source>
        <translation>{name} 已无访问权限。请拒绝它的提议，或再次允许其进入。</translation>
    </message>
    <message>
        <source>{name} holds a database that a restore replaced.</source>
        <translation>{name} 中是被恢复操作取代的数据库。</translation>
    </message>
    <message>
        <source>{name} holds no text of its own; a program makes what a browser shows. Import its data instead.</source>
        <translation>{name} 本身不含文本；浏览器显示的内容由程序生成。请改为导入其数据。</translation>
    </message>
    <message>
        <source>{name} holds no text, as scanned documents do; run it through text recognition (OCR) first.</source>
        <translation>{name} 像扫描文档一样不含文本；请先对其进行文字识别（OCR）。</translation>
    </message>
    <message>
        <source>{name} holds the files of a damaged database. Save what is readable of it with &apos;keepsake --vault {path} salvage&apos;.</source>
        <translation>{name} 中是损坏数据库的文件。请用“keepsake --vault {path} salvage”保存可读的部分。</translation>
    </message>
    <message>
        <source>{name} in the attachments is not encrypted, and these memories are: another program has put it there. It was not read. Move it out of the folder; if you want it, attach it again.</source>
        <translation>附件中的 {name} 未加密，而这些记忆已加密：是其他程序放在那里的。未读取它。请将它移出文件夹；如果需要，请重新附加。</translation>
    </message>
    <message>
        <source>{name} in the backups is no database.</source>
        <translation>备份中的 {name} 不是数据库。</translation>
    </message>
    <message>
        <source>{name} is a Keepsake vault. {advice}</source>
        <translation>{name} 是 Keepsake 库。{advice}</translation>
    </message>
    <message>
        <source>{name} is a backup that could not be restored, so the restore was called off.</source>
        <translation>{name} 是无法恢复的备份，因此恢复已取消。</translation>
    </message>
    <message>
        <source>{name} is empty; there is nothing to import.</source>
        <translation>{name} 是空的；没有可导入的内容。</translation>
    </message>
    <message>
        <source>{name} is encrypted: it needs the passphrase of its export.</source>
        <translation>{name} 已加密：需要其导出时的密码短语。</translation>
    </message>
    <message>
        <source>{name} is larger than {most} MB; it was not read.</source>
        <translation>{name} 大于 {most} MB；未读取。</translation>
    </message>
    <message>
        <source>{name} is no Word document: it has no text part.</source>
        <translation>{name} 不是 Word 文档：没有文本部分。</translation>
    </message>
    <message>
        <source>{name} is no complete JEX file; export it again.</source>
        <translation>{name} 不是完整的 JEX 文件；请重新导出。</translation>
    </message>
    <message>
        <source>{name} is no complete PDF: it is cut short or damaged.</source>
        <translation>{name} 不是完整的 PDF：文件不完整或已损坏。</translation>
    </message>
    <message>
        <source>{name} is not a complete zip file: it is cut short or damaged. Download or copy it again.</source>
        <translation>{name} 不是完整的 zip 文件：文件不完整或已损坏。请重新下载或复制。</translation>
    </message>
    <message>
        <source>{name} is not a list, so nothing can be added to it.</source>
        <translation>{name} 不是列表，因此无法向其中添加内容。</translation>
    </message>
    <message>
        <source>{name} is not an object, so nothing can be added to it.</source>
        <translation>{name} 不是对象，因此无法向其中添加内容。</translation>
    </message>
    <message>
        <source>{name} is not encrypted, and these memories are: another program has put it there.</source>
        <translation>{name} 未加密，而这些记忆已加密：它是其他程序放在那里的。</translation>
    </message>
    <message>
        <source>{name} is not text; it was not read.</source>
        <translation>{name} 不是文本；未读取。</translation>
    </message>
    <message>
        <source>{name} is not valid JSON: {reason}. Nothing was imported.</source>
        <translation>{name} 不是有效的 JSON：{reason}。未导入任何内容。</translation>
    </message>
    <message>
        <source>{name} is not what its sender signed: it was changed, or is damaged. Nothing was imported.</source>
        <translation>{name} 与发送者签名的内容不符：它被更改过或已损坏。未导入任何内容。</translation>
    </message>
    <message>
        <source>{name} is protected with a password. Print or save it as a PDF without one first.</source>
        <translation>{name} 受密码保护。请先将其打印或另存为没有密码的 PDF。</translation>
    </message>
    <message>
        <source>{name} is protected with a password. Save it without one first.</source>
        <translation>{name} 受密码保护。请先将其另存为没有密码的文件。</translation>
    </message>
    <message>
        <source>{name} is protected with a password. Unpack it first, then import the folder.</source>
        <translation>{name} 受密码保护。请先解压，然后导入该文件夹。</translation>
    </message>
    <message>
        <source>{name} is the database of a Keepsake vault. {advice}</source>
        <translation>{name} 是 Keepsake 库的数据库。{advice}</translation>
    </message>
    <message>
        <source>{name} looks like a copy that a sync program made. Keepsake does not read it.</source>
        <translation>{name} 看起来像是同步程序制作的副本。Keepsake 不会读取它。</translation>
    </message>
    <message>
        <source>{name} reads back differently from what was written: the disk may be failing. Nothing was replaced. Export to another disk.</source>
        <translation>{name} 读回的内容与写入的不同：磁盘可能有故障。未替换任何内容。请导出到其他磁盘。</translation>
    </message>
    <message>
        <source>{name} was made by a newer Keepsake. Update Keepsake to import it.</source>
        <translation>{name} 由较新版本的 Keepsake 生成。请更新 Keepsake 以导入它。</translation>
    </message>
    <message>
        <source>{name} would swell from {packed} to {swollen} bytes, which no real export does. It was not opened.</source>
        <translation>{name} 会从 {packed} 字节膨胀到 {swollen} 字节，真正的导出不会这样。未打开。</translation>
    </message>
    <message>
        <source>{name} would swell to {size} bytes, which is more than Keepsake reads of a document.</source>
        <translation>{name} 会膨胀到 {size} 字节，超过 Keepsake 对一个文档的读取上限。</translation>
    </message>
    <message>
        <source>{name}: does not know the time “{value}”.</source>
        <translation>{name}: 不认识时间“{value}”。</translation>
    </message>
    <message>
        <source>{name}: does not know “{value}”.</source>
        <translation>{name}: 不认识“{value}”。</translation>
    </message>
    <message>
        <source>{name}: needs a value right after the colon to match anything.</source>
        <translation>{name}: 冒号之后必须紧跟一个值才能匹配内容。</translation>
    </message>
    <message>
        <source>{n} conversations</source>
        <translation>{n} 个会话</translation>
    </message>
    <message>
        <source>{n} digests</source>
        <translation>{n} 份摘要</translation>
    </message>
    <message>
        <source>{n} facts</source>
        <translation>{n} 条事实</translation>
    </message>
    <message>
        <source>{n} inbox rules</source>
        <translation>{n} 条收件箱规则</translation>
    </message>
    <message>
        <source>{n} memories</source>
        <translation>{n} 条记忆</translation>
    </message>
    <message>
        <source>{n} names</source>
        <translation>{n} 个名称</translation>
    </message>
    <message>
        <source>{n} notes</source>
        <translation>{n} 条笔记</translation>
    </message>
    <message>
        <source>{n} observations</source>
        <translation>{n} 条观察</translation>
    </message>
    <message>
        <source>{n} proposals</source>
        <translation>{n} 个提议</translation>
    </message>
    <message>
        <source>{n} reflections</source>
        <translation>{n} 篇回顾</translation>
    </message>
    <message>
        <source>{n} saved searches</source>
        <translation>{n} 个已保存的搜索</translation>
    </message>
    <message>
        <source>{n} schedules</source>
        <translation>{n} 个计划</translation>
    </message>
    <message>
        <source>{n} texts</source>
        <translation>{n} 篇文本</translation>
    </message>
    <message>
        <source>{path} cannot be read. {reason}</source>
        <translation>无法读取 {path}。{reason}</translation>
    </message>
    <message>
        <source>{path} cannot be used: {strerror}.</source>
        <translation>无法使用 {path}：{strerror}。</translation>
    </message>
    <message>
        <source>{path} cannot be written. Choose another folder.</source>
        <translation>无法写入 {path}。请选择其他文件夹。</translation>
    </message>
    <message>
        <source>{path} cannot be written: {strerror}.</source>
        <translation>无法写入 {path}：{strerror}。</translation>
    </message>
    <message>
        <source>{path} could not be read: {reason}.</source>
        <translation>无法读取 {path}：{reason}。</translation>
    </message>
    <message>
        <source>{path} could not be written: {reason}.</source>
        <translation>无法写入 {path}：{reason}。</translation>
    </message>
    <message>
        <source>{path} could not be written: {strerror}.</source>
        <translation>无法写入 {path}：{strerror}。</translation>
    </message>
    <message>
        <source>{path} does not hold what your machines share. Connect the disk, or wait until the folder is complete.</source>
        <translation>{path} 中没有你的各台电脑共享的内容。请连接该磁盘，或等待文件夹完整。</translation>
    </message>
    <message>
        <source>{path} has {size} bytes, which no configuration has. Nothing was changed.</source>
        <translation>{path} 有 {size} 字节，配置文件不会这么大。未更改任何内容。</translation>
    </message>
    <message>
        <source>{path} holds something else and was not overwritten. Choose another name.</source>
        <translation>{path} 中是其他内容，未被覆盖。请选择其他名称。</translation>
    </message>
    <message>
        <source>{path} is a file. Name a folder to export to.</source>
        <translation>{path} 是文件。请指定要导出到的文件夹。</translation>
    </message>
    <message>
        <source>{path} is a folder. Name a file to export to, such as keepsake.jsonl.</source>
        <translation>{path} 是文件夹。请指定要导出到的文件，例如 keepsake.jsonl。</translation>
    </message>
    <message>
        <source>{path} is a link that leads nowhere. Nothing was changed.</source>
        <translation>{path} 是一个无效的链接。未更改任何内容。</translation>
    </message>
    <message>
        <source>{path} is damaged. It holds the key of these memories: bring it back from a copy of the folder.</source>
        <translation>{path} 已损坏。其中存有这些记忆的密钥：请从该文件夹的副本中恢复它。</translation>
    </message>
    <message>
        <source>{path} is damaged. Quit Keepsake if it runs, and start it again.</source>
        <translation>{path} 已损坏。如果 Keepsake 正在运行，请退出并重新启动。</translation>
    </message>
    <message>
        <source>{path} is damaged. Remove it, and the entries named &apos;keepsake&apos; by hand.</source>
        <translation>{path} 已损坏。请手动删除该文件以及名为“keepsake”的条目。</translation>
    </message>
    <message>
        <source>{path} is empty</source>
        <translation>{path} 是空的</translation>
    </message>
    <message>
        <source>{path} is encrypted, and its vault is not.</source>
        <translation>{path} 已加密，而它的库未加密。</translation>
    </message>
    <message>
        <source>{path} is gone already.</source>
        <translation>{path} 已不存在。</translation>
    </message>
    <message>
        <source>{path} is larger than any file that Keepsake keeps there.</source>
        <translation>{path} 比 Keepsake 存放在那里的任何文件都大。</translation>
    </message>
    <message>
        <source>{path} is neither a file nor a folder. Choose one of these.</source>
        <translation>{path} 既不是文件也不是文件夹。请选择文件或文件夹。</translation>
    </message>
    <message>
        <source>{path} is not UTF-8 but {encoding}. Nothing was changed. Add the entry yourself.</source>
        <translation>{path} 不是 UTF-8，而是{encoding}。未更改任何内容。请自行添加该条目。</translation>
    </message>
    <message>
        <source>{path} is not a JSON object.</source>
        <translation>{path} 不是 JSON 对象。</translation>
    </message>
    <message>
        <source>{path} is not a file. Nothing was changed.</source>
        <translation>{path} 不是文件。未更改任何内容。</translation>
    </message>
    <message>
        <source>{path} is not encrypted, and these memories are: another program has put it there. Nothing was read from it or written to it. Move it out of the folder and put the encrypted one back; a plain copy that you trust is taken over with &apos;keepsake backup restore&apos; and its path.</source>
        <translation>{path} 未加密，而这些记忆已加密：是其他程序放在那里的。没有从中读取，也没有写入任何内容。请将它移出该文件夹，并放回加密的文件；如果你信任某个未加密的副本，可用“keepsake backup restore”加其路径来采用它。</translation>
    </message>
    <message>
        <source>{path} is not text. Nothing was changed. Add the entry yourself.</source>
        <translation>{path} 不是文本。未更改任何内容。请自行添加该条目。</translation>
    </message>
    <message>
        <source>{path} is not there</source>
        <translation>{path} 不存在</translation>
    </message>
    <message>
        <source>{path} is read-only. Make it writable, or add the entry yourself.</source>
        <translation>{path} 是只读的。请使其可写，或自行添加该条目。</translation>
    </message>
    <message>
        <source>{path} is shared by more than one vault. Name another folder, or remove one of them.</source>
        <translation>{path} 由多个库共享。请指定其他文件夹，或移除其中一个。</translation>
    </message>
    <message>
        <source>{path} is written in a way that cannot be changed safely. Add the entry yourself.</source>
        <translation>{path} 的写法使其无法安全更改。请自行添加该条目。</translation>
    </message>
    <message>
        <source>{path} was changed by another program meanwhile. Try again.</source>
        <translation>{path} 在此期间被另一个程序更改。请重试。</translation>
    </message>
    <message>
        <source>{path} {what}. Correct it or move it away.</source>
        <translation>{path} {what}。请更正或移走它。</translation>
    </message>
    <message>
        <source>{place} cannot be written.</source>
        <translation>无法写入 {place}。</translation>
    </message>
    <message>
        <source>{problem}, or the account has nothing left to spend</source>
        <translation>{problem}，或账户余额已用完</translation>
    </message>
    <message>
        <source>{problem}; results keep their original order.</source>
        <translation>{problem}；结果保持原有顺序。</translation>
    </message>
    <message>
        <source>{problem}; search goes on by words, and it is tried again later.</source>
        <translation>{problem}；搜索继续按词进行，稍后会重试。</translation>
    </message>
    <message>
        <source>{provider} needs the address of the service; set embedding.base_url.</source>
        <translation>{provider} 需要服务的地址；请设置 embedding.base_url。</translation>
    </message>
    <message>
        <source>{reason} It is not known whether this call was carried out; look before you repeat it.</source>
        <translation>{reason}不知道此调用是否已执行；重复之前请先查看。</translation>
    </message>
    <message>
        <source>{reason} It is tried again soon.</source>
        <translation>{reason}很快会重试。</translation>
    </message>
    <message>
        <source>{section}.base_url is not an address; one looks like https://example.org/v1.</source>
        <translation>{section}.base_url 不是地址；地址形如 https://example.org/v1。</translation>
    </message>
    <message>
        <source>{sentence} &apos;keepsake config check&apos; says more.</source>
        <translation>{sentence} “keepsake config check”会说明更多。</translation>
    </message>
    <message>
        <source>{sentence} It cannot be attached.</source>
        <translation>{sentence} 无法附加。</translation>
    </message>
    <message>
        <source>{server} cannot be reached. See whether this machine is online and the address is right; nothing is lost meanwhile.</source>
        <translation>无法连接 {server}。请检查这台电脑是否联网、地址是否正确；其间不会丢失任何内容。</translation>
    </message>
    <message>
        <source>{server} did not answer in time. It is tried again by itself; nothing is lost meanwhile.</source>
        <translation>{server} 未及时响应。稍后会自动重试；其间不会丢失任何内容。</translation>
    </message>
    <message>
        <source>{server} did not keep a file that it took. See whether the address is right; nothing is lost meanwhile.</source>
        <translation>{server} 接收了一个文件，却没有保存。请检查地址是否正确；其间不会丢失任何内容。</translation>
    </message>
    <message>
        <source>{server} does not accept the key or its secret. Correct them in the address.</source>
        <translation>{server} 不接受该密钥或其私密部分。请在地址中更正。</translation>
    </message>
    <message>
        <source>{server} does not accept the name or the password. Correct them in the address; where the server asks for a second factor, make a password for apps there.</source>
        <translation>{server} 不接受该用户名或密码。请在地址中更正；如果服务器要求双重验证，请在那里创建一个应用专用密码。</translation>
    </message>
    <message>
        <source>{server} does not hold what your machines share: the folder is another one, or was emptied.</source>
        <translation>{server} 上没有你的各台电脑共享的内容：这是另一个文件夹，或已被清空。</translation>
    </message>
    <message>
        <source>{server} does not let this key do that in the bucket. Allow it to list, read, write and remove there, or name another bucket.</source>
        <translation>{server} 不允许该密钥在此存储桶中这样做。请授予其列出、读取、写入和删除的权限，或指定另一个存储桶。</translation>
    </message>
    <message>
        <source>{server} does not let this name do that in the folder. Allow it to read and write there, or name another folder.</source>
        <translation>{server} 不允许该用户在此文件夹中这样做。请授予其读写权限，或指定另一个文件夹。</translation>
    </message>
    <message>
        <source>{server} does not speak S3 at that address. See whether the endpoint in the address is right.</source>
        <translation>{server} 在该地址不提供 S3。请检查地址中的端点（endpoint）是否正确。</translation>
    </message>
    <message>
        <source>{server} does not speak WebDAV at that address. Copy the address for WebDAV from the settings of the server.</source>
        <translation>{server} 在该地址不提供 WebDAV。请从服务器的设置中复制 WebDAV 地址。</translation>
    </message>
    <message>
        <source>{server} has no room left for you. Make room there; nothing is lost meanwhile.</source>
        <translation>{server} 上已没有你的可用空间。请在那里腾出空间；其间不会丢失任何内容。</translation>
    </message>
    <message>
        <source>{server} has no such bucket. Make it there first, and see whether the address is right.</source>
        <translation>{server} 上没有该存储桶。请先在那里创建它，并检查地址是否正确。</translation>
    </message>
    <message>
        <source>{server} has no such folder. Make it there first, and see whether the address is right.</source>
        <translation>{server} 上没有该文件夹。请先在那里创建它，并检查地址是否正确。</translation>
    </message>
    <message>
        <source>{server} refers to another address on {other}, to which Keepsake sends no password. Name that address if it is the right one.</source>
        <translation>{server} 指向 {other} 上的另一个地址，Keepsake 不会向其发送密码。如果那个地址是正确的，请直接填写它。</translation>
    </message>
    <message>
        <source>{server} sent an unexpected answer (status {status}). See whether the address is right.</source>
        <translation>{server} 返回了意外的响应（状态 {status}）。请检查地址是否正确。</translation>
    </message>
    <message>
        <source>{server} sent far more than was requested, so nothing of it was read. See whether the address is right.</source>
        <translation>{server} 发送的内容远超所请求的量，因此未读取任何内容。请检查地址是否正确。</translation>
    </message>
    <message>
        <source>{server} takes no file of that size. Allow larger ones there; nothing is lost meanwhile.</source>
        <translation>{server} 不接受这么大的文件。请在那里允许更大的文件；其间不会丢失任何内容。</translation>
    </message>
    <message>
        <source>{server} takes no requests at the moment (status {status}). It is tried again by itself; nothing is lost meanwhile.</source>
        <translation>{server} 目前不接受请求（状态 {status}）。稍后会自动重试；其间不会丢失任何内容。</translation>
    </message>
    <message>
        <source>{service} cannot be reached ({reason})</source>
        <translation>无法连接 {service}（{reason}）</translation>
    </message>
    <message>
        <source>{service} does not answer in time</source>
        <translation>{service} 未及时响应</translation>
    </message>
    <message>
        <source>{service} fails (status {status}); search goes on by words, and it is tried again later.</source>
        <translation>{service} 出错（状态 {status}）；搜索继续按词进行，稍后会重试。</translation>
    </message>
    <message>
        <source>{service} knows no such model, or its address is wrong; check embedding.model.</source>
        <translation>{service} 没有此模型，或其地址有误；请检查 embedding.model。</translation>
    </message>
    <message>
        <source>{service} needs a key; set one.</source>
        <translation>{service} 需要密钥；请设置一个。</translation>
    </message>
    <message>
        <source>{service} redirects to another address (status {status}), to which Keepsake sends nothing; check embedding.base_url.</source>
        <translation>{service} 重定向到另一个地址（状态 {status}），Keepsake 不会向其发送任何内容；请检查 embedding.base_url。</translation>
    </message>
    <message>
        <source>{service} refuses the key in {place}; check it.</source>
        <translation>{service} 拒绝密钥；请检查它（来源：{place}）。</translation>
    </message>
    <message>
        <source>{service} refuses the request (status {status}); check embedding.model and its settings.</source>
        <translation>{service} 拒绝请求（状态 {status}）；请检查 embedding.model 及其设置。</translation>
    </message>
    <message>
        <source>{service} sent an unexpected response (status {status})</source>
        <translation>{service} 返回了意外的响应（状态 {status}）</translation>
    </message>
    <message>
        <source>{service} sent far more than was requested</source>
        <translation>{service} 发送的内容远多于请求的内容</translation>
    </message>
    <message>
        <source>{service} sent something other than a list of vectors; check embedding.model and its address.</source>
        <translation>{service} 发送的不是向量列表；请检查 embedding.model 及其地址。</translation>
    </message>
    <message>
        <source>{service} sent vectors of {odd} numbers, not of {width}; set embedding.dimensions to what the model gives, or choose another model.</source>
        <translation>{service} 发送的向量有 {odd} 个数，而不是 {width} 个；请将 embedding.dimensions 设为该模型的长度，或选择其他模型。</translation>
    </message>
    <message>
        <source>{service} shows no certificate that this machine trusts, so nothing was sent. See whether its address is right; the variable SSL_CERT_FILE names a file of certificates to trust.</source>
        <translation>{service} 没有此电脑信任的证书，因此未发送任何内容。请检查其地址是否正确；变量 SSL_CERT_FILE 指定受信任证书的文件。</translation>
    </message>
    <message>
        <source>{service} takes no requests at the moment (status {status})</source>
        <translation>{service} 目前不接受请求（状态 {status}）</translation>
    </message>
    <message>
        <source>{state} is called {clean} too. Merge the two, or split that name off first.</source>
        <translation>{state} 也叫 {clean}。请合并两者，或先拆分出该名称。</translation>
    </message>
    <message>
        <source>{state}, although this vault was in use. Nothing was changed. &apos;keepsake backup list&apos; shows what can be restored. To begin anew, move the whole folder away.</source>
        <translation>{state}，但此记忆库曾被使用。未作任何更改。“keepsake backup list”会列出可恢复的内容。要重新开始，请移走整个文件夹。</translation>
    </message>
    <message>
        <source>{state}, so there is nothing to salvage. &apos;keepsake backup list&apos; shows the backups.</source>
        <translation>{state}，因此没有可抢救的内容。“keepsake backup list”会列出备份。</translation>
    </message>
    <message>
        <source>{thing} was brought back since.</source>
        <translation>{thing}此后已恢复。</translation>
    </message>
    <message>
        <source>{thing} was changed again since ({fields}).</source>
        <translation>{thing}此后又被更改（{fields}）。</translation>
    </message>
    <message>
        <source>{thing} was changed and changed back since.</source>
        <translation>{thing}此后被更改又改回。</translation>
    </message>
    <message>
        <source>{thing} was deleted since.</source>
        <translation>{thing}此后已删除。</translation>
    </message>
    <message>
        <source>{thing} was put into the archive since. Bring it back first.</source>
        <translation>{thing}此后已归档。请先恢复。</translation>
    </message>
    <message>
        <source>{thing} went on since. It stays, with all that was said in it.</source>
        <translation>{thing}此后有新内容。它会连同其中的全部内容保留。</translation>
    </message>
    <message>
        <source>{vault} cannot be written, so this vault is open for reading only. Make its folder writable, or copy the folder to a place that is, and restart Keepsake.</source>
        <translation>无法写入 {vault}，因此此记忆库仅以只读方式打开。请使其文件夹可写，或将文件夹复制到可写的位置，然后重新启动 Keepsake。</translation>
    </message>
    <message>
        <source>{vault} cannot be written.</source>
        <translation>无法写入 {vault}。</translation>
    </message>
    <message>
        <source>{vault} is a file, not a folder. Name a folder with --vault.</source>
        <translation>{vault} 是文件，不是文件夹。请用 --vault 指定文件夹。</translation>
    </message>
    <message>
        <source>{wanted} from {low} to {high}</source>
        <translation>{low} 到 {high} 之间的{wanted}</translation>
    </message>
    <message>
        <source>{what}, from {source}</source>
        <translation>{what}，来自 {source}</translation>
    </message>
    <message>
        <source>{whole}, after conversation {number}</source>
        <translation>{whole}，会话 {number} 之后</translation>
    </message>
    <message>
        <source>{whole}, after entry {number}</source>
        <translation>{whole}，条目 {number} 之后</translation>
    </message>
    <message>
        <source>{whole}, after mail {number}</source>
        <translation>{whole}，邮件 {number} 之后</translation>
    </message>
    <message>
        <source>{whole}, after memory {number}</source>
        <translation>{whole}，记忆 {number} 之后</translation>
    </message>
    <message>
        <source>{whole}, after message {number}</source>
        <translation>{whole}，消息 {number} 之后</translation>
    </message>
    <message>
        <source>{whole}, after name {number}</source>
        <translation>{whole}，名称 {number} 之后</translation>
    </message>
    <message>
        <source>{whole}, after note {number}</source>
        <translation>{whole}，笔记 {number} 之后</translation>
    </message>
    <message>
        <source>{whole}, after project {number}</source>
        <translation>{whole}，项目 {number} 之后</translation>
    </message>
    <message>
        <source>{whole}, after value {number}</source>
        <translation>{whole}，值 {number} 之后</translation>
    </message>
    <message>
        <source>{whole}, comments and fields</source>
        <translation>{whole}，批注和字段</translation>
    </message>
    <message>
        <source>{whole}, conversation {number}</source>
        <translation>{whole}，会话 {number}</translation>
    </message>
    <message>
        <source>{whole}, document {number}</source>
        <translation>{whole}，文档 {number}</translation>
    </message>
    <message>
        <source>{whole}, entity {number}</source>
        <translation>{whole}，条目 {number}</translation>
    </message>
    <message>
        <source>{whole}, entry {number}</source>
        <translation>{whole}，条目 {number}</translation>
    </message>
    <message>
        <source>{whole}, file {number}</source>
        <translation>{whole}，文件 {number}</translation>
    </message>
    <message>
        <source>{whole}, just before it</source>
        <translation>{whole}，紧接其前</translation>
    </message>
    <message>
        <source>{whole}, line {number}</source>
        <translation>{whole}，第 {number} 行</translation>
    </message>
    <message>
        <source>{whole}, mail {number}</source>
        <translation>{whole}，邮件 {number}</translation>
    </message>
    <message>
        <source>{whole}, memory {number}</source>
        <translation>{whole}，记忆 {number}</translation>
    </message>
    <message>
        <source>{whole}, message {number}</source>
        <translation>{whole}，消息 {number}</translation>
    </message>
    <message>
        <source>{whole}, name {number}</source>
        <translation>{whole}，名称 {number}</translation>
    </message>
    <message>
        <source>{whole}, note {number}</source>
        <translation>{whole}，笔记 {number}</translation>
    </message>
    <message>
        <source>{whole}, page {number}</source>
        <translation>{whole}，第 {number} 页</translation>
    </message>
    <message>
        <source>{whole}, part {number} of {count}</source>
        <translation>{whole}，第 {number} 部分，共 {count} 部分</translation>
    </message>
    <message>
        <source>{whole}, project {number}</source>
        <translation>{whole}，项目 {number}</translation>
    </message>
    <message>
        <source>{whole}, relation {number}</source>
        <translation>{whole}，关系 {number}</translation>
    </message>
    <message>
        <source>{whole}, session {number}</source>
        <translation>{whole}，会话 {number}</translation>
    </message>
    <message>
        <source>{whole}, tab {number}</source>
        <translation>{whole}，标签页 {number}</translation>
    </message>
    <message>
        <source>{whole}, table {number}</source>
        <translation>{whole}，表 {number}</translation>
    </message>
    <message>
        <source>{whole}, value {number}</source>
        <translation>{whole}，值 {number}</translation>
    </message>
    <message>
        <source>{why} Another value counts.</source>
        <translation>{why} 以另一个值为准。</translation>
    </message>
    <message>
        <source>{why} Until then the vectors made so far answer searches.</source>
        <translation>{why} 在此之前由现有的向量响应搜索。</translation>
    </message>
    <message>
        <source>‘{name}’ failed.</source>
        <translation>“{name}”失败了。</translation>
    </message>
    <message>
        <source>‘{name}’ is done.</source>
        <translation>“{name}”已完成。</translation>
    </message>
    <message>
        <source>‘{name}’ is paused after 1 failure.</source>
        <translation>“{name}”在 1 次失败后已暂停。</translation>
    </message>
    <message>
        <source>‘{name}’ is paused after {count} failures in a row.</source>
        <translation>“{name}”在连续 {count} 次失败后已暂停。</translation>
    </message>
    <message>
        <source>‘{name}’ is paused because its times cannot be worked out: {why}</source>
        <translation>“{name}”已暂停，因为无法计算其时间：{why}</translation>
    </message>
    <message>
        <source>‘{name}’ was left out once. {why}</source>
        <translation>“{name}”被略过一次。{why}</translation>
    </message>
    <message>
        <source>‘{name}’ was left out {count} times. {why}</source>
        <translation>“{name}”被略过 {count} 次。{why}</translation>
    </message>
    <message>
        <source>“{around}” is neither the id of a memory or message nor a time such as 2026-03-01 or ‘last week’.</source>
        <translation>“{around}”既不是记忆或消息的 ID，也不是 2026-03-01 或“last week”之类的时间。</translation>
    </message>
    <message>
        <source>“{name}:” is not an operator, so it was searched as a word.</source>
        <translation>“{name}:”不是运算符，因此按词语搜索。</translation>
    </message>
    <message>
        <source>“{other}” may be “{into}”: {reason}.</source>
        <translation>“{other}”可能就是“{into}”：{reason}。</translation>
    </message>
</context>
<context>
    <name>EntityActions</name>
    <message>
        <source>Changed ‘{title}’</source>
        <translation>已更改“{title}”</translation>
    </message>
    <message>
        <source>Merged {count} names into ‘{title}’</source>
        <translation>已将 {count} 个名称合并为“{title}”</translation>
    </message>
    <message>
        <source>Merged ‘{title}’</source>
        <translation>已合并“{title}”</translation>
    </message>
    <message>
        <source>Related ‘{title}’</source>
        <translation>已关联“{title}”</translation>
    </message>
    <message>
        <source>Renamed to ‘{title}’</source>
        <translation>已重命名为“{title}”</translation>
    </message>
    <message>
        <source>Split off ‘{title}’</source>
        <translation>已拆分出“{title}”</translation>
    </message>
    <message>
        <source>Took back a relation of ‘{title}’</source>
        <translation>已撤回“{title}”的一个关系</translation>
    </message>
</context>
<context>
    <name>EntityField</name>
    <message>
        <source>Names that fit</source>
        <translation>匹配的名称</translation>
    </message>
    <message>
        <source>{type}, 1 mention</source>
        <translation>{type}，提及 1 次</translation>
    </message>
    <message>
        <source>{type}, {count} mentions</source>
        <translation>{type}，提及 {count} 次</translation>
    </message>
</context>
<context>
    <name>EntityForm</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>EntityPage</name>
    <message>
        <source>1 mention</source>
        <translation>提及 1 次</translation>
    </message>
    <message>
        <source>Also called</source>
        <translation>别名</translation>
    </message>
    <message>
        <source>Click a name to see what is known of it.</source>
        <translation>点击名称查看已知的相关内容。</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Draw around</source>
        <translation>以此为中心</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>合并</translation>
    </message>
    <message>
        <source>Notes and facts</source>
        <translation>笔记和事实</translation>
    </message>
    <message>
        <source>Other names in the same texts</source>
        <translation>同一文本中的其他名称</translation>
    </message>
    <message>
        <source>Page of the chosen name</source>
        <translation>所选名称的页面</translation>
    </message>
    <message>
        <source>People in the same texts</source>
        <translation>同一文本中的人物</translation>
    </message>
    <message>
        <source>Relate</source>
        <translation>关联</translation>
    </message>
    <message>
        <source>Relations</source>
        <translation>关系</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Show all {count}</source>
        <translation>显示全部 {count} 个</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>拆分</translation>
    </message>
    <message>
        <source>Take back: {words}</source>
        <translation>撤回：{words}</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>无标题</translation>
    </message>
    <message>
        <source>once together</source>
        <translation>共现 1 次</translation>
    </message>
    <message>
        <source>{count} mentions</source>
        <translation>提及 {count} 次</translation>
    </message>
    <message>
        <source>{count} times together</source>
        <translation>共现 {count} 次</translation>
    </message>
    <message>
        <source>{name} {predicate} this</source>
        <translation>{name} {predicate} 此名称</translation>
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
        <translation>一条错误消息已移除，因为其中可能引用了已永久删除的内容。</translation>
    </message>
    <message>
        <source>Erase for ever</source>
        <translation>永久删除</translation>
    </message>
    <message>
        <source>{done}.</source>
        <translation>{done}。</translation>
    </message>
    <message>
        <source>{what} Earlier backups may still hold it. Nothing can undo this.</source>
        <translation>{what} 较早的备份中可能仍保留它。此操作无法撤销。</translation>
    </message>
</context>
<context>
    <name>ErrorReporter</name>
    <message>
        <source>It happened once more.</source>
        <translation>又发生了一次。</translation>
    </message>
    <message>
        <source>It happened {n} more times.</source>
        <translation>又发生了 {n} 次。</translation>
    </message>
    <message>
        <source>Something went wrong inside Keepsake ({name}). What you wrote is kept.</source>
        <translation>Keepsake 内部出错（{name}）。你写的内容已保留。</translation>
    </message>
</context>
<context>
    <name>Errors</name>
    <message>
        <source>Your memories are damaged on the disk. “Check now” on the Status page says how far; Settings, Backups, brings an earlier copy back.</source>
        <translation>磁盘上的记忆已损坏。“状态”页面上的“立即检查”会说明损坏程度；“设置”中的“备份”可恢复较早的副本。</translation>
    </message>
</context>
<context>
    <name>ExportSheet</name>
    <message>
        <source>1 attachment could not be read and was left out:</source>
        <translation>1 个附件无法读取，已略过：</translation>
    </message>
    <message>
        <source>1 conversation</source>
        <translation>1 个会话</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 条消息</translation>
    </message>
    <message>
        <source>1 note or fact</source>
        <translation>1 条笔记或事实</translation>
    </message>
    <message>
        <source>A browser reads and searches it by its index.html; other programs read its Markdown.</source>
        <translation>浏览器可通过其中的 index.html 阅读和搜索；其他程序可读取其中的 Markdown。</translation>
    </message>
    <message>
        <source>Also the history of all changes</source>
        <translation>同时包含所有更改的历史记录</translation>
    </message>
    <message>
        <source>An unchanged earlier export there is replaced, anything else is not.</source>
        <translation>那里未经改动的旧导出会被替换，其他内容不会。</translation>
    </message>
    <message>
        <source>Choose where to export to</source>
        <translation>选择导出位置</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Encrypted file</source>
        <translation>加密文件</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Export everything</source>
        <translation>全部导出</translation>
    </message>
    <message>
        <source>Export progress</source>
        <translation>导出进度</translation>
    </message>
    <message>
        <source>Export without encryption</source>
        <translation>不加密导出</translation>
    </message>
    <message>
        <source>Folder to read</source>
        <translation>可阅读的文件夹</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>隐藏</translation>
    </message>
    <message>
        <source>JSON lines</source>
        <translation>JSON 行</translation>
    </message>
    <message>
        <source>Keepsake can import it.</source>
        <translation>Keepsake 可以再次导入。</translation>
    </message>
    <message>
        <source>One file for programs, with a folder of the attachments beside it.</source>
        <translation>供程序使用的单个文件，附件放在旁边的文件夹中。</translation>
    </message>
    <message>
        <source>One file with everything, attachments too, that only a passphrase opens.</source>
        <translation>包含全部内容（包括附件）的单个文件，只有密码短语才能打开。</translation>
    </message>
    <message>
        <source>Passphrase of the file</source>
        <translation>文件的密码短语</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在开始…</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stopped. Nothing was written.</source>
        <translation>已停止。未写入任何内容。</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>The same again</source>
        <translation>再次输入</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Where to</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Write it down where only you find it: nobody can bring a forgotten passphrase back.</source>
        <translation>请把它写在只有你能找到的地方：忘记的密码短语谁也无法找回。</translation>
    </message>
    <message>
        <source>Writes all conversations, notes, facts and attachments, also what is deleted or archived. Your memories here stay as they are.</source>
        <translation>写出所有会话、笔记、事实和附件，包括已删除或已归档的内容。这里的记忆保持不变。</translation>
    </message>
    <message>
        <source>Wrote {what} ({size}) to {path}.</source>
        <translation>已将 {what}（{size}）写入 {path}。</translation>
    </message>
    <message>
        <source>Your memories are encrypted, and this export is not: everybody who has it can read all of it.</source>
        <translation>你的记忆已加密，而此导出没有：任何拿到它的人都能读取全部内容。</translation>
    </message>
    <message>
        <source>{n} attachments could not be read and were left out:</source>
        <translation>{n} 个附件无法读取，已略过：</translation>
    </message>
    <message>
        <source>{n} conversations</source>
        <translation>{n} 个会话</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} 条消息</translation>
    </message>
    <message>
        <source>{n} notes and facts</source>
        <translation>{n} 条笔记和事实</translation>
    </message>
</context>
<context>
    <name>FacetFilter</name>
    <message>
        <source>Agent</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Said by</source>
        <translation>发言者</translation>
    </message>
    <message>
        <source>Store</source>
        <translation>分区</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
</context>
<context>
    <name>FactCard</name>
    <message>
        <source>A message without words</source>
        <translation>没有文字的消息</translation>
    </message>
    <message>
        <source>Confirm: it is certain and never fades</source>
        <translation>确认：它是确定的，永不淡忘</translation>
    </message>
    <message>
        <source>Correct it</source>
        <translation>更正</translation>
    </message>
    <message>
        <source>Delete it</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Open it in Notes</source>
        <translation>在笔记中打开</translation>
    </message>
    <message>
        <source>People and things in it</source>
        <translation>其中的人物和事物</translation>
    </message>
    <message>
        <source>Show this message</source>
        <translation>显示此消息</translation>
    </message>
    <message>
        <source>What is right</source>
        <translation>正确的内容</translation>
    </message>
    <message>
        <source>confirmed</source>
        <translation>已确认</translation>
    </message>
    <message>
        <source>said {n} times</source>
        <translation>说过 {n} 次</translation>
    </message>
    <message>
        <source>{n} % certain</source>
        <translation>确定度 {n} %</translation>
    </message>
</context>
<context>
    <name>FactPanel</name>
    <message>
        <source>Confidence</source>
        <translation>置信度</translation>
    </message>
    <message>
        <source>Confirm</source>
        <translation>确认</translation>
    </message>
    <message>
        <source>Confirmed the fact</source>
        <translation>已确认事实</translation>
    </message>
    <message>
        <source>Corrected the fact</source>
        <translation>已更正事实</translation>
    </message>
    <message>
        <source>Correct…</source>
        <translation>更正…</translation>
    </message>
    <message>
        <source>Held true over time</source>
        <translation>各时期的说法</translation>
    </message>
    <message>
        <source>It is right: it stays certain and never fades</source>
        <translation>它是对的：保持确定，永不淡忘</translation>
    </message>
    <message>
        <source>It no longer holds: another fact took its place.</source>
        <translation>它已不再成立：另一条事实取代了它。</translation>
    </message>
    <message>
        <source>It was deleted.</source>
        <translation>它已被删除。</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>Pinned the fact</source>
        <translation>已固定事实</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消固定</translation>
    </message>
    <message>
        <source>Unpinned the fact</source>
        <translation>已取消固定事实</translation>
    </message>
    <message>
        <source>You keep this for good.</source>
        <translation>此事永久保留。</translation>
    </message>
    <message>
        <source>about {n} months</source>
        <translation>约 {n} 个月</translation>
    </message>
    <message>
        <source>about {n} weeks</source>
        <translation>约 {n} 周</translation>
    </message>
    <message>
        <source>about {n} years</source>
        <translation>约 {n} 年</translation>
    </message>
    <message>
        <source>one day</source>
        <translation>一天</translation>
    </message>
    <message>
        <source>{n} days</source>
        <translation>{n} 天</translation>
    </message>
    <message>
        <source>{percent} certain now. If nobody uses it, it fades on {day}, {span} from now.</source>
        <translation>现在确定度为 {percent}。若无人使用，将于 {day}（{span}后）淡忘。</translation>
    </message>
    <message>
        <source>{percent} certain. Even without use it hardly fades.</source>
        <translation>确定度 {percent}。即使不使用也几乎不会淡忘。</translation>
    </message>
    <message>
        <source>{percent} certain. It has faded; the next night may set it aside.</source>
        <translation>确定度 {percent}。它已淡忘；下个夜晚可能被搁置。</translation>
    </message>
    <message>
        <source>{percent} certain. It never fades.</source>
        <translation>确定度 {percent}。永不淡忘。</translation>
    </message>
    <message>
        <source>{percent} certain. While it is pinned it does not fade.</source>
        <translation>确定度 {percent}。固定期间不会淡忘。</translation>
    </message>
</context>
<context>
    <name>FactsTab</name>
    <message>
        <source>Confirmed ‘{title}’</source>
        <translation>已确认“{title}”</translation>
    </message>
    <message>
        <source>Corrected ‘{title}’</source>
        <translation>已更正“{title}”</translation>
    </message>
    <message>
        <source>Deleted ‘{title}’</source>
        <translation>已删除“{title}”</translation>
    </message>
    <message>
        <source>Draw facts from it now</source>
        <translation>立即从中提取事实</translation>
    </message>
    <message>
        <source>Keepsake reads conversations when they have come to rest, and keeps what lasts: each fact with the message that says so.</source>
        <translation>会话安静下来后，Keepsake 会阅读它并保留长久有用的内容：每条事实都附有出处消息。</translation>
    </message>
    <message>
        <source>No facts were drawn from it yet</source>
        <translation>还没有从中提取事实</translation>
    </message>
    <message>
        <source>Show more</source>
        <translation>显示更多</translation>
    </message>
    <message>
        <source>{n} drawn from this conversation. A line below each shows the message that says so.</source>
        <translation>从此会话提取了 {n} 条。每条下方的一行显示其出处消息。</translation>
    </message>
</context>
<context>
    <name>FieldIcons</name>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
</context>
<context>
    <name>FilterChip</name>
    <message>
        <source>Clear the filter</source>
        <translation>清除筛选</translation>
    </message>
    <message>
        <source>Filtered by {names}</source>
        <translation>筛选条件：{names}</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>1 message</source>
        <translation>1 条消息</translation>
    </message>
    <message>
        <source>Find in this conversation</source>
        <translation>在此会话中查找</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>下一个匹配</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>上一个匹配</translation>
    </message>
    <message>
        <source>Stop finding</source>
        <translation>停止查找</translation>
    </message>
    <message>
        <source>no match</source>
        <translation>没有匹配</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} 条消息</translation>
    </message>
    <message>
        <source>{n} of {m}</source>
        <translation>{n}/{m}</translation>
    </message>
</context>
<context>
    <name>Frame</name>
    <message>
        <source>About Keepsake</source>
        <translation>关于 Keepsake</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Close window</source>
        <translation>关闭窗口</translation>
    </message>
    <message>
        <source>Command palette…</source>
        <translation>命令面板…</translation>
    </message>
    <message>
        <source>Copy link to this place</source>
        <translation>复制此处的链接</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Export everything…</source>
        <translation>全部导出…</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>First steps</source>
        <translation>入门</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前进</translation>
    </message>
    <message>
        <source>Go</source>
        <translation>转到</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>History…</source>
        <translation>历史记录…</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Jump to…</source>
        <translation>跳转到…</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>放大文字</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁定</translation>
    </message>
    <message>
        <source>Make a capsule…</source>
        <translation>制作胶囊…</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>菜单</translation>
    </message>
    <message>
        <source>New note</source>
        <translation>新建笔记</translation>
    </message>
    <message>
        <source>Newest notice</source>
        <translation>最新通知</translation>
    </message>
    <message>
        <source>Next part of the window</source>
        <translation>窗口的下一部分</translation>
    </message>
    <message>
        <source>Normal text size</source>
        <translation>正常文字大小</translation>
    </message>
    <message>
        <source>Previous part</source>
        <translation>上一部分</translation>
    </message>
    <message>
        <source>Quick capture…</source>
        <translation>快速记录…</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Search everything</source>
        <translation>搜索全部</translation>
    </message>
    <message>
        <source>Search models…</source>
        <translation>搜索模型…</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <source>Show or hide the inspector</source>
        <translation>显示或隐藏检查器</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>缩小文字</translation>
    </message>
    <message>
        <source>Test the language model</source>
        <translation>测试语言模型</translation>
    </message>
    <message>
        <source>Theme: dark</source>
        <translation>主题：深色</translation>
    </message>
    <message>
        <source>Theme: light</source>
        <translation>主题：浅色</translation>
    </message>
    <message>
        <source>Theme: like the system</source>
        <translation>主题：跟随系统</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>View</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>工作</translation>
    </message>
</context>
<context>
    <name>GlobalCapture</name>
    <message>
        <source>Quick capture</source>
        <translation>快速记录</translation>
    </message>
    <message>
        <source>Quick capture opens from anywhere</source>
        <translation>快速记录可从任何地方打开</translation>
    </message>
    <message>
        <source>Quick capture opens from anywhere with {keys}</source>
        <translation>按 {keys} 可从任何地方打开快速记录</translation>
    </message>
    <message>
        <source>Settings, Desktop shows a command that a shortcut of your desktop can run instead.</source>
        <translation>“设置”中的“桌面”显示了一个命令，可改用桌面快捷键运行。</translation>
    </message>
</context>
<context>
    <name>GoalLimitsForm</name>
    <message>
        <source>Cost at most</source>
        <translation>最高费用</translation>
    </message>
    <message>
        <source>It may read</source>
        <translation>可读取</translation>
    </message>
    <message>
        <source>Steps at most</source>
        <translation>最多步数</translation>
    </message>
    <message>
        <source>Turns: how often the language model may answer in one run</source>
        <translation>轮次：语言模型在一次运行中可以回答的次数</translation>
    </message>
    <message>
        <source>everything, private too</source>
        <translation>全部，包括私密</translation>
    </message>
    <message>
        <source>nothing of mine</source>
        <translation>不含我的任何内容</translation>
    </message>
    <message>
        <source>the usual limit</source>
        <translation>通常的上限</translation>
    </message>
    <message>
        <source>what is shared and social</source>
        <translation>共享和社交</translation>
    </message>
    <message>
        <source>what is social</source>
        <translation>社交</translation>
    </message>
</context>
<context>
    <name>GraphCanvas</name>
    <message>
        <source>1 link</source>
        <translation>1 个连接</translation>
    </message>
    <message>
        <source>1 mention</source>
        <translation>提及 1 次</translation>
    </message>
    <message>
        <source>1 name.</source>
        <translation>1 个名称。</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>图谱</translation>
    </message>
    <message>
        <source>{names} Arrow keys go to neighbours, Enter opens the page.</source>
        <translation>{names}方向键前往相邻名称，回车打开页面。</translation>
    </message>
    <message>
        <source>{n} links</source>
        <translation>{n} 个连接</translation>
    </message>
    <message>
        <source>{n} mentions</source>
        <translation>提及 {n} 次</translation>
    </message>
    <message>
        <source>{n} names.</source>
        <translation>{n} 个名称。</translation>
    </message>
</context>
<context>
    <name>GraphPane</name>
    <message>
        <source>1 link</source>
        <translation>1 个连接</translation>
    </message>
    <message>
        <source>1 text is still to be read for names.</source>
        <translation>还有 1 段文本有待识别名称。</translation>
    </message>
    <message>
        <source>Arrange again</source>
        <translation>重新排列</translation>
    </message>
    <message>
        <source>Arrange the graph again</source>
        <translation>重新排列图谱</translation>
    </message>
    <message>
        <source>Bring everything into sight</source>
        <translation>全部显示在视野内</translation>
    </message>
    <message>
        <source>Bring the whole graph into sight</source>
        <translation>让整个图谱进入视野</translation>
    </message>
    <message>
        <source>Draw around it</source>
        <translation>以它为中心绘制</translation>
    </message>
    <message>
        <source>Draw the graph around this name</source>
        <translation>以此名称为中心绘制图谱</translation>
    </message>
    <message>
        <source>Find a name</source>
        <translation>查找名称</translation>
    </message>
    <message>
        <source>Graph of all names</source>
        <translation>所有名称的图谱</translation>
    </message>
    <message>
        <source>Imported conversations are read for names, too.</source>
        <translation>导入的会话也会被读取名称。</translation>
    </message>
    <message>
        <source>Keepsake recognises names in your conversations and notes as they come in, and draws who and what belongs together. Write about somebody, and they appear here.</source>
        <translation>Keepsake 会在会话和笔记到来时识别名称，并画出谁与什么相关联。写到某个人，他就会出现在这里。</translation>
    </message>
    <message>
        <source>Merge all</source>
        <translation>全部合并</translation>
    </message>
    <message>
        <source>Merge into another…</source>
        <translation>合并到另一个…</translation>
    </message>
    <message>
        <source>Merge this name into another</source>
        <translation>将此名称合并到另一个</translation>
    </message>
    <message>
        <source>Names are being read</source>
        <translation>正在识别名称</translation>
    </message>
    <message>
        <source>No people or things are known yet</source>
        <translation>还没有已知的人物或事物</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>Pin or unpin this name</source>
        <translation>固定或取消固定此名称</translation>
    </message>
    <message>
        <source>Relate this name to another</source>
        <translation>将此名称与另一个关联</translation>
    </message>
    <message>
        <source>Relate…</source>
        <translation>关联…</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Rename this name</source>
        <translation>重命名此名称</translation>
    </message>
    <message>
        <source>Save as data (GraphML)…</source>
        <translation>另存为数据 (GraphML)…</translation>
    </message>
    <message>
        <source>Save as drawing (SVG)…</source>
        <translation>另存为绘图 (SVG)…</translation>
    </message>
    <message>
        <source>Save as picture (PNG)…</source>
        <translation>另存为图片 (PNG)…</translation>
    </message>
    <message>
        <source>Save the graph</source>
        <translation>保存图谱</translation>
    </message>
    <message>
        <source>Save the graph as a drawing</source>
        <translation>将图谱保存为绘图</translation>
    </message>
    <message>
        <source>Save the graph as a picture</source>
        <translation>将图谱保存为图片</translation>
    </message>
    <message>
        <source>Save the graph as data</source>
        <translation>将图谱保存为数据</translation>
    </message>
    <message>
        <source>Search for it</source>
        <translation>搜索它</translation>
    </message>
    <message>
        <source>Select with the lasso</source>
        <translation>用套索选择</translation>
    </message>
    <message>
        <source>Show names as a list</source>
        <translation>以列表显示名称</translation>
    </message>
    <message>
        <source>Split this name</source>
        <translation>拆分此名称</translation>
    </message>
    <message>
        <source>Split…</source>
        <translation>拆分…</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消固定</translation>
    </message>
    <message>
        <source>Write a note</source>
        <translation>写笔记</translation>
    </message>
    <message>
        <source>Zoom into the graph</source>
        <translation>放大图谱</translation>
    </message>
    <message>
        <source>Zoom out of the graph</source>
        <translation>缩小图谱</translation>
    </message>
    <message>
        <source>{count} names selected</source>
        <translation>已选择 {count} 个名称</translation>
    </message>
    <message>
        <source>{n} links</source>
        <translation>{n} 个连接</translation>
    </message>
    <message>
        <source>{n} texts are still to be read for names.</source>
        <translation>还有 {n} 段文本有待识别名称。</translation>
    </message>
    <message>
        <source>{shown} of 1 name shown</source>
        <translation>显示 {shown} / 1 个名称</translation>
    </message>
    <message>
        <source>{shown} of {n} names shown</source>
        <translation>显示 {shown} / {n} 个名称</translation>
    </message>
</context>
<context>
    <name>GraphToolbar</name>
    <message>
        <source>1 step</source>
        <translation>1 步</translation>
    </message>
    <message>
        <source>All names</source>
        <translation>所有名称</translation>
    </message>
    <message>
        <source>Around a name</source>
        <translation>围绕一个名称</translation>
    </message>
    <message>
        <source>Around {name}</source>
        <translation>围绕 {name}</translation>
    </message>
    <message>
        <source>Bring everything into sight (0)</source>
        <translation>全部显示在视野内 (0)</translation>
    </message>
    <message>
        <source>Colour by group</source>
        <translation>按群组着色</translation>
    </message>
    <message>
        <source>Colour by type</source>
        <translation>按类型着色</translation>
    </message>
    <message>
        <source>Data (GraphML)…</source>
        <translation>数据 (GraphML)…</translation>
    </message>
    <message>
        <source>Draw around names to select them</source>
        <translation>圈住名称以选择它们</translation>
    </message>
    <message>
        <source>Drawing (SVG)…</source>
        <translation>绘图 (SVG)…</translation>
    </message>
    <message>
        <source>Find a name in the graph</source>
        <translation>在图谱中查找名称</translation>
    </message>
    <message>
        <source>Find a name…</source>
        <translation>查找名称…</translation>
    </message>
    <message>
        <source>How far from the middle</source>
        <translation>距中心多远</translation>
    </message>
    <message>
        <source>How many names at most</source>
        <translation>最多显示多少名称</translation>
    </message>
    <message>
        <source>Picture (PNG)…</source>
        <translation>图片 (PNG)…</translation>
    </message>
    <message>
        <source>Save the graph as a file</source>
        <translation>将图谱保存为文件</translation>
    </message>
    <message>
        <source>Show only names that match</source>
        <translation>只显示匹配的名称</translation>
    </message>
    <message>
        <source>Show the names as a list, too</source>
        <translation>同时以列表显示名称</translation>
    </message>
    <message>
        <source>What colours mean</source>
        <translation>颜色的含义</translation>
    </message>
    <message>
        <source>{count} names</source>
        <translation>{count} 个名称</translation>
    </message>
    <message>
        <source>{count} steps</source>
        <translation>{count} 步</translation>
    </message>
</context>
<context>
    <name>GraphWriter</name>
    <message>
        <source>Saved {name}</source>
        <translation>已保存 {name}</translation>
    </message>
</context>
<context>
    <name>HelpDialog</name>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Help page</source>
        <translation>帮助页</translation>
    </message>
    <message>
        <source>Help pages</source>
        <translation>帮助页</translation>
    </message>
    <message>
        <source>The help pages are missing from this installation.</source>
        <translation>此安装中缺少帮助页。</translation>
    </message>
</context>
<context>
    <name>HistorySheet</name>
    <message>
        <source>By agents</source>
        <translation>智能体的</translation>
    </message>
    <message>
        <source>By me</source>
        <translation>我的</translation>
    </message>
    <message>
        <source>By upkeep</source>
        <translation>维护的</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史记录</translation>
    </message>
    <message>
        <source>Imports</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Nothing was done yet.</source>
        <translation>还没有任何更改。</translation>
    </message>
    <message>
        <source>Show earlier ones</source>
        <translation>显示更早的</translation>
    </message>
    <message>
        <source>What was done here, newest first. Undoing something is an entry, too.</source>
        <translation>这里做过的事情，最新的在前。撤销也是一条记录。</translation>
    </message>
    <message>
        <source>Whose changes are shown</source>
        <translation>显示谁的更改</translation>
    </message>
</context>
<context>
    <name>HitMenu</name>
    <message>
        <source>Add tags…</source>
        <translation>添加标签…</translation>
    </message>
    <message>
        <source>Copied the text</source>
        <translation>已复制文本</translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation>复制链接</translation>
    </message>
    <message>
        <source>Copy text</source>
        <translation>复制文本</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Deleted ‘{title}’</source>
        <translation>已删除“{title}”</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open in its conversation</source>
        <translation>在其会话中打开</translation>
    </message>
    <message>
        <source>Open its conversation</source>
        <translation>打开其会话</translation>
    </message>
    <message>
        <source>Open the page of ‘{name}’</source>
        <translation>打开“{name}”的页面</translation>
    </message>
    <message>
        <source>Pin or unpin</source>
        <translation>固定或取消固定</translation>
    </message>
    <message>
        <source>Pinned ‘{title}’</source>
        <translation>已固定“{title}”</translation>
    </message>
    <message>
        <source>Tagged ‘{title}’</source>
        <translation>已为“{title}”添加标签</translation>
    </message>
    <message>
        <source>Tags, separated by commas:</source>
        <translation>标签，用逗号分隔：</translation>
    </message>
    <message>
        <source>This message is no longer there.</source>
        <translation>此消息已不存在。</translation>
    </message>
    <message>
        <source>Unpinned ‘{title}’</source>
        <translation>已取消固定“{title}”</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>无标题</translation>
    </message>
    <message>
        <source>Why this was found</source>
        <translation>为何找到此项</translation>
    </message>
</context>
<context>
    <name>ImportDialog</name>
    <message>
        <source>An export of ChatGPT or Claude, chats of a messenger, notes of Obsidian, Notion, Joplin, Evernote or Apple, or documents such as PDF and Word. Nothing leaves this computer.</source>
        <translation>ChatGPT 或 Claude 的导出、聊天软件的记录、Obsidian、Notion、Joplin、Evernote 或 Apple 的笔记，或 PDF、Word 等文档。任何内容都不会离开这台电脑。</translation>
    </message>
    <message>
        <source>Bring your conversations and notes</source>
        <translation>导入你的会话和笔记</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>选择文件…</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>Choose another…</source>
        <translation>选择其他…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Copy problems</source>
        <translation>复制问题</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>隐藏</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Import progress</source>
        <translation>导入进度</translation>
    </message>
    <message>
        <source>Importing {name}</source>
        <translation>正在导入 {name}</translation>
    </message>
    <message>
        <source>Looking at {name}…</source>
        <translation>正在查看 {name}…</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Or drop it on this window.</source>
        <translation>或将它拖到此窗口上。</translation>
    </message>
    <message>
        <source>Parts to import</source>
        <translation>要导入的部分</translation>
    </message>
    <message>
        <source>Passphrase of the file</source>
        <translation>文件的密码短语</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Show them</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在开始…</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>This could not be imported</source>
        <translation>无法导入此内容</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>What was imported so far stays. Import it again to continue.</source>
        <translation>目前已导入的内容会保留。再次导入即可继续。</translation>
    </message>
</context>
<context>
    <name>Inbox</name>
    <message>
        <source>Accepted</source>
        <translation>已接受</translation>
    </message>
    <message>
        <source>Account</source>
        <translation>叙述</translation>
    </message>
    <message>
        <source>Archive: {title}</source>
        <translation>归档：{title}</translation>
    </message>
    <message>
        <source>Are {other} and {into} the same person?</source>
        <translation>{other}和{into}是同一个人吗？</translation>
    </message>
    <message>
        <source>Are {other} and {into} the same?</source>
        <translation>{other}和{into}是同一个吗？</translation>
    </message>
    <message>
        <source>Call {operation}</source>
        <translation>调用 {operation}</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Change: {title}</source>
        <translation>更改：{title}</translation>
    </message>
    <message>
        <source>Confirm: {title}</source>
        <translation>确认：{title}</translation>
    </message>
    <message>
        <source>Content</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Delete: {title}</source>
        <translation>删除：{title}</translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>Facts</source>
        <translation>事实</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Merge: {title}</source>
        <translation>合并：{title}</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>New: {title}</source>
        <translation>新建：{title}</translation>
    </message>
    <message>
        <source>Other names</source>
        <translation>其他名称</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>已固定</translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>Rename: {title}</source>
        <translation>重命名：{title}</translation>
    </message>
    <message>
        <source>Restore: {title}</source>
        <translation>恢复：{title}</translation>
    </message>
    <message>
        <source>Store</source>
        <translation>分区</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>正文</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>{words} (and {n} more)</source>
        <translation>{words}（另有 {n} 项）</translation>
    </message>
</context>
<context>
    <name>InboxPane</name>
    <message>
        <source>Accept the proposal</source>
        <translation>接受提议</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>已接受</translation>
    </message>
    <message>
        <source>Both are kept.</source>
        <translation>两者都保留。</translation>
    </message>
    <message>
        <source>From now on this is accepted without asking: {kind} of {agent}</source>
        <translation>今后将直接接受：{agent} 的{kind}</translation>
    </message>
    <message>
        <source>From now on this is refused: {kind} of {agent}</source>
        <translation>今后将直接拒绝：{agent} 的{kind}</translation>
    </message>
    <message>
        <source>It could not be done; it still waits.</source>
        <translation>无法完成；它仍在等待。</translation>
    </message>
    <message>
        <source>Kept both</source>
        <translation>两者已保留</translation>
    </message>
    <message>
        <source>Nothing waits for you</source>
        <translation>没有等待你处理的内容</translation>
    </message>
    <message>
        <source>One job ran</source>
        <translation>运行了一项任务</translation>
    </message>
    <message>
        <source>Open Agents</source>
        <translation>打开智能体</translation>
    </message>
    <message>
        <source>Reject the proposal</source>
        <translation>拒绝提议</translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>Stored the new fact beside the old one</source>
        <translation>已将新事实与旧事实并存</translation>
    </message>
    <message>
        <source>There is nothing left to undo.</source>
        <translation>没有可以撤销的内容了。</translation>
    </message>
    <message>
        <source>Undone</source>
        <translation>已撤销</translation>
    </message>
    <message>
        <source>What agents want to write appears here when you review them, and so does what contradicts something that you pinned or confirmed. Nothing is stored before you accept it.</source>
        <translation>被审核的智能体想写的内容会出现在这里，与你固定或确认的内容相矛盾的也会出现。在你接受之前不会存储任何内容。</translation>
    </message>
    <message>
        <source>{n} jobs ran</source>
        <translation>运行了 {n} 项任务</translation>
    </message>
</context>
<context>
    <name>IncognitoBar</name>
    <message>
        <source>For 1 hour</source>
        <translation>1 小时</translation>
    </message>
    <message>
        <source>Incognito</source>
        <translation>无痕模式</translation>
    </message>
    <message>
        <source>Incognito for 1 hour</source>
        <translation>无痕 1 小时</translation>
    </message>
    <message>
        <source>Turn incognito off</source>
        <translation>关闭无痕模式</translation>
    </message>
    <message>
        <source>Turn incognito on</source>
        <translation>开启无痕模式</translation>
    </message>
</context>
<context>
    <name>IncognitoIndicator</name>
    <message>
        <source>Incognito</source>
        <translation>无痕模式</translation>
    </message>
    <message>
        <source>{state} Click to end it.</source>
        <translation>{state} 点击可结束。</translation>
    </message>
</context>
<context>
    <name>JoinRequests</name>
    <message>
        <source>{name} asks to hold your whole memory. Let it in if you typed the words there yourself.</source>
        <translation>{name} 请求保存你的全部记忆。如果单词是你自己在那里输入的，请让它加入。</translation>
    </message>
</context>
<context>
    <name>KeptTextBar</name>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Delete again</source>
        <translation>再次删除</translation>
    </message>
    <message>
        <source>Deleted on one machine while it was edited on another, so it is still here</source>
        <translation>在一台电脑上被删除时，正在另一台电脑上被编辑，因此仍保留在此处</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>忽略</translation>
    </message>
    <message>
        <source>Edited on another machine at the same time</source>
        <translation>同时在另一台电脑上被编辑</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Keep this text</source>
        <translation>保留此文本</translation>
    </message>
    <message>
        <source>Lines with + are of the other text, written on {when}; lines with − are of this one.</source>
        <translation>带 + 的行属于另一文本（写于 {when}），带 − 的行属于此文本。</translation>
    </message>
    <message>
        <source>Take the other text</source>
        <translation>采用另一文本</translation>
    </message>
</context>
<context>
    <name>KeyField</name>
    <message>
        <source>A key is kept in {place}.</source>
        <translation>密钥保存在{place}中。</translation>
    </message>
    <message>
        <source>Asking the keyring…</source>
        <translation>正在询问密钥环…</translation>
    </message>
    <message>
        <source>Choose a service</source>
        <translation>选择服务</translation>
    </message>
    <message>
        <source>It is kept in the keyring of this machine, never in the settings or the vault.</source>
        <translation>它保存在此电脑的密钥环中，绝不在设置或记忆库里。</translation>
    </message>
    <message>
        <source>It is taken from {place}.</source>
        <translation>取自{place}。</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Key of a remote service</source>
        <translation>远程服务的密钥</translation>
    </message>
    <message>
        <source>Key of the service</source>
        <translation>服务的密钥</translation>
    </message>
    <message>
        <source>Paste the key</source>
        <translation>粘贴密钥</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Service of the key</source>
        <translation>密钥所属服务</translation>
    </message>
    <message>
        <source>There is no key yet. It will be kept in {place}.</source>
        <translation>还没有密钥。它将保存在{place}中。</translation>
    </message>
</context>
<context>
    <name>KnownRow</name>
    <message>
        <source>No hints for this text</source>
        <translation>不提示此文本</translation>
    </message>
    <message>
        <source>You already know</source>
        <translation>你已知道</translation>
    </message>
    <message>
        <source>You already know: {what}</source>
        <translation>你已知道：{what}</translation>
    </message>
    <message>
        <source>You already know: {what} ({when})</source>
        <translation>你已知道：{what}（{when}）</translation>
    </message>
</context>
<context>
    <name>LanguageModelPanel</name>
    <message>
        <source>Asking…</source>
        <translation>正在询问…</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>费用</translation>
    </message>
    <message>
        <source>For</source>
        <translation>用途</translation>
    </message>
    <message>
        <source>Key of the service</source>
        <translation>服务的密钥</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Result of the test</source>
        <translation>测试结果</translation>
    </message>
    <message>
        <source>Share of the monthly limit that is spent</source>
        <translation>每月限额已用比例</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Test the language model</source>
        <translation>测试语言模型</translation>
    </message>
    <message>
        <source>This month</source>
        <translation>本月</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>What the language model was asked for this month</source>
        <translation>本月向语言模型的请求</translation>
    </message>
    <message>
        <source>{cost} of at most {cap} spent.</source>
        <translation>已用 {cost}，上限 {cap}。</translation>
    </message>
    <message>
        <source>{cost} spent; there is no limit.</source>
        <translation>已用 {cost}；没有上限。</translation>
    </message>
    <message>
        <source>{model} answered in {seconds} seconds.</source>
        <translation>{model} 在 {seconds} 秒内作答。</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <source>Around {name} {count}</source>
        <translation>围绕 {name} {count}</translation>
    </message>
    <message>
        <source>Hide {words}</source>
        <translation>隐藏{words}</translation>
    </message>
    <message>
        <source>Legend</source>
        <translation>图例</translation>
    </message>
    <message>
        <source>Note links</source>
        <translation>笔记链接</translation>
    </message>
    <message>
        <source>Select the group: {words}</source>
        <translation>选择群组：{words}</translation>
    </message>
    <message>
        <source>Show {words}</source>
        <translation>显示{words}</translation>
    </message>
</context>
<context>
    <name>MarkdownEditor</name>
    <message>
        <source>Attach a file…</source>
        <translation>附加文件…</translation>
    </message>
    <message>
        <source>Completions</source>
        <translation>补全</translation>
    </message>
    <message>
        <source>That text is too long to put into a note. Import it as a file instead.</source>
        <translation>这段文本太长，无法放入笔记。请改为以文件导入。</translation>
    </message>
</context>
<context>
    <name>MarkdownView</name>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open a web page</source>
        <translation>打开网页</translation>
    </message>
    <message>
        <source>Open the page of ‘{name}’</source>
        <translation>打开“{name}”的页面</translation>
    </message>
    <message>
        <source>Show more</source>
        <translation>显示更多</translation>
    </message>
    <message>
        <source>This link leads out of Keepsake. Open it in your browser?</source>
        <translation>此链接指向 Keepsake 之外。在浏览器中打开吗？</translation>
    </message>
    <message>
        <source>This text has {count} characters, so it is shown as written: the first {part}.</source>
        <translation>此文本有 {count} 个字符，因此按原文显示：前 {part} 个。</translation>
    </message>
    <message>
        <source>not shown, it is not in the attachments folder</source>
        <translation>未显示，它不在附件文件夹中</translation>
    </message>
</context>
<context>
    <name>MentionSection</name>
    <message>
        <source>Link it in ‘{title}’</source>
        <translation>在“{title}”中加链接</translation>
    </message>
    <message>
        <source>Linked it in ‘{title}’</source>
        <translation>已在“{title}”中加链接</translation>
    </message>
    <message>
        <source>Named without a link</source>
        <translation>提及但未链接</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>无标题</translation>
    </message>
</context>
<context>
    <name>MergeForm</name>
    <message>
        <source>All names and mentions of ‘{name}’ will mean the one you choose.</source>
        <translation>“{name}”的所有名称和提及都将指向你选择的那个。</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>合并</translation>
    </message>
    <message>
        <source>Merge into</source>
        <translation>合并到</translation>
    </message>
    <message>
        <source>Merge into…</source>
        <translation>合并到…</translation>
    </message>
</context>
<context>
    <name>MissingPane</name>
    <message>
        <source>This installation is incomplete: {reason}. Installing Keepsake again repairs it.</source>
        <translation>此安装不完整：{reason}。重新安装 Keepsake 可修复。</translation>
    </message>
    <message>
        <source>This part could not be loaded</source>
        <translation>无法加载此部分</translation>
    </message>
</context>
<context>
    <name>ModelRow</name>
    <message>
        <source>Answered before; kept until {until}</source>
        <translation>曾负责回答；保留至 {until}</translation>
    </message>
    <message>
        <source>Answers searches</source>
        <translation>正在回答搜索</translation>
    </message>
    <message>
        <source>Being prepared</source>
        <translation>正在准备</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Give up</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Given up before it was complete; kept until {until}</source>
        <translation>未完成即放弃；保留至 {until}</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Go on with it</source>
        <translation>继续使用它</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Progress of {model}</source>
        <translation>{model} 的进度</translation>
    </message>
    <message>
        <source>Ready; the old one answers until you switch</source>
        <translation>就绪；在你切换前由旧模型回答</translation>
    </message>
    <message>
        <source>Switch back</source>
        <translation>换回</translation>
    </message>
    <message>
        <source>Switch to it</source>
        <translation>换用</translation>
    </message>
    <message>
        <source>a remote service</source>
        <translation>远程服务</translation>
    </message>
    <message>
        <source>on this computer</source>
        <translation>在此电脑上</translation>
    </message>
    <message>
        <source>{made} of 1 text</source>
        <translation>{made}/1 段文本</translation>
    </message>
    <message>
        <source>{made} of {n} texts</source>
        <translation>{made}/{n} 段文本</translation>
    </message>
    <message>
        <source>{n} numbers each</source>
        <translation>{n} 维</translation>
    </message>
</context>
<context>
    <name>ModelsDialog</name>
    <message>
        <source>Search models</source>
        <translation>搜索模型</translation>
    </message>
    <message>
        <source>The earlier model answers searches again</source>
        <translation>先前的模型重新回答搜索</translation>
    </message>
    <message>
        <source>The model {model} is not on this machine.</source>
        <translation>此电脑上没有模型 {model}。</translation>
    </message>
    <message>
        <source>The new model answers as soon as its last texts are in</source>
        <translation>最后的文本就绪后由新模型回答</translation>
    </message>
</context>
<context>
    <name>MonthSheet</name>
    <message>
        <source>Calendar</source>
        <translation>日历</translation>
    </message>
    <message>
        <source>conversations: {count}</source>
        <translation>会话：{count}</translation>
    </message>
    <message>
        <source>daily note</source>
        <translation>每日笔记</translation>
    </message>
    <message>
        <source>notes: {count}</source>
        <translation>笔记：{count}</translation>
    </message>
</context>
<context>
    <name>NameModel</name>
    <message>
        <source>Links</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Mentions</source>
        <translation>提及</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
</context>
<context>
    <name>NameTable</name>
    <message>
        <source>Names in the graph</source>
        <translation>图谱中的名称</translation>
    </message>
</context>
<context>
    <name>NewAgentForm</name>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add an agent</source>
        <translation>添加智能体</translation>
    </message>
    <message>
        <source>An agent is a program that you let use your memories. It gets a token, with which it shows who it is.</source>
        <translation>智能体是你允许使用你的记忆的程序。它会得到一个表明身份的令牌。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Put it into the variable KEEPSAKE_TOKEN of the program. It is not shown again.</source>
        <translation>把它放入该程序的 KEEPSAKE_TOKEN 变量。它不会再次显示。</translation>
    </message>
    <message>
        <source>Such as claude-code</source>
        <translation>例如 claude-code</translation>
    </message>
    <message>
        <source>The token of {name}</source>
        <translation>{name} 的令牌</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>令牌</translation>
    </message>
    <message>
        <source>Trust</source>
        <translation>信任</translation>
    </message>
    <message>
        <source>What it writes waits in the inbox until you accept it</source>
        <translation>它写入的内容会在收件箱中等待你接受</translation>
    </message>
</context>
<context>
    <name>NewNotes</name>
    <message>
        <source>Began ‘{title}’ from its template</source>
        <translation>已用模板开始“{title}”</translation>
    </message>
    <message>
        <source>New daily notes begin with this template</source>
        <translation>新的每日笔记将以此模板开始</translation>
    </message>
    <message>
        <source>New note from a template</source>
        <translation>由模板新建笔记</translation>
    </message>
    <message>
        <source>There are no templates yet. Give a note the tag #template to make it one.</source>
        <translation>还没有模板。给笔记加上标签 #template 即可。</translation>
    </message>
    <message>
        <source>Title:</source>
        <translation>标题：</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>无标题</translation>
    </message>
    <message>
        <source>{title} (daily note)</source>
        <translation>{title}（每日笔记）</translation>
    </message>
</context>
<context>
    <name>NightPage</name>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Details of {name}</source>
        <translation>{name} 的详情</translation>
    </message>
    <message>
        <source>Keepsake did this by itself in the past day. You can take back any of it.</source>
        <translation>这些是 Keepsake 过去一天自动完成的。你可以撤回其中任何一项。</translation>
    </message>
    <message>
        <source>There is nothing left to undo.</source>
        <translation>没有可以撤销的内容了。</translation>
    </message>
    <message>
        <source>Undid what one job did</source>
        <translation>已撤销一项任务所做的更改</translation>
    </message>
    <message>
        <source>Undid what {n} jobs did</source>
        <translation>已撤销 {n} 项任务所做的更改</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Undo the night</source>
        <translation>撤销昨夜的更改</translation>
    </message>
    <message>
        <source>Undo {name}</source>
        <translation>撤销 {name}</translation>
    </message>
    <message>
        <source>While you were away</source>
        <translation>你不在的时候</translation>
    </message>
    <message>
        <source>what changed since stays</source>
        <translation>此后的更改会保留</translation>
    </message>
</context>
<context>
    <name>NoteActions</name>
    <message>
        <source>Add tags…</source>
        <translation>添加标签…</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>归档</translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation>复制链接</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete {count} notes</source>
        <translation>删除 {count} 条笔记</translation>
    </message>
    <message>
        <source>Deleted {count} notes</source>
        <translation>已删除 {count} 条笔记</translation>
    </message>
    <message>
        <source>Deleted ‘{title}’</source>
        <translation>已删除“{title}”</translation>
    </message>
    <message>
        <source>Merge into one</source>
        <translation>合并为一条</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>Pinned ‘{title}’</source>
        <translation>已固定“{title}”</translation>
    </message>
    <message>
        <source>Project…</source>
        <translation>项目…</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Restored {count}</source>
        <translation>已恢复 {count} 条</translation>
    </message>
    <message>
        <source>Tagged 1 note</source>
        <translation>已为 1 条笔记添加标签</translation>
    </message>
    <message>
        <source>Tagged {n} notes</source>
        <translation>已为 {n} 条笔记添加标签</translation>
    </message>
    <message>
        <source>Tagged ‘{title}’</source>
        <translation>已为“{title}”添加标签</translation>
    </message>
    <message>
        <source>Tags for {count} notes, separated by commas:</source>
        <translation>{count} 条笔记的标签，用逗号分隔：</translation>
    </message>
    <message>
        <source>Tags, separated by commas:</source>
        <translation>标签，用逗号分隔：</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消固定</translation>
    </message>
    <message>
        <source>Unpinned ‘{title}’</source>
        <translation>已取消固定“{title}”</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>无标题</translation>
    </message>
    <message>
        <source>Who may see it…</source>
        <translation>谁可以看到它…</translation>
    </message>
    <message>
        <source>Who may see them…</source>
        <translation>谁可以看到它们…</translation>
    </message>
    <message>
        <source>{count} notes selected</source>
        <translation>已选择 {count} 条笔记</translation>
    </message>
</context>
<context>
    <name>NoteAttachments</name>
    <message>
        <source>Another note was opened before the link was written. Add it there: {link}</source>
        <translation>链接写入前已打开了另一条笔记。请在那里添加：{link}</translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation>附加文件</translation>
    </message>
    <message>
        <source>That picture has too many pixels to be attached. Make it smaller and try again.</source>
        <translation>该图片像素过多，无法附加。请缩小后重试。</translation>
    </message>
    <message>
        <source>That picture is damaged, so it was not attached.</source>
        <translation>该图片已损坏，因此未附加。</translation>
    </message>
    <message>
        <source>This note cannot be changed, so nothing can be attached to it.</source>
        <translation>此笔记不可更改，因此无法附加文件。</translation>
    </message>
    <message>
        <source>{count} files are too many at once. Attach at most {most}, or import their folder.</source>
        <translation>一次 {count} 个文件太多。最多附加 {most} 个，或导入其文件夹。</translation>
    </message>
    <message>
        <source>‘{name}’ was not attached. {why}</source>
        <translation>未附加“{name}”。{why}</translation>
    </message>
</context>
<context>
    <name>NoteEditing</name>
    <message>
        <source>No note is behind this link. It may have been deleted or not imported.</source>
        <translation>此链接没有对应的笔记。它可能已被删除或未导入。</translation>
    </message>
    <message>
        <source>Renamed; the links in one other note follow.</source>
        <translation>已重命名；另一条笔记中的链接随之更新。</translation>
    </message>
    <message>
        <source>Renamed; the links in {count} other notes follow.</source>
        <translation>已重命名；另外 {count} 条笔记中的链接随之更新。</translation>
    </message>
</context>
<context>
    <name>NoteFacets</name>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>Marked</source>
        <translation>标记</translation>
    </message>
    <message>
        <source>People and things</source>
        <translation>人物和事物</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>已固定</translation>
    </message>
    <message>
        <source>Save this filter</source>
        <translation>保存此筛选</translation>
    </message>
    <message>
        <source>Saved filters</source>
        <translation>已保存的筛选</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Store</source>
        <translation>分区</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>a name</source>
        <translation>名称</translation>
    </message>
</context>
<context>
    <name>NoteInspector</name>
    <message>
        <source>1 token</source>
        <translation>1 个词元</translation>
    </message>
    <message>
        <source>About</source>
        <translation>关于</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Compare with this version</source>
        <translation>与此版本比较</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>置信度</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Happened</source>
        <translation>发生</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Linked from</source>
        <translation>反向链接</translation>
    </message>
    <message>
        <source>Links to</source>
        <translation>链接到</translation>
    </message>
    <message>
        <source>Mentioned</source>
        <translation>提及</translation>
    </message>
    <message>
        <source>Open its conversation</source>
        <translation>打开其会话</translation>
    </message>
    <message>
        <source>People</source>
        <translation>人物</translation>
    </message>
    <message>
        <source>Point</source>
        <translation>要点</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Said</source>
        <translation>说出</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Store</source>
        <translation>分区</translation>
    </message>
    <message>
        <source>Stored by</source>
        <translation>存储者</translation>
    </message>
    <message>
        <source>The category of the fact</source>
        <translation>事实的类别</translation>
    </message>
    <message>
        <source>The key of the fact: what in its topic it is about</source>
        <translation>事实的键：它在主题中讲的是什么</translation>
    </message>
    <message>
        <source>The type of the observation</source>
        <translation>观察的类型</translation>
    </message>
    <message>
        <source>Tokens: the pieces of words in which language models count a text</source>
        <translation>Token：语言模型计算文本所用的词片</translation>
    </message>
    <message>
        <source>Topic</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>无标题</translation>
    </message>
    <message>
        <source>What it is</source>
        <translation>是什么</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>{n} tokens</source>
        <translation>{n} 个词元</translation>
    </message>
    <message>
        <source>{title} (not written yet)</source>
        <translation>{title}（尚未书写）</translation>
    </message>
    <message>
        <source>{what}, {who}, {when}</source>
        <translation>{what}，{who}，{when}</translation>
    </message>
</context>
<context>
    <name>NoteList</name>
    <message>
        <source>By title</source>
        <translation>按标题</translation>
    </message>
    <message>
        <source>Filter by words</source>
        <translation>按词筛选</translation>
    </message>
    <message>
        <source>Filter notes</source>
        <translation>筛选笔记</translation>
    </message>
    <message>
        <source>Last changed first</source>
        <translation>最近更改的在前</translation>
    </message>
    <message>
        <source>Longest unchanged first</source>
        <translation>最久未更改的在前</translation>
    </message>
    <message>
        <source>New note</source>
        <translation>新建笔记</translation>
    </message>
    <message>
        <source>Newest first</source>
        <translation>最新的在前</translation>
    </message>
    <message>
        <source>No note fits this filter.</source>
        <translation>没有笔记符合此筛选。</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>排序</translation>
    </message>
    <message>
        <source>Show deleted notes</source>
        <translation>显示已删除的笔记</translation>
    </message>
    <message>
        <source>Show or hide the filters</source>
        <translation>显示或隐藏筛选</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>无标题</translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>已固定</translation>
    </message>
</context>
<context>
    <name>NoteOrganising</name>
    <message>
        <source>New note from this</source>
        <translation>由此新建笔记</translation>
    </message>
    <message>
        <source>Use for the daily note</source>
        <translation>用于每日笔记</translation>
    </message>
</context>
<context>
    <name>NotesPane</name>
    <message>
        <source>Add a tag</source>
        <translation>添加标签</translation>
    </message>
    <message>
        <source>Attach a file…</source>
        <translation>附加文件…</translation>
    </message>
    <message>
        <source>Calendar of days</source>
        <translation>日历</translation>
    </message>
    <message>
        <source>Choose a note</source>
        <translation>选择笔记</translation>
    </message>
    <message>
        <source>Ctrl+N begins a note, Ctrl+D opens today&apos;s.</source>
        <translation>Ctrl+N 新建笔记，Ctrl+D 打开今天的笔记。</translation>
    </message>
    <message>
        <source>Delete note</source>
        <translation>删除笔记</translation>
    </message>
    <message>
        <source>Empty the trash</source>
        <translation>清空回收站</translation>
    </message>
    <message>
        <source>Filter notes</source>
        <translation>筛选笔记</translation>
    </message>
    <message>
        <source>Fold or unfold this section</source>
        <translation>折叠或展开此节</translation>
    </message>
    <message>
        <source>Its text, its links and its history appear here.</source>
        <translation>其正文、链接和历史会显示在这里。</translation>
    </message>
    <message>
        <source>Merge the selected notes</source>
        <translation>合并所选笔记</translation>
    </message>
    <message>
        <source>New note</source>
        <translation>新建笔记</translation>
    </message>
    <message>
        <source>New note from a template</source>
        <translation>由模板新建笔记</translation>
    </message>
    <message>
        <source>New note. It is kept once you write something.</source>
        <translation>新笔记。写入内容后即会保存。</translation>
    </message>
    <message>
        <source>Next marked word</source>
        <translation>下一个标记的词</translation>
    </message>
    <message>
        <source>No notes yet</source>
        <translation>还没有笔记</translation>
    </message>
    <message>
        <source>Notes you delete wait here until you restore them.</source>
        <translation>你删除的笔记会留在这里，直到你恢复它们。</translation>
    </message>
    <message>
        <source>Pin or unpin</source>
        <translation>固定或取消固定</translation>
    </message>
    <message>
        <source>Previous marked word</source>
        <translation>上一个标记的词</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>阅读</translation>
    </message>
    <message>
        <source>Save this filter</source>
        <translation>保存此筛选</translation>
    </message>
    <message>
        <source>Show deleted notes</source>
        <translation>显示已删除的笔记</translation>
    </message>
    <message>
        <source>Show or hide the filters</source>
        <translation>显示或隐藏筛选</translation>
    </message>
    <message>
        <source>The earlier version is restored. What was there before is in the history.</source>
        <translation>已恢复先前的版本。之前的内容保存在历史记录中。</translation>
    </message>
    <message>
        <source>The trash is empty</source>
        <translation>回收站是空的</translation>
    </message>
    <message>
        <source>There is no heading above the cursor.</source>
        <translation>光标上方没有标题。</translation>
    </message>
    <message>
        <source>Today&apos;s note</source>
        <translation>今天的笔记</translation>
    </message>
    <message>
        <source>Unfold all sections</source>
        <translation>展开所有节</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>编写</translation>
    </message>
    <message>
        <source>Write a note</source>
        <translation>写笔记</translation>
    </message>
    <message>
        <source>Write and preview</source>
        <translation>编写与预览</translation>
    </message>
    <message>
        <source>Write the first one, or import a folder of Markdown files. What agents learn about you appears here too, for you to read, correct and delete.</source>
        <translation>写下第一条，或导入一个 Markdown 文件夹。智能体了解到的关于你的内容也会出现在这里，供你阅读、更正和删除。</translation>
    </message>
</context>
<context>
    <name>OnThisDay</name>
    <message>
        <source>A month ago</source>
        <translation>一个月前</translation>
    </message>
    <message>
        <source>A year ago</source>
        <translation>一年前</translation>
    </message>
    <message>
        <source>On this day</source>
        <translation>历史上的今天</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>无标题</translation>
    </message>
    <message>
        <source>{ago}: {title}</source>
        <translation>{ago}：{title}</translation>
    </message>
    <message>
        <source>{n} months ago</source>
        <translation>{n} 个月前</translation>
    </message>
    <message>
        <source>{n} years ago</source>
        <translation>{n} 年前</translation>
    </message>
</context>
<context>
    <name>OpeningAdviser</name>
    <message>
        <source>A change to your memories was cut off, and taking it back needs a folder that can be changed. Free some space, or copy the folder to another place and open it there.</source>
        <translation>对记忆的一次更改中途中断，撤回它需要可写的文件夹。请释放空间，或把文件夹复制到别处再打开。</translation>
    </message>
    <message>
        <source>A model that your settings name is not on this computer. Safe mode starts without it.</source>
        <translation>此电脑上没有设置中指定的模型。安全模式可以不使用它启动。</translation>
    </message>
    <message>
        <source>Another Keepsake (process {number}) has your memories open and does not answer. Close it, then try again.</source>
        <translation>另一个 Keepsake（进程 {number}）已打开你的记忆但没有响应。请关闭它后重试。</translation>
    </message>
    <message>
        <source>Another Keepsake has your memories open and does not answer. Close it, then try again.</source>
        <translation>另一个 Keepsake 已打开你的记忆但没有响应。请关闭它后重试。</translation>
    </message>
    <message>
        <source>Keepsake may not open or change {place}: your account lacks the permission, or the disk cannot be written. Give your account access, then try again, or copy the folder to another place.</source>
        <translation>Keepsake 无法打开或更改 {place}：你的账户缺少权限，或磁盘不可写。请授予权限后重试，或把文件夹复制到别处。</translation>
    </message>
    <message>
        <source>Memories were being rescued into {folder}, and that did not finish. Rescue them again, or delete it.</source>
        <translation>曾向 {folder} 抢救记忆但未完成。请重新抢救，或删除它。</translation>
    </message>
    <message>
        <source>Reading your memories took too long. Try again, or check the file that holds them.</source>
        <translation>读取记忆用时过长。请重试，或检查保存它们的文件。</translation>
    </message>
    <message>
        <source>The backup that was to be restored is damaged, so nothing was replaced. It was put aside as {name}.</source>
        <translation>要恢复的备份已损坏，因此没有替换任何内容。它已另存为 {name}。</translation>
    </message>
    <message>
        <source>The disk with your memories is full. Free some space, then try again. Nothing that was saved is lost.</source>
        <translation>存放记忆的磁盘已满。请释放空间后重试。已保存的内容没有丢失。</translation>
    </message>
    <message>
        <source>The file encryption.json of your memories was changed, and not by Keepsake, so nothing was opened. Put a copy in its place that Keepsake wrote: one lies in the folder backups.</source>
        <translation>你的记忆的文件 encryption.json 被更改，而且不是由 Keepsake 更改的，因此没有打开任何内容。请用 Keepsake 写入的副本替换它：backups 文件夹中有一份。</translation>
    </message>
    <message>
        <source>The file encryption.json, which holds the key of your memories, is missing, damaged or of other memories. Nothing was changed. Bring it back from a copy of the folder.</source>
        <translation>保存你的记忆密钥的文件 encryption.json 缺失、已损坏或属于其他记忆。没有更改任何内容。请从文件夹的副本中取回它。</translation>
    </message>
    <message>
        <source>The file that holds your memories is damaged. Nothing was changed in it.</source>
        <translation>保存记忆的文件已损坏。其中没有做任何更改。</translation>
    </message>
    <message>
        <source>The file with your memories is missing or empty in {folder}, although it was in use before.</source>
        <translation>{folder} 中的记忆文件缺失或为空，尽管之前曾使用过。</translation>
    </message>
    <message>
        <source>The folder of your memories</source>
        <translation>你的记忆文件夹</translation>
    </message>
    <message>
        <source>The keyring of your desktop does not answer. Unlock it, then try again, or start in safe mode.</source>
        <translation>桌面密钥环没有响应。请解锁后重试，或以安全模式启动。</translation>
    </message>
    <message>
        <source>Your desktop has no keyring for the keys that your settings name. Safe mode starts without them.</source>
        <translation>你的桌面没有密钥环来提供设置中指定的密钥。安全模式可以不使用它们启动。</translation>
    </message>
    <message>
        <source>Your memories are encrypted, and this installation of Keepsake cannot open them. The help on encryption says how to install one that can.</source>
        <translation>你的记忆已加密，而此 Keepsake 安装无法打开。有关加密的帮助说明了如何安装能打开的版本。</translation>
    </message>
    <message>
        <source>Your memories are encrypted. Type the passphrase to open them.</source>
        <translation>你的记忆已加密。请输入密码短语以打开。</translation>
    </message>
    <message>
        <source>Your memories are from an older Keepsake and have to be brought up to date. That needs free space and a folder that can be changed: copy the folder to such a place, then open it there.</source>
        <translation>你的记忆来自较旧的 Keepsake，需要更新。这需要可用空间和可写的文件夹：请把文件夹复制到这样的地方再打开。</translation>
    </message>
    <message>
        <source>Your memories could not be brought up to date for this version of Keepsake. Nothing was changed. What they hold can be rescued into a new folder.</source>
        <translation>无法将你的记忆更新到此版本的 Keepsake。没有做任何更改。其内容可以抢救到新文件夹。</translation>
    </message>
    <message>
        <source>Your memories could not be read from the disk. Try again; if that does not help, check the file.</source>
        <translation>无法从磁盘读取你的记忆。请重试；若仍不行，请检查文件。</translation>
    </message>
    <message>
        <source>Your memories were last opened by a newer Keepsake. Update Keepsake to open them.</source>
        <translation>你的记忆上次由更新版本的 Keepsake 打开。请更新 Keepsake 后再打开。</translation>
    </message>
    <message>
        <source>{place} cannot be opened. Check that it is there and that it is yours, then try again.</source>
        <translation>无法打开 {place}。请确认它存在且属于你，然后重试。</translation>
    </message>
    <message>
        <source>{place} holds the data of another program. Nothing was changed in it.</source>
        <translation>{place} 含有其他程序的数据。其中没有做任何更改。</translation>
    </message>
    <message>
        <source>{place} is a file. Your memories are kept in a folder; open that instead.</source>
        <translation>{place} 是文件。你的记忆保存在文件夹中；请改为打开文件夹。</translation>
    </message>
    <message>
        <source>{place} is not encrypted, and your memories are: another program has put it there. Nothing was read from it or written to it. Move it out of the folder, then restore a backup or open another vault.</source>
        <translation>{place} 未加密，而你的记忆是加密的：它是由其他程序放在那里的。没有从中读取或向其写入任何内容。请将它移出文件夹，然后恢复备份或打开其他记忆库。</translation>
    </message>
</context>
<context>
    <name>OutlineSection</name>
    <message>
        <source>Outline</source>
        <translation>大纲</translation>
    </message>
</context>
<context>
    <name>Palette</name>
    <message>
        <source>Command or title</source>
        <translation>命令或标题</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Create note ‘{text}’</source>
        <translation>新建笔记“{text}”</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>Organization</source>
        <translation>组织</translation>
    </message>
    <message>
        <source>Person</source>
        <translation>人物</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>地点</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Search everything for ‘{text}’</source>
        <translation>在全部内容中搜索“{text}”</translation>
    </message>
    <message>
        <source>Search or jump to a note or conversation…</source>
        <translation>搜索或跳转到笔记或会话…</translation>
    </message>
    <message>
        <source>Suggestions</source>
        <translation>建议</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Type a command, title, tag or name…</source>
        <translation>输入命令、标题、标签或名称…</translation>
    </message>
    <message>
        <source>↑ ↓ choose   ·   Enter open   ·   Esc close</source>
        <translation>↑ ↓ 选择   ·   Enter 打开   ·   Esc 关闭</translation>
    </message>
</context>
<context>
    <name>Panes</name>
    <message>
        <source>Agents</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>图谱</translation>
    </message>
    <message>
        <source>Inbox</source>
        <translation>收件箱</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
</context>
<context>
    <name>Passphrase</name>
    <message>
        <source>At least {n} characters; several words are better than one.</source>
        <translation>至少 {n} 个字符；多个词比一个词好。</translation>
    </message>
    <message>
        <source>It must not begin or end with a space.</source>
        <translation>开头和结尾不能是空格。</translation>
    </message>
    <message>
        <source>The two differ.</source>
        <translation>两次输入不一致。</translation>
    </message>
    <message>
        <source>This is one of the first that anyone tries. Choose several words.</source>
        <translation>这是任何人最先尝试的密码短语之一。请选择几个词语。</translation>
    </message>
    <message>
        <source>This is too long, or has characters that cannot be typed.</source>
        <translation>过长，或含有无法输入的字符。</translation>
    </message>
</context>
<context>
    <name>PassphraseField</name>
    <message>
        <source>Hide the passphrase</source>
        <translation>隐藏密码短语</translation>
    </message>
    <message>
        <source>Show the passphrase</source>
        <translation>显示密码短语</translation>
    </message>
</context>
<context>
    <name>PathRow</name>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
</context>
<context>
    <name>PictureCache</name>
    <message>
        <source>it leads out of the attachments folder</source>
        <translation>它指向附件文件夹之外</translation>
    </message>
    <message>
        <source>the file is not there</source>
        <translation>文件不存在</translation>
    </message>
    <message>
        <source>the picture is damaged</source>
        <translation>图片已损坏</translation>
    </message>
    <message>
        <source>the picture is too large to be shown</source>
        <translation>图片过大，无法显示</translation>
    </message>
    <message>
        <source>this note has too many large pictures to show them all</source>
        <translation>此笔记的大图片过多，无法全部显示</translation>
    </message>
</context>
<context>
    <name>PrepareForm</name>
    <message>
        <source>Choose its folder…</source>
        <translation>选择其文件夹…</translation>
    </message>
    <message>
        <source>Fetch it and try again</source>
        <translation>获取后重试</translation>
    </message>
    <message>
        <source>Fetching lets Keepsake get the files of models from the network. No text of yours is sent.</source>
        <translation>获取会让 Keepsake 从网络取得模型文件。不会发送你的任何文本。</translation>
    </message>
    <message>
        <source>Fetching {model} was stopped. What came of it is kept; prepare it again to go on.</source>
        <translation>{model} 的获取已停止。已取得的部分会保留；再次准备即可继续。</translation>
    </message>
    <message>
        <source>Folder of {model}</source>
        <translation>{model} 的文件夹</translation>
    </message>
    <message>
        <source>For English, the built-in model is the best choice measured so far: in conversations, all-MiniLM-L6-v2 found 84.4 % of what was sought among ten results, the built-in model 85.8 %, and it is faster. A larger model helped with scientific documents (0.741 against 0.707, NDCG@10) and may help with other languages.</source>
        <translation>对于英语，内置模型是目前测得的最佳选择：在会话中，all-MiniLM-L6-v2 在十条结果内找到 84.4 % 的目标，内置模型为 85.8 %，且更快。更大的模型对科学文献有帮助（NDCG@10 为 0.741 对 0.707），对其他语言也可能有帮助。</translation>
    </message>
    <message>
        <source>Its vectors are made in the background while the old model answers; the old ones are kept for a week after the switch. A service on the network gets to see what is searched for and what is not private.</source>
        <translation>其向量在后台生成，期间由旧模型回答；切换后旧向量保留一周。网络服务会看到搜索内容和非私密内容。</translation>
    </message>
    <message>
        <source>Let me compare before it answers</source>
        <translation>在它回答之前让我比较</translation>
    </message>
    <message>
        <source>Name of a model, such as static or openai:text-embedding-3-small</source>
        <translation>模型名称，例如 static 或 openai:text-embedding-3-small</translation>
    </message>
    <message>
        <source>Name of the model to prepare</source>
        <translation>要准备的模型名称</translation>
    </message>
    <message>
        <source>Opening {model}…</source>
        <translation>正在打开 {model}…</translation>
    </message>
    <message>
        <source>Prepare</source>
        <translation>准备</translation>
    </message>
    <message>
        <source>Prepare another model</source>
        <translation>准备另一个模型</translation>
    </message>
    <message>
        <source>Progress of opening the model</source>
        <translation>打开模型的进度</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
</context>
<context>
    <name>Program</name>
    <message>
        <source>A machine asks to come in</source>
        <translation>有设备请求加入</translation>
    </message>
    <message>
        <source>Connected again. What you typed is being saved.</source>
        <translation>已重新连接。正在保存你输入的内容。</translation>
    </message>
    <message>
        <source>Keepsake now runs in this window. What you typed is being saved.</source>
        <translation>Keepsake 现在在此窗口中运行。正在保存你输入的内容。</translation>
    </message>
    <message>
        <source>Kept as a note.</source>
        <translation>已存为笔记。</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>已保存</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>The Keepsake that had your memories open has ended. This window is opening them itself; what you type meanwhile is kept and saved then.</source>
        <translation>打开你的记忆的 Keepsake 已结束。此窗口正在自行打开；期间输入的内容会保留并随后保存。</translation>
    </message>
    <message>
        <source>The sample vault could not be opened.</source>
        <translation>无法打开示例记忆库。</translation>
    </message>
    <message>
        <source>Your memories cannot be opened yet: {reason} What you typed is kept here; trying again.</source>
        <translation>暂时无法打开你的记忆：{reason} 你输入的内容保留在这里；正在重试。</translation>
    </message>
</context>
<context>
    <name>ProjectField</name>
    <message>
        <source>It is in no project now</source>
        <translation>现在它不属于任何项目</translation>
    </message>
    <message>
        <source>It is in the project ‘{title}’ now</source>
        <translation>它现在属于项目“{title}”</translation>
    </message>
    <message>
        <source>Known projects</source>
        <translation>已知项目</translation>
    </message>
    <message>
        <source>No project</source>
        <translation>没有项目</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
</context>
<context>
    <name>ProposalList</name>
    <message>
        <source>Contradiction</source>
        <translation>矛盾</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Proposals</source>
        <translation>提议</translation>
    </message>
    <message>
        <source>Proposals shown</source>
        <translation>显示的提议</translation>
    </message>
    <message>
        <source>While you were away</source>
        <translation>你不在的时候</translation>
    </message>
</context>
<context>
    <name>ProposalPage</name>
    <message>
        <source>Accept</source>
        <translation>接受</translation>
    </message>
    <message>
        <source>Accept as edited</source>
        <translation>按编辑内容接受</translation>
    </message>
    <message>
        <source>Always accept from {agent}: {kind}</source>
        <translation>始终接受 {agent} 的{kind}</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Edit first</source>
        <translation>先编辑</translation>
    </message>
    <message>
        <source>It expires on {when}.</source>
        <translation>将于 {when} 过期。</translation>
    </message>
    <message>
        <source>Its reason: {reason}</source>
        <translation>理由：{reason}</translation>
    </message>
    <message>
        <source>Keep both</source>
        <translation>两者都保留</translation>
    </message>
    <message>
        <source>Keepsake</source>
        <translation>Keepsake</translation>
    </message>
    <message>
        <source>Never accept from {agent}: {kind}</source>
        <translation>始终拒绝 {agent} 的{kind}</translation>
    </message>
    <message>
        <source>Reject</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <source>This touches something that you pinned or confirmed: what you know is at the left.</source>
        <translation>这涉及你固定或确认过的内容：左侧是你已知的。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>What this would change was changed since. Look at it again before you accept.</source>
        <translation>要更改的内容此后已有变动。接受前请再看一遍。</translation>
    </message>
    <message>
        <source>Your reason: {note}</source>
        <translation>你的理由：{note}</translation>
    </message>
    <message>
        <source>{agent} proposed this on {when}.</source>
        <translation>{agent} 于 {when} 提出。</translation>
    </message>
    <message>
        <source>… and 1 more change</source>
        <translation>……以及另外 1 项更改</translation>
    </message>
    <message>
        <source>… and {n} more changes</source>
        <translation>……以及另外 {n} 项更改</translation>
    </message>
</context>
<context>
    <name>QueryChips</name>
    <message>
        <source>about</source>
        <translation>关于</translation>
    </message>
    <message>
        <source>agent</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>before {day}</source>
        <translation>{day} 之前</translation>
    </message>
    <message>
        <source>conversation</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>file</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>from {day}</source>
        <translation>{day} 起</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>not {name}: {value}</source>
        <translation>非 {name}：{value}</translation>
    </message>
    <message>
        <source>not {word}</source>
        <translation>不含 {word}</translation>
    </message>
    <message>
        <source>project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>said by</source>
        <translation>发言者</translation>
    </message>
    <message>
        <source>state</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>store</source>
        <translation>分区</translation>
    </message>
    <message>
        <source>tag</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>{word}… (any ending)</source>
        <translation>{word}…（任意词尾）</translation>
    </message>
</context>
<context>
    <name>QuickCapture</name>
    <message>
        <source>Captured a note</source>
        <translation>已速记</translation>
    </message>
    <message>
        <source>Enter saves  ·  Ctrl+Enter new line  ·  Esc hides and keeps the text</source>
        <translation>Enter 保存  ·  Ctrl+Enter 换行  ·  Esc 隐藏并保留文字</translation>
    </message>
    <message>
        <source>Quick capture</source>
        <translation>快速记录</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>已保存</translation>
    </message>
    <message>
        <source>What do you want to remember?</source>
        <translation>你想记住什么？</translation>
    </message>
    <message>
        <source>What to remember</source>
        <translation>要记住的内容</translation>
    </message>
</context>
<context>
    <name>QuickControls</name>
    <message>
        <source>Incognito for 1 hour</source>
        <translation>无痕 1 小时</translation>
    </message>
    <message>
        <source>Incognito: no agent reads or records</source>
        <translation>无痕模式：没有智能体读取或记录</translation>
    </message>
    <message>
        <source>Not all of what can be run or paused is shown. {reason}</source>
        <translation>未显示所有可运行或暂停的项目。{reason}</translation>
    </message>
    <message>
        <source>Pause for 1 hour</source>
        <translation>暂停 1 小时</translation>
    </message>
    <message>
        <source>Pause until I resume</source>
        <translation>暂停直到我恢复</translation>
    </message>
    <message>
        <source>Pause until tomorrow</source>
        <translation>暂停到明天</translation>
    </message>
    <message>
        <source>Resume scheduled work</source>
        <translation>恢复计划任务</translation>
    </message>
    <message>
        <source>Run now: {name}</source>
        <translation>立即运行：{name}</translation>
    </message>
    <message>
        <source>Scheduled work goes on</source>
        <translation>计划任务已恢复</translation>
    </message>
    <message>
        <source>Scheduled work is paused for 1 hour</source>
        <translation>计划任务已暂停 1 小时</translation>
    </message>
    <message>
        <source>Scheduled work is paused until tomorrow</source>
        <translation>计划任务已暂停到明天</translation>
    </message>
    <message>
        <source>Scheduled work is paused until you resume it</source>
        <translation>计划任务已暂停，直到你恢复</translation>
    </message>
    <message>
        <source>Undo the night: what jobs did in the past day</source>
        <translation>撤销昨夜：任务在过去一天所做的更改</translation>
    </message>
    <message>
        <source>private agents reading recording stop</source>
        <translation>隐私 智能体 读取 记录 停止</translation>
    </message>
    <message>
        <source>upkeep consolidation decay take back last night</source>
        <translation>维护 整理 衰减 撤回 昨夜</translation>
    </message>
    <message>
        <source>{name} goes on</source>
        <translation>{name} 已恢复</translation>
    </message>
    <message>
        <source>{name} is paused</source>
        <translation>{name} 已暂停</translation>
    </message>
    <message>
        <source>‘{name}’ runs</source>
        <translation>“{name}”正在运行</translation>
    </message>
</context>
<context>
    <name>ReadingPane</name>
    <message>
        <source>Add tags</source>
        <translation>添加标签</translation>
    </message>
    <message>
        <source>No note is called ‘{title}’ yet.</source>
        <translation>还没有名为“{title}”的笔记。</translation>
    </message>
</context>
<context>
    <name>RecentSearches</name>
    <message>
        <source>&quot;exact words&quot; tag:garden</source>
        <translation>&quot;exact words&quot; tag:garden</translation>
    </message>
    <message>
        <source>Everything one can type</source>
        <translation>可以输入的所有内容</translation>
    </message>
    <message>
        <source>For example</source>
        <translation>例如</translation>
    </message>
    <message>
        <source>Recent searches</source>
        <translation>最近的搜索</translation>
    </message>
    <message>
        <source>Saved searches</source>
        <translation>已保存的搜索</translation>
    </message>
    <message>
        <source>a question in your own words</source>
        <translation>用你自己的话提问</translation>
    </message>
    <message>
        <source>kind:note after:&quot;last week&quot;</source>
        <translation>kind:note after:&quot;last week&quot;</translation>
    </message>
    <message>
        <source>role:user -weather plan*</source>
        <translation>role:user -weather plan*</translation>
    </message>
    <message>
        <source>the newest notes since then</source>
        <translation>此后最新的笔记</translation>
    </message>
    <message>
        <source>these words side by side, in what has the tag</source>
        <translation>带有该标签的内容中相邻的这些词</translation>
    </message>
    <message>
        <source>what you said of plan, plans, planning… but not of weather</source>
        <translation>你说过的关于 plan、plans、planning…但不含 weather 的内容</translation>
    </message>
    <message>
        <source>when did we talk about the lake</source>
        <translation>我们什么时候谈到过那个湖</translation>
    </message>
</context>
<context>
    <name>RelateForm</name>
    <message>
        <source>Relate</source>
        <translation>关联</translation>
    </message>
    <message>
        <source>Related to</source>
        <translation>关联到</translation>
    </message>
    <message>
        <source>Say how ‘{name}’ is related to another name, such as ‘works at’.</source>
        <translation>说明“{name}”与另一名称的关系，例如“就职于”。</translation>
    </message>
    <message>
        <source>To whom or what…</source>
        <translation>与谁或什么…</translation>
    </message>
    <message>
        <source>What joins them</source>
        <translation>它们的关系</translation>
    </message>
    <message>
        <source>works at, lives in, sister of…</source>
        <translation>就职于、住在、姐妹……</translation>
    </message>
</context>
<context>
    <name>RenameForm</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>The old name stays an alias, so that texts still find it.</source>
        <translation>旧名称会保留为别名，文本仍能找到它。</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Who or what it is, in a sentence</source>
        <translation>用一句话说明是谁或什么</translation>
    </message>
</context>
<context>
    <name>Report</name>
    <message>
        <source> (repaired)</source>
        <translation> （已修复）</translation>
    </message>
    <message>
        <source>1 attachment</source>
        <translation>1 个附件</translation>
    </message>
    <message>
        <source>1 conversation</source>
        <translation>1 个会话</translation>
    </message>
    <message>
        <source>1 conversation or note is there already</source>
        <translation>1 个会话或笔记已存在</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 条消息</translation>
    </message>
    <message>
        <source>1 note</source>
        <translation>1 条笔记</translation>
    </message>
    <message>
        <source>1 of {all} lines, messages or files in it is left out</source>
        <translation>其中 {all} 行、消息或文件里有 1 项被略去</translation>
    </message>
    <message>
        <source>1 problem, listed below; everything else went in.</source>
        <translation>1 个问题，列在下方；其余均已导入。</translation>
    </message>
    <message>
        <source>1 problem:</source>
        <translation>1 个问题：</translation>
    </message>
    <message>
        <source>At least {made}</source>
        <translation>至少 {made}</translation>
    </message>
    <message>
        <source>For {name}</source>
        <translation>给 {name}</translation>
    </message>
    <message>
        <source>Good to know:</source>
        <translation>说明：</translation>
    </message>
    <message>
        <source>Imported</source>
        <translation>已导入</translation>
    </message>
    <message>
        <source>It can be imported until {day}.</source>
        <translation>可在 {day} 之前导入。</translation>
    </message>
    <message>
        <source>It says that it is from {name}.</source>
        <translation>它自称来自 {name}。</translation>
    </message>
    <message>
        <source>Key: {key}</source>
        <translation>密钥：{key}</translation>
    </message>
    <message>
        <source>Leave out 1 text that looks as if it held a key or a password</source>
        <translation>略过 1 段疑似含密钥或密码的文本</translation>
    </message>
    <message>
        <source>Leave out {n} texts that look as if they held a key or a password</source>
        <translation>略过 {n} 段疑似含密钥或密码的文本</translation>
    </message>
    <message>
        <source>Nothing new</source>
        <translation>没有新内容</translation>
    </message>
    <message>
        <source>Several kinds of exports</source>
        <translation>多种导出文件</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Type its passphrase to see what it holds.</source>
        <translation>输入其密码短语以查看内容。</translation>
    </message>
    <message>
        <source>What was imported so far stays. Import it again to continue.</source>
        <translation>目前已导入的内容会保留。再次导入即可继续。</translation>
    </message>
    <message>
        <source>You have imported nothing with this key so far, and anybody can write that name. Ask the sender for their key in another way, such as by telephone, and compare it with the one above.</source>
        <translation>你至今未导入过使用此密钥的内容，而任何人都可以写上这个名字。请用其他方式（例如电话）向发送者询问其密钥，并与上面的密钥比对。</translation>
    </message>
    <message>
        <source>You know this key since {day}, as that of {name}.</source>
        <translation>你自 {day} 起认识此密钥，属于 {name}。</translation>
    </message>
    <message>
        <source>You made it yourself.</source>
        <translation>由你本人制作。</translation>
    </message>
    <message>
        <source>in {span}</source>
        <translation>用时 {span}</translation>
    </message>
    <message>
        <source>somebody without a name</source>
        <translation>未署名者</translation>
    </message>
    <message>
        <source>{n} attachments</source>
        <translation>{n} 个附件</translation>
    </message>
    <message>
        <source>{n} conversations</source>
        <translation>{n} 个会话</translation>
    </message>
    <message>
        <source>{n} conversations and notes are there already</source>
        <translation>{n} 个会话和笔记已存在</translation>
    </message>
    <message>
        <source>{n} files</source>
        <translation>{n} 个文件</translation>
    </message>
    <message>
        <source>{n} kB</source>
        <translation>{n} kB</translation>
    </message>
    <message>
        <source>{n} left out that may hold a key or a password</source>
        <translation>略过 {n} 段可能含密钥或密码的内容</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} 条消息</translation>
    </message>
    <message>
        <source>{n} notes</source>
        <translation>{n} 条笔记</translation>
    </message>
    <message>
        <source>{n} of {all} lines, messages or files in it are left out</source>
        <translation>其中 {all} 行、消息或文件里有 {n} 项被略去</translation>
    </message>
    <message>
        <source>{n} problems, each listed below; everything else went in.</source>
        <translation>{n} 个问题列在下面；其余内容均已导入。</translation>
    </message>
    <message>
        <source>{n} problems:</source>
        <translation>{n} 个问题：</translation>
    </message>
    <message>
        <source>{n} updated</source>
        <translation>更新 {n} 项</translation>
    </message>
    <message>
        <source>{n} were there already</source>
        <translation>{n} 项已存在</translation>
    </message>
    <message>
        <source>… and {n} more</source>
        <translation>……以及另外 {n} 项</translation>
    </message>
</context>
<context>
    <name>Rereading</name>
    <message>
        <source>A cross-encoder: it found 85.5 % of what was sought among ten results instead of 84.7 %, on 200 questions about conversations, and takes 1 to 3 seconds of the processor for each search.</source>
        <translation>交叉编码器:在 200 个关于对话的问题上,前十条结果中找到了所求内容的 85.5 %,而不是 84.7 %;每次搜索占用处理器 1 到 3 秒。</translation>
    </message>
    <message>
        <source>Late interaction: it found 84.6 % of what was sought among ten results instead of 83.9 %, on 948 questions about conversations, and 57.3 % instead of 54.3 % where several messages answer; it reads every text once in the background, keeps up to 3 kB of each, and takes some hundredths of a second for each search.</source>
        <translation>延迟交互:在 948 个关于对话的问题上,前十条结果中找到了所求内容的 84.6 %,而不是 83.9 %;需要多条消息才能回答时为 57.3 %,而不是 54.3 %。它在后台把每条文本读取一遍,每条最多保存 3 kB,每次搜索约需百分之几秒。</translation>
    </message>
    <message>
        <source>Results stay in the order of words and meaning.</source>
        <translation>结果保持按词语和含义排列的顺序。</translation>
    </message>
</context>
<context>
    <name>RereadingForm</name>
    <message>
        <source>All texts are read.</source>
        <translation>所有文本均已读取。</translation>
    </message>
    <message>
        <source>It takes effect at the next start. The model&apos;s files are fetched when they are first needed if the settings allow downloads, or read from the folder that the settings of search name.</source>
        <translation>下次启动时生效。如果设置允许下载,模型文件会在首次需要时获取;否则从搜索设置指定的文件夹读取。</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>无模型</translation>
    </message>
    <message>
        <source>Read the first results again</source>
        <translation>重新阅读前几条结果</translation>
    </message>
    <message>
        <source>Texts read: {read} of {all}. The others count by words and meaning alone.</source>
        <translation>已读取的文本:{read}/{all}。其余只按词语和含义计分。</translation>
    </message>
    <message>
        <source>What this model gains has not been measured.</source>
        <translation>尚未测量此模型带来的改进。</translation>
    </message>
</context>
<context>
    <name>ResultExport</name>
    <message>
        <source>CSV, for spreadsheets (*.csv)</source>
        <translation>CSV，用于电子表格 (*.csv)</translation>
    </message>
    <message>
        <source>Export the results</source>
        <translation>导出结果</translation>
    </message>
    <message>
        <source>Exported 1 result to {file}</source>
        <translation>已将 1 条结果导出到 {file}</translation>
    </message>
    <message>
        <source>Exported the first {count} of {all} results to {file}</source>
        <translation>已将 {all} 条结果中的前 {count} 条导出到 {file}</translation>
    </message>
    <message>
        <source>Exported {count} results to {file}</source>
        <translation>已将 {count} 条结果导出到 {file}</translation>
    </message>
    <message>
        <source>JSON Lines, for programs (*.jsonl)</source>
        <translation>JSON Lines，用于程序 (*.jsonl)</translation>
    </message>
    <message>
        <source>Markdown, to read (*.md)</source>
        <translation>Markdown，用于阅读 (*.md)</translation>
    </message>
    <message>
        <source>PDF, to print (*.pdf)</source>
        <translation>PDF，用于打印 (*.pdf)</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>无标题</translation>
    </message>
    <message>
        <source>Web page (*.html)</source>
        <translation>网页 (*.html)</translation>
    </message>
</context>
<context>
    <name>ResultList</name>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
</context>
<context>
    <name>ResultModel</name>
    <message>
        <source>Near in meaning</source>
        <translation>语义相近</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>无标题</translation>
    </message>
    <message>
        <source>{title}, 1 result</source>
        <translation>{title}，1 条结果</translation>
    </message>
    <message>
        <source>{title}, {count} results</source>
        <translation>{title}，{count} 条结果</translation>
    </message>
</context>
<context>
    <name>ResultSummary</name>
    <message>
        <source>Results: the first {count} of {all}</source>
        <translation>结果：{all} 条中的前 {count} 条</translation>
    </message>
    <message>
        <source>Results: {count}</source>
        <translation>结果：{count}</translation>
    </message>
    <message>
        <source>Still searching: the index is busy, or the vault is large.</source>
        <translation>仍在搜索：索引正忙，或保管库较大。</translation>
    </message>
    <message>
        <source>The results by words stay.</source>
        <translation>按词语找到的结果保留不变。</translation>
    </message>
    <message>
        <source>by words, meaning follows…</source>
        <translation>先按词语，含义随后……</translation>
    </message>
    <message>
        <source>found by {legs}</source>
        <translation>通过{legs}找到</translation>
    </message>
    <message>
        <source>meaning</source>
        <translation>含义</translation>
    </message>
    <message>
        <source>names</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>newest first</source>
        <translation>最新的在前</translation>
    </message>
    <message>
        <source>words</source>
        <translation>词语</translation>
    </message>
</context>
<context>
    <name>RunChart</name>
    <message>
        <source>Latest runs. {parts}</source>
        <translation>最近的运行。{parts}</translation>
    </message>
</context>
<context>
    <name>RunHistory</name>
    <message>
        <source>1 turn</source>
        <translation>1 轮</translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>It has not run yet.</source>
        <translation>尚未运行。</translation>
    </message>
    <message>
        <source>No output</source>
        <translation>没有输出</translation>
    </message>
    <message>
        <source>Output of the run</source>
        <translation>运行输出</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Undo this run</source>
        <translation>撤销此次运行</translation>
    </message>
    <message>
        <source>Undone</source>
        <translation>已撤销</translation>
    </message>
    <message>
        <source>Undone in part</source>
        <translation>已部分撤销</translation>
    </message>
    <message>
        <source>cost {cost}</source>
        <translation>费用 {cost}</translation>
    </message>
    <message>
        <source>{n} turns</source>
        <translation>{n} 轮</translation>
    </message>
    <message>
        <source>… and {n} more</source>
        <translation>……以及另外 {n} 项</translation>
    </message>
</context>
<context>
    <name>SavedFilters</name>
    <message>
        <source>Another filter is called ‘{name}’ already.</source>
        <translation>已有另一个名为“{name}”的筛选。</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Name:</source>
        <translation>名称：</translation>
    </message>
    <message>
        <source>Removed the filter ‘{name}’. Its notes stay.</source>
        <translation>已移除筛选“{name}”。其中的笔记保留。</translation>
    </message>
    <message>
        <source>Rename the filter</source>
        <translation>重命名筛选</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Save this filter</source>
        <translation>保存此筛选</translation>
    </message>
    <message>
        <source>Saved the filter ‘{name}’</source>
        <translation>已保存筛选“{name}”</translation>
    </message>
</context>
<context>
    <name>SavedSearchList</name>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Erase for ever…</source>
        <translation>永久删除…</translation>
    </message>
    <message>
        <source>Move down (Alt+Down)</source>
        <translation>下移 (Alt+Down)</translation>
    </message>
    <message>
        <source>Move up (Alt+Up)</source>
        <translation>上移 (Alt+Up)</translation>
    </message>
    <message>
        <source>Rename (F2)</source>
        <translation>重命名 (F2)</translation>
    </message>
    <message>
        <source>Saved searches</source>
        <translation>已保存的搜索</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
</context>
<context>
    <name>Schedule</name>
    <message>
        <source>Consolidation every night</source>
        <translation>每晚整理</translation>
    </message>
    <message>
        <source>Consolidation when a conversation has ended</source>
        <translation>会话结束后整理</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Done for good</source>
        <translation>已全部完成</translation>
    </message>
    <message>
        <source>Due now</source>
        <translation>现在到期</translation>
    </message>
    <message>
        <source>Every day</source>
        <translation>每天</translation>
    </message>
    <message>
        <source>Every hour</source>
        <translation>每小时</translation>
    </message>
    <message>
        <source>Every minute</source>
        <translation>每分钟</translation>
    </message>
    <message>
        <source>Every {n} days</source>
        <translation>每 {n} 天</translation>
    </message>
    <message>
        <source>Every {n} hours</source>
        <translation>每 {n} 小时</translation>
    </message>
    <message>
        <source>Every {n} minutes</source>
        <translation>每 {n} 分钟</translation>
    </message>
    <message>
        <source>Every {n} seconds</source>
        <translation>每 {n} 秒</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>Missed</source>
        <translation>已错过</translation>
    </message>
    <message>
        <source>Once, on {when}</source>
        <translation>一次，于 {when}</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>已计划</translation>
    </message>
    <message>
        <source>Switched off</source>
        <translation>已停用</translation>
    </message>
    <message>
        <source>today {time}</source>
        <translation>今天 {time}</translation>
    </message>
    <message>
        <source>tomorrow {time}</source>
        <translation>明天 {time}</translation>
    </message>
    <message>
        <source>under a second</source>
        <translation>不到一秒</translation>
    </message>
    <message>
        <source>{n} h</source>
        <translation>{n} 小时</translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation>{n} 分钟</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} 秒</translation>
    </message>
</context>
<context>
    <name>ScheduleEditor</name>
    <message>
        <source>A language model pursues the goal with your memories, where you have set one up. Without one it waits until an agent that you allowed takes it on.</source>
        <translation>如果你设置了语言模型，它会用你的记忆完成目标。没有模型时，目标会等待你允许的智能体来承担。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Goal</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>New schedule</source>
        <translation>新建计划</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Tell me</source>
        <translation>通知我</translation>
    </message>
    <message>
        <source>The beginning of the goal, if you leave this empty</source>
        <translation>留空则取目标的开头</translation>
    </message>
    <message>
        <source>What is to be done, such as: Summarise what I learned about Rust this week</source>
        <translation>要做的事，例如：总结我这周学到的 Rust 知识</translation>
    </message>
    <message>
        <source>When</source>
        <translation>执行时间</translation>
    </message>
    <message>
        <source>after each run</source>
        <translation>每次运行后</translation>
    </message>
    <message>
        <source>never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>only when it fails</source>
        <translation>仅在失败时</translation>
    </message>
    <message>
        <source>{words}. Next: {times}</source>
        <translation>{words}。下次：{times}</translation>
    </message>
</context>
<context>
    <name>ScheduleList</name>
    <message>
        <source>Filter by words</source>
        <translation>按词筛选</translation>
    </message>
    <message>
        <source>Filter schedules</source>
        <translation>筛选计划</translation>
    </message>
    <message>
        <source>Goal</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>New schedule</source>
        <translation>新建计划</translation>
    </message>
    <message>
        <source>No schedule fits this filter.</source>
        <translation>没有计划符合此筛选。</translation>
    </message>
    <message>
        <source>Schedules</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>ran {time}</source>
        <translation>{time} 运行过</translation>
    </message>
</context>
<context>
    <name>ScheduleNotifier</name>
    <message>
        <source>There are {n} more notes about schedules; the pane Schedule shows all runs.</source>
        <translation>还有 {n} 条计划提醒；“计划”面板显示所有运行。</translation>
    </message>
    <message>
        <source>There is 1 more note about schedules; the pane Schedule shows all runs.</source>
        <translation>还有 1 条计划提醒；“计划”面板显示所有运行。</translation>
    </message>
</context>
<context>
    <name>SchedulePage</name>
    <message>
        <source>1 day: {count}</source>
        <translation>1 天：{count}</translation>
    </message>
    <message>
        <source>Before it runs</source>
        <translation>运行之前</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>更改…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Erase for ever…</source>
        <translation>永久删除…</translation>
    </message>
    <message>
        <source>It runs on {machine}, for all your machines.</source>
        <translation>它在 {machine} 上为你的所有设备运行。</translation>
    </message>
    <message>
        <source>Last run: {last}</source>
        <translation>上次运行：{last}</translation>
    </message>
    <message>
        <source>Next, in your time: {times}</source>
        <translation>接下来（你的时间）：{times}</translation>
    </message>
    <message>
        <source>Next: {times}</source>
        <translation>下次：{times}</translation>
    </message>
    <message>
        <source>Of 1 fact that can fade, these would be gone if nobody used it:</source>
        <translation>在可能淡忘的 1 条事实中，若无人使用将会消失：</translation>
    </message>
    <message>
        <source>Of {n} facts that can fade, these would be gone if nobody used them:</source>
        <translation>在可能淡忘的 {n} 条事实中，若无人使用将会消失：</translation>
    </message>
    <message>
        <source>Run it here from now on</source>
        <translation>从现在起在这里运行</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>立即运行</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Show what it would do now</source>
        <translation>显示它现在会做什么</translation>
    </message>
    <message>
        <source>Switch off</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Switch on</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>When</source>
        <translation>执行时间</translation>
    </message>
    <message>
        <source>{n} days: {count}</source>
        <translation>{n} 天：{count}</translation>
    </message>
    <message>
        <source>{words} (time of {zone})</source>
        <translation>{words}（{zone} 时间）</translation>
    </message>
    <message>
        <source>… and {n} more</source>
        <translation>……以及另外 {n} 项</translation>
    </message>
</context>
<context>
    <name>SchedulePane</name>
    <message>
        <source>Brought back what the run did</source>
        <translation>已恢复该次运行的更改</translation>
    </message>
    <message>
        <source>Changed ‘{name}’</source>
        <translation>已更改“{name}”</translation>
    </message>
    <message>
        <source>Choose a schedule to see when it runs and what it did, or set a goal of your own.</source>
        <translation>选择一个计划，查看其运行时间和结果，或设定你自己的目标。</translation>
    </message>
    <message>
        <source>Created ‘{name}’</source>
        <translation>已创建“{name}”</translation>
    </message>
    <message>
        <source>Deleted ‘{name}’</source>
        <translation>已删除“{name}”</translation>
    </message>
    <message>
        <source>Erase the schedule ‘{name}’ for ever?</source>
        <translation>永久删除计划“{name}”？</translation>
    </message>
    <message>
        <source>Erased the schedule for ever</source>
        <translation>已永久删除该计划</translation>
    </message>
    <message>
        <source>Everything is paused until you resume it</source>
        <translation>全部暂停，直到你恢复</translation>
    </message>
    <message>
        <source>Everything is paused until {time}</source>
        <translation>全部暂停至 {time}</translation>
    </message>
    <message>
        <source>For an hour</source>
        <translation>一小时</translation>
    </message>
    <message>
        <source>It waits until a language model is set up, or an agent takes it on.</source>
        <translation>它会等待设置语言模型或智能体承担。</translation>
    </message>
    <message>
        <source>Its goal, its runs and its history are removed from this vault.</source>
        <translation>它的目标、运行记录和历史都会从此库中移除。</translation>
    </message>
    <message>
        <source>List</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>New schedule</source>
        <translation>新建计划</translation>
    </message>
    <message>
        <source>Next run: {time}</source>
        <translation>下次运行：{time}</translation>
    </message>
    <message>
        <source>Nothing chosen</source>
        <translation>未选择</translation>
    </message>
    <message>
        <source>Pause all</source>
        <translation>全部暂停</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Run the chosen schedule now</source>
        <translation>立即运行所选计划</translation>
    </message>
    <message>
        <source>Running: {names}</source>
        <translation>正在运行：{names}</translation>
    </message>
    <message>
        <source>Switched off ‘{name}’</source>
        <translation>已停用“{name}”</translation>
    </message>
    <message>
        <source>Switched on ‘{name}’</source>
        <translation>已启用“{name}”</translation>
    </message>
    <message>
        <source>The week after</source>
        <translation>下一周</translation>
    </message>
    <message>
        <source>The week before</source>
        <translation>上一周</translation>
    </message>
    <message>
        <source>This week</source>
        <translation>本周</translation>
    </message>
    <message>
        <source>Undid the run</source>
        <translation>已撤销此次运行</translation>
    </message>
    <message>
        <source>Until tomorrow</source>
        <translation>到明天</translation>
    </message>
    <message>
        <source>Week</source>
        <translation>周</translation>
    </message>
    <message>
        <source>Your changes are kept. ‘Change…’ opens them again.</source>
        <translation>你的更改已保留。点击“更改…”可再次打开。</translation>
    </message>
    <message>
        <source>Your draft is kept. New schedule opens it again.</source>
        <translation>你的草稿已保留。“新建计划”可再次打开它。</translation>
    </message>
    <message>
        <source>‘{name}’ ran: {result}</source>
        <translation>“{name}”已运行：{result}</translation>
    </message>
    <message>
        <source>‘{name}’ runs</source>
        <translation>“{name}”正在运行</translation>
    </message>
    <message>
        <source>‘{name}’ runs on this machine from now on</source>
        <translation>从现在起“{name}”在此设备上运行</translation>
    </message>
</context>
<context>
    <name>ScratchpadTab</name>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Nothing is noted</source>
        <translation>没有记录</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Scratchpad</source>
        <translation>草稿板</translation>
    </message>
    <message>
        <source>What the agent notes for itself during this conversation, one item a line. You can change it.</source>
        <translation>智能体在此会话中为自己记下的内容，每行一项。你可以更改。</translation>
    </message>
    <message>
        <source>{n} of {most} items; the longest has {length} of {room} characters</source>
        <translation>{n}/{most} 项；最长的有 {length}/{room} 个字符</translation>
    </message>
</context>
<context>
    <name>SearchBox</name>
    <message>
        <source>Search operators</source>
        <translation>搜索运算符</translation>
    </message>
</context>
<context>
    <name>SearchHistory</name>
    <message>
        <source>Delete this saved search</source>
        <translation>删除此已保存的搜索</translation>
    </message>
    <message>
        <source>Deleted the saved search ‘{name}’</source>
        <translation>已删除保存的搜索“{name}”</translation>
    </message>
    <message>
        <source>Erase the saved search ‘{name}’ for ever?</source>
        <translation>永久删除保存的搜索“{name}”？</translation>
    </message>
    <message>
        <source>Erased the saved search for ever</source>
        <translation>已永久删除该保存的搜索</translation>
    </message>
    <message>
        <source>Its name, its words and its history are removed from this vault.</source>
        <translation>它的名称、关键词和历史都会从此库中移除。</translation>
    </message>
    <message>
        <source>Save this search</source>
        <translation>保存此搜索</translation>
    </message>
    <message>
        <source>Saved the search ‘{name}’</source>
        <translation>已保存搜索“{name}”</translation>
    </message>
</context>
<context>
    <name>SearchModels</name>
    <message>
        <source>Built-in model</source>
        <translation>内置模型</translation>
    </message>
</context>
<context>
    <name>SearchPane</name>
    <message>
        <source>Copied 1 result</source>
        <translation>已复制 1 条结果</translation>
    </message>
    <message>
        <source>Copied {count} results</source>
        <translation>已复制 {count} 条结果</translation>
    </message>
    <message>
        <source>Copy results as Markdown</source>
        <translation>以 Markdown 复制结果</translation>
    </message>
    <message>
        <source>Export all results</source>
        <translation>导出所有结果</translation>
    </message>
    <message>
        <source>Export all results…</source>
        <translation>导出所有结果…</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Group results in another way</source>
        <translation>换一种方式分组结果</translation>
    </message>
    <message>
        <source>Next marked word</source>
        <translation>下一个标记的词</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>没有找到内容</translation>
    </message>
    <message>
        <source>Previous marked word</source>
        <translation>上一个标记的词</translation>
    </message>
    <message>
        <source>Save this search or delete it</source>
        <translation>保存或删除此搜索</translation>
    </message>
    <message>
        <source>Search conversations and notes…</source>
        <translation>搜索会话和笔记…</translation>
    </message>
    <message>
        <source>Search everything</source>
        <translation>搜索全部</translation>
    </message>
    <message>
        <source>Search without operators</source>
        <translation>不用运算符搜索</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>Show more results</source>
        <translation>显示更多结果</translation>
    </message>
    <message>
        <source>Show or hide the filters</source>
        <translation>显示或隐藏筛选</translation>
    </message>
    <message>
        <source>Try fewer or other words, or take operators out.</source>
        <translation>试试更少或不同的词，或去掉运算符。</translation>
    </message>
    <message>
        <source>Type a search</source>
        <translation>输入搜索</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>无标题</translation>
    </message>
    <message>
        <source>Why not …?</source>
        <translation>为什么没有…？</translation>
    </message>
</context>
<context>
    <name>SearchPanel</name>
    <message>
        <source>Search models</source>
        <translation>搜索模型</translation>
    </message>
    <message>
        <source>Search models…</source>
        <translation>搜索模型…</translation>
    </message>
    <message>
        <source>What turns texts into meaning, and how results are ranked. A change shows what it does first.</source>
        <translation>将文本转为含义的方式，以及结果的排序方式。更改前会先显示效果。</translation>
    </message>
</context>
<context>
    <name>Section</name>
    <message>
        <source>folded</source>
        <translation>已折叠</translation>
    </message>
    <message>
        <source>open</source>
        <translation>已展开</translation>
    </message>
</context>
<context>
    <name>SelectionSummary</name>
    <message>
        <source>Clear the selection</source>
        <translation>清除选择</translation>
    </message>
    <message>
        <source>and {count} more</source>
        <translation>以及另外 {count} 项</translation>
    </message>
</context>
<context>
    <name>SentenceBar</name>
    <message>
        <source>Dismiss this message</source>
        <translation>关闭此消息</translation>
    </message>
</context>
<context>
    <name>SessionActions</name>
    <message>
        <source>All messages, summaries and scratchpads are removed from this vault. Facts that were drawn from them stay.</source>
        <translation>所有消息、摘要和便笺都会从此库中移除。从中提取的事实会保留。</translation>
    </message>
    <message>
        <source>Condense all but the latest messages</source>
        <translation>压缩除最近消息外的内容</translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation>复制链接</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete {count} conversations</source>
        <translation>删除 {count} 个会话</translation>
    </message>
    <message>
        <source>Deleted {count} conversations</source>
        <translation>已删除 {count} 个会话</translation>
    </message>
    <message>
        <source>Deleted ‘{title}’</source>
        <translation>已删除“{title}”</translation>
    </message>
    <message>
        <source>Draw facts</source>
        <translation>提取事实</translation>
    </message>
    <message>
        <source>Draw facts from it now</source>
        <translation>立即从中提取事实</translation>
    </message>
    <message>
        <source>Draw facts from {count} conversations now</source>
        <translation>立即从 {count} 个会话提取事实</translation>
    </message>
    <message>
        <source>Erase for ever…</source>
        <translation>永久删除…</translation>
    </message>
    <message>
        <source>Erase {count} conversations for ever?</source>
        <translation>永久删除 {count} 个会话？</translation>
    </message>
    <message>
        <source>Erase ‘{title}’ for ever?</source>
        <translation>永久删除“{title}”？</translation>
    </message>
    <message>
        <source>Erased the conversation for ever</source>
        <translation>已永久删除该会话</translation>
    </message>
    <message>
        <source>Erased {count} conversations for ever</source>
        <translation>已永久删除 {count} 个会话</translation>
    </message>
    <message>
        <source>Export as JSONL…</source>
        <translation>导出为 JSONL…</translation>
    </message>
    <message>
        <source>Export as Markdown…</source>
        <translation>导出为 Markdown…</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Renamed to ‘{title}’</source>
        <translation>已重命名为“{title}”</translation>
    </message>
    <message>
        <source>Summarise older messages now</source>
        <translation>立即总结较早的消息</translation>
    </message>
    <message>
        <source>Untitled conversation</source>
        <translation>无标题会话</translation>
    </message>
    <message>
        <source>{count} conversations selected</source>
        <translation>已选择 {count} 个会话</translation>
    </message>
</context>
<context>
    <name>SessionHeader</name>
    <message>
        <source>1 message</source>
        <translation>1 条消息</translation>
    </message>
    <message>
        <source>Delete this conversation</source>
        <translation>删除此会话</translation>
    </message>
    <message>
        <source>Find in this conversation</source>
        <translation>在此会话中查找</translation>
    </message>
    <message>
        <source>Go to a date</source>
        <translation>转到日期</translation>
    </message>
    <message>
        <source>Go to the first message</source>
        <translation>转到第一条消息</translation>
    </message>
    <message>
        <source>Go to the last message</source>
        <translation>转到最后一条消息</translation>
    </message>
    <message>
        <source>More to do with this conversation</source>
        <translation>此会话的更多操作</translation>
    </message>
    <message>
        <source>Title of the conversation</source>
        <translation>会话标题</translation>
    </message>
    <message>
        <source>Untitled conversation</source>
        <translation>无标题会话</translation>
    </message>
    <message>
        <source>facts not drawn yet</source>
        <translation>尚未提取事实</translation>
    </message>
    <message>
        <source>what came since is not read yet</source>
        <translation>此后的内容尚未读取</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} 条消息</translation>
    </message>
</context>
<context>
    <name>SessionList</name>
    <message>
        <source>1 fact drawn from it</source>
        <translation>从中提取 1 条事实</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 条消息</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>All agents</source>
        <translation>所有智能体</translation>
    </message>
    <message>
        <source>By agent</source>
        <translation>按智能体</translation>
    </message>
    <message>
        <source>By title</source>
        <translation>按标题</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Filter by title or agent</source>
        <translation>按标题或智能体筛选</translation>
    </message>
    <message>
        <source>Filter conversations</source>
        <translation>筛选会话</translation>
    </message>
    <message>
        <source>Headings for days and agents</source>
        <translation>日期和智能体标题</translation>
    </message>
    <message>
        <source>Longest first</source>
        <translation>最长的在前</translation>
    </message>
    <message>
        <source>New conversation with yourself</source>
        <translation>与自己新建会话</translation>
    </message>
    <message>
        <source>Newest first</source>
        <translation>最新的在前</translation>
    </message>
    <message>
        <source>No conversation fits this filter.</source>
        <translation>没有会话符合此筛选。</translation>
    </message>
    <message>
        <source>Oldest first</source>
        <translation>最旧的在前</translation>
    </message>
    <message>
        <source>Only those whose facts are not drawn yet</source>
        <translation>仅尚未提取事实的</translation>
    </message>
    <message>
        <source>Order and filters</source>
        <translation>排序和筛选</translation>
    </message>
    <message>
        <source>Untitled conversation</source>
        <translation>无标题会话</translation>
    </message>
    <message>
        <source>Without an agent</source>
        <translation>无智能体</translation>
    </message>
    <message>
        <source>facts are not drawn yet</source>
        <translation>尚未提取事实</translation>
    </message>
    <message>
        <source>facts not drawn yet</source>
        <translation>尚未提取事实</translation>
    </message>
    <message>
        <source>no agent</source>
        <translation>无智能体</translation>
    </message>
    <message>
        <source>what came since is not read yet</source>
        <translation>此后的内容尚未读取</translation>
    </message>
    <message>
        <source>{n} facts drawn from it</source>
        <translation>从中提取 {n} 条事实</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} 条消息</translation>
    </message>
    <message>
        <source>{title}, {agent}, {messages}, {when}</source>
        <translation>{title}，{agent}，{messages}，{when}</translation>
    </message>
</context>
<context>
    <name>SessionWork</name>
    <message>
        <source>1 known one confirmed</source>
        <translation>确认了 1 条已知的</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 条消息</translation>
    </message>
    <message>
        <source>1 message of ‘{title}’ stands in its summary now; in full: {rest}</source>
        <translation>“{title}”的 1 条消息已纳入摘要；保持完整：{rest}</translation>
    </message>
    <message>
        <source>1 new fact</source>
        <translation>1 条新事实</translation>
    </message>
    <message>
        <source>1 older one changed</source>
        <translation>更改了 1 条较早的</translation>
    </message>
    <message>
        <source>Condensing all but its latest messages…</source>
        <translation>正在压缩除最近消息外的内容…</translation>
    </message>
    <message>
        <source>Drawing facts from it…</source>
        <translation>正在提取事实…</translation>
    </message>
    <message>
        <source>Drawn from it: {facts}</source>
        <translation>从中提取：{facts}</translation>
    </message>
    <message>
        <source>Export the conversation</source>
        <translation>导出会话</translation>
    </message>
    <message>
        <source>Exported {messages} to {path}</source>
        <translation>已将 {messages}导出到 {path}</translation>
    </message>
    <message>
        <source>Exporting it…</source>
        <translation>正在导出…</translation>
    </message>
    <message>
        <source>Facts were drawn from it</source>
        <translation>已从中提取事实</translation>
    </message>
    <message>
        <source>It is short enough: there is nothing to condense.</source>
        <translation>它足够短：无需压缩。</translation>
    </message>
    <message>
        <source>Nothing new to remember was found.</source>
        <translation>没有发现需要记住的新内容。</translation>
    </message>
    <message>
        <source>Somebody else summarised it meanwhile; that summary stands.</source>
        <translation>其间已有人做了摘要；以那份摘要为准。</translation>
    </message>
    <message>
        <source>Summarising its older messages…</source>
        <translation>正在总结较早的消息…</translation>
    </message>
    <message>
        <source>Untitled conversation</source>
        <translation>无标题会话</translation>
    </message>
    <message>
        <source>Wait a moment: {work}</source>
        <translation>请稍候：{work}</translation>
    </message>
    <message>
        <source>{n} known ones confirmed</source>
        <translation>确认 {n} 条已知事实</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} 条消息</translation>
    </message>
    <message>
        <source>{n} messages of ‘{title}’ stand in its summary now; in full: {rest}</source>
        <translation>“{title}”的 {n} 条消息已纳入摘要；保持完整：{rest}</translation>
    </message>
    <message>
        <source>{n} new facts</source>
        <translation>{n} 条新事实</translation>
    </message>
    <message>
        <source>{n} older ones changed</source>
        <translation>更改 {n} 条旧事实</translation>
    </message>
</context>
<context>
    <name>SessionsPane</name>
    <message>
        <source>Choose a conversation</source>
        <translation>选择会话</translation>
    </message>
    <message>
        <source>Condense all but the latest messages</source>
        <translation>压缩除最近消息外的内容</translation>
    </message>
    <message>
        <source>Copy as quotation</source>
        <translation>复制为引用</translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation>复制链接</translation>
    </message>
    <message>
        <source>Copy link to message</source>
        <translation>复制消息链接</translation>
    </message>
    <message>
        <source>Copy message</source>
        <translation>复制消息</translation>
    </message>
    <message>
        <source>Copy selection</source>
        <translation>复制所选内容</translation>
    </message>
    <message>
        <source>Ctrl+Shift+O begins a conversation with yourself.</source>
        <translation>Ctrl+Shift+O 与自己开始会话。</translation>
    </message>
    <message>
        <source>Delete conversation</source>
        <translation>删除会话</translation>
    </message>
    <message>
        <source>Draw facts from it now</source>
        <translation>立即从中提取事实</translation>
    </message>
    <message>
        <source>Draw facts from this conversation now</source>
        <translation>立即从此会话提取事实</translation>
    </message>
    <message>
        <source>Export this conversation as JSONL</source>
        <translation>将此会话导出为 JSONL</translation>
    </message>
    <message>
        <source>Export this conversation as Markdown</source>
        <translation>将此会话导出为 Markdown</translation>
    </message>
    <message>
        <source>Filter conversations</source>
        <translation>筛选会话</translation>
    </message>
    <message>
        <source>Find in conversation</source>
        <translation>在会话中查找</translation>
    </message>
    <message>
        <source>First message</source>
        <translation>第一条消息</translation>
    </message>
    <message>
        <source>Import conversations…</source>
        <translation>导入会话…</translation>
    </message>
    <message>
        <source>Import what you said to ChatGPT, Claude or another program, connect an agent, or begin one with yourself. Everything stays on this machine.</source>
        <translation>导入你与 ChatGPT、Claude 或其他程序的对话，连接智能体，或与自己开始会话。一切都保留在此电脑上。</translation>
    </message>
    <message>
        <source>It is kept once you write the first message.</source>
        <translation>写下第一条消息后即会保存。</translation>
    </message>
    <message>
        <source>Last message</source>
        <translation>最后一条消息</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>新建会话</translation>
    </message>
    <message>
        <source>New conversation with yourself</source>
        <translation>与自己新建会话</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>下一个匹配</translation>
    </message>
    <message>
        <source>No conversations yet</source>
        <translation>还没有会话</translation>
    </message>
    <message>
        <source>Open the page of ‘{name}’</source>
        <translation>打开“{name}”的页面</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>上一个匹配</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Rename conversation</source>
        <translation>重命名会话</translation>
    </message>
    <message>
        <source>Summarise its older messages now</source>
        <translation>立即总结较早的消息</translation>
    </message>
    <message>
        <source>What was said in it appears here. Ctrl+F finds words in it.</source>
        <translation>其中的内容会显示在这里。Ctrl+F 可查找其中的词。</translation>
    </message>
</context>
<context>
    <name>SettingField</name>
    <message>
        <source>From {low} to {high}.</source>
        <translation>从 {low} 到 {high}。</translation>
    </message>
    <message>
        <source>Reset ‘{name}’ to the default</source>
        <translation>将“{name}”恢复为默认值</translation>
    </message>
    <message>
        <source>Set from outside for this run ({source}).</source>
        <translation>本次运行由外部设定（{source}）。</translation>
    </message>
    <message>
        <source>Takes effect at the next start.</source>
        <translation>下次启动时生效。</translation>
    </message>
</context>
<context>
    <name>SettingSection</name>
    <message>
        <source>Advanced settings ({n})</source>
        <translation>高级设置（{n}）</translation>
    </message>
    <message>
        <source>Hide advanced settings</source>
        <translation>隐藏高级设置</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>A passphrase without which nobody can read your memories on this disk.</source>
        <translation>没有它，任何人都无法读取此磁盘上你的记忆的密码短语。</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Agents</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>Agents whose conversations are not stored</source>
        <translation>不保存其会话的智能体</translation>
    </message>
    <message>
        <source>Agents with a vault of their own</source>
        <translation>拥有自己记忆库的智能体</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Back up before each import</source>
        <translation>每次导入前备份</translation>
    </message>
    <message>
        <source>Back up every day</source>
        <translation>每天备份</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>备份</translation>
    </message>
    <message>
        <source>Care for the database at night</source>
        <translation>夜间维护数据库</translation>
    </message>
    <message>
        <source>Changes show at once, in the whole window.</source>
        <translation>更改会立即显示在整个窗口中。</translation>
    </message>
    <message>
        <source>Choose a line, then press its new keys.</source>
        <translation>选择一行，然后按下新的按键。</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>Condense and archive old observations</source>
        <translation>压缩并归档旧的观察</translation>
    </message>
    <message>
        <source>Contrast</source>
        <translation>对比度</translation>
    </message>
    <message>
        <source>Copies of all you keep here, in the folder of the vault.</source>
        <translation>你在此保存的全部内容的副本，位于记忆库文件夹中。</translation>
    </message>
    <message>
        <source>Daily backups kept</source>
        <translation>保留的每日备份</translation>
    </message>
    <message>
        <source>Days that a proposal waits for you</source>
        <translation>提议等待你的天数</translation>
    </message>
    <message>
        <source>Desktop</source>
        <translation>桌面</translation>
    </message>
    <message>
        <source>Diagnostics</source>
        <translation>诊断</translation>
    </message>
    <message>
        <source>Encryption</source>
        <translation>加密</translation>
    </message>
    <message>
        <source>Find facts in conversations</source>
        <translation>在会话中查找事实</translation>
    </message>
    <message>
        <source>Find more names and links</source>
        <translation>查找更多名称和连接</translation>
    </message>
    <message>
        <source>Find names more accurately</source>
        <translation>更准确地查找名称</translation>
    </message>
    <message>
        <source>Follow a folder of Markdown notes</source>
        <translation>跟随 Markdown 笔记文件夹</translation>
    </message>
    <message>
        <source>Follow the conversations of coding agents</source>
        <translation>跟踪编程智能体的会话</translation>
    </message>
    <message>
        <source>For when something is wrong: nothing here shows what you wrote.</source>
        <translation>用于出现问题时：这里不会显示你写的任何内容。</translation>
    </message>
    <message>
        <source>Goals on a connection paid by volume</source>
        <translation>按流量计费网络下的目标</translation>
    </message>
    <message>
        <source>Heavy work on battery</source>
        <translation>使用电池时的繁重工作</translation>
    </message>
    <message>
        <source>Hints while you write</source>
        <translation>书写时提示</translation>
    </message>
    <message>
        <source>How Keepsake fits into this computer.</source>
        <translation>Keepsake 如何融入这台电脑。</translation>
    </message>
    <message>
        <source>How conversations are summarised and memories are made of them.</source>
        <translation>会话如何被总结并形成记忆。</translation>
    </message>
    <message>
        <source>How much agents may do and are told. Their access is set in the Agents pane.</source>
        <translation>智能体可以做多少、得知多少。其访问权限在“智能体”面板中设置。</translation>
    </message>
    <message>
        <source>How texts are found by their words and by their meaning.</source>
        <translation>如何按词语和含义查找文本。</translation>
    </message>
    <message>
        <source>Keep a log of what Keepsake does</source>
        <translation>记录 Keepsake 的操作</translation>
    </message>
    <message>
        <source>Keep passwords and keys found in conversations</source>
        <translation>保留会话中的密码和密钥</translation>
    </message>
    <message>
        <source>Keep running when the window is closed</source>
        <translation>关闭窗口后继续运行</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Language model</source>
        <translation>语言模型</translation>
    </message>
    <message>
        <source>Length of what an agent is told, in tokens</source>
        <translation>告知智能体内容的长度（词元）</translation>
    </message>
    <message>
        <source>Let unused facts fade</source>
        <translation>让未使用的事实淡忘</translation>
    </message>
    <message>
        <source>Limits of what runs at set times.</source>
        <translation>定时运行内容的限制。</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>Minutes without use until it locks</source>
        <translation>无人使用多少分钟后锁定</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Monthly backups kept</source>
        <translation>保留的每月备份</translation>
    </message>
    <message>
        <source>Most it may cost in a month</source>
        <translation>每月最高费用</translation>
    </message>
    <message>
        <source>Most that one run of a goal may cost</source>
        <translation>目标单次运行最高费用</translation>
    </message>
    <message>
        <source>Older messages of a long conversation</source>
        <translation>长会话中较早的消息</translation>
    </message>
    <message>
        <source>Optional: it summarises, finds facts and pursues goals.</source>
        <translation>可选：用于总结、查找事实和完成目标。</translation>
    </message>
    <message>
        <source>Price of what it reads</source>
        <translation>读取价格</translation>
    </message>
    <message>
        <source>Price of what it writes</source>
        <translation>写出价格</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>隐私</translation>
    </message>
    <message>
        <source>Private texts may go to a language model elsewhere</source>
        <translation>私密文本可发送到别处的语言模型</translation>
    </message>
    <message>
        <source>Quick capture from anywhere</source>
        <translation>随处快速记录</translation>
    </message>
    <message>
        <source>Read that folder, or mirror it both ways</source>
        <translation>读取该文件夹，或双向同步</translation>
    </message>
    <message>
        <source>Record what agents search for</source>
        <translation>记录智能体的搜索内容</translation>
    </message>
    <message>
        <source>Record your own calls too</source>
        <translation>也记录你自己的调用</translation>
    </message>
    <message>
        <source>Reduced motion</source>
        <translation>减少动画</translation>
    </message>
    <message>
        <source>Results shown at once</source>
        <translation>一次显示的结果数</translation>
    </message>
    <message>
        <source>Schedules and goals</source>
        <translation>计划和目标</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search models may be downloaded</source>
        <translation>允许下载搜索模型</translation>
    </message>
    <message>
        <source>Seconds that one run of a goal may take</source>
        <translation>目标单次运行可用秒数</translation>
    </message>
    <message>
        <source>Service</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>Several machines</source>
        <translation>多台设备</translation>
    </message>
    <message>
        <source>Size of text</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <source>Take memories from conversations</source>
        <translation>从会话中提取记忆</translation>
    </message>
    <message>
        <source>The same memory on all your machines, without anyone between them.</source>
        <translation>在你的所有设备上保持同一份记忆，中间没有任何第三方。</translation>
    </message>
    <message>
        <source>Upkeep</source>
        <translation>维护</translation>
    </message>
    <message>
        <source>Weekly backups kept</source>
        <translation>保留的每周备份</translation>
    </message>
    <message>
        <source>What is done by itself, mostly at night. The Schedule pane shows when.</source>
        <translation>自动完成的工作，大多在夜间。“计划”面板显示时间。</translation>
    </message>
    <message>
        <source>What may leave this computer, what is taken in, and what is recorded.</source>
        <translation>哪些内容可以离开此电脑、哪些会被收录、哪些会被记录。</translation>
    </message>
    <message>
        <source>Write a reflection on the week</source>
        <translation>撰写本周反思</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>No setting has these words.</source>
        <translation>没有含这些词的设置。</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>搜索设置</translation>
    </message>
    <message>
        <source>Sections</source>
        <translation>设置分类</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
</context>
<context>
    <name>ShortcutEditor</name>
    <message>
        <source>Choose an action above</source>
        <translation>请在上方选择动作</translation>
    </message>
    <message>
        <source>New keys</source>
        <translation>新按键</translation>
    </message>
    <message>
        <source>New keys for ‘{name}’</source>
        <translation>“{name}”的新按键</translation>
    </message>
    <message>
        <source>No keys</source>
        <translation>无按键</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>全部重置</translation>
    </message>
    <message>
        <source>Reset this one</source>
        <translation>重置此项</translation>
    </message>
    <message>
        <source>Search by action or key</source>
        <translation>按动作或按键搜索</translation>
    </message>
    <message>
        <source>Search shortcuts</source>
        <translation>搜索快捷键</translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>These keys already do {names}. They will be taken away there.</source>
        <translation>这些按键已用于{names}，将从那里移除。</translation>
    </message>
    <message>
        <source>Use these keys</source>
        <translation>使用这些按键</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>已更改</translation>
    </message>
    <message>
        <source>{keys} alone types or moves something. Hold Ctrl or Alt with it.</source>
        <translation>单独按 {keys} 会输入或移动。请同时按住 Ctrl 或 Alt。</translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>Menu</source>
        <translation>菜单</translation>
    </message>
    <message>
        <source>Panes</source>
        <translation>面板</translation>
    </message>
    <message>
        <source>{title}: {n} waiting</source>
        <translation>{title}：{n} 项等待</translation>
    </message>
</context>
<context>
    <name>SplitForm</name>
    <message>
        <source>Choose the names that mean somebody or something else.</source>
        <translation>选择指代其他人或事物的名称。</translation>
    </message>
    <message>
        <source>Its name; the first of those chosen when empty</source>
        <translation>其名称；留空则用所选的第一个</translation>
    </message>
    <message>
        <source>Name of the second one</source>
        <translation>第二个的名称</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>拆分</translation>
    </message>
    <message>
        <source>Type of the second one</source>
        <translation>第二个的类型</translation>
    </message>
</context>
<context>
    <name>StartPage</name>
    <message>
        <source>Bringing your memories up to date for this version of Keepsake: step {step} of {steps}.</source>
        <translation>正在将你的记忆更新到此版本的 Keepsake：第 {step}/{steps} 步。</translation>
    </message>
    <message>
        <source>Check the file</source>
        <translation>检查文件</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>复制详情</translation>
    </message>
    <message>
        <source>Decrypt your memories?</source>
        <translation>要解密你的记忆吗？</translation>
    </message>
    <message>
        <source>Decrypting your memories.</source>
        <translation>正在解密你的记忆。</translation>
    </message>
    <message>
        <source>Encrypt your memories</source>
        <translation>加密你的记忆</translation>
    </message>
    <message>
        <source>Encrypting your memories.</source>
        <translation>正在加密你的记忆。</translation>
    </message>
    <message>
        <source>Keepsake</source>
        <translation>Keepsake</translation>
    </message>
    <message>
        <source>Keepsake is locked</source>
        <translation>Keepsake 已锁定</translation>
    </message>
    <message>
        <source>Making a backup, before your memories are brought up to date for this version of Keepsake.</source>
        <translation>在将记忆更新到此版本的 Keepsake 之前，正在备份。</translation>
    </message>
    <message>
        <source>Open another vault…</source>
        <translation>打开其他记忆库…</translation>
    </message>
    <message>
        <source>Opening the vault</source>
        <translation>正在打开记忆库</translation>
    </message>
    <message>
        <source>Opening {vault}</source>
        <translation>正在打开 {vault}</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Rescue what can be read</source>
        <translation>抢救可读取的内容</translation>
    </message>
    <message>
        <source>Restore a backup…</source>
        <translation>恢复备份…</translation>
    </message>
    <message>
        <source>Restoring the backup that you chose.</source>
        <translation>正在恢复你选择的备份。</translation>
    </message>
    <message>
        <source>Somebody asked to have your memories decrypted, and not from this account of this computer. If it was not you, somebody has changed their folder: keep them encrypted. Decrypted, anyone who can read this disk can read them.</source>
        <translation>有人请求解密你的记忆，而且不是从这台计算机的这个账户发出的。如果不是你，说明有人更改了该文件夹：请保持加密。解密后，任何能读取此磁盘的人都能读取它们。</translation>
    </message>
    <message>
        <source>Start in safe mode</source>
        <translation>以安全模式启动</translation>
    </message>
    <message>
        <source>The vault could not be opened</source>
        <translation>无法打开记忆库</translation>
    </message>
    <message>
        <source>There is no backup that could be restored.</source>
        <translation>没有可恢复的备份。</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Use what was rescued</source>
        <translation>使用抢救出的内容</translation>
    </message>
    <message>
        <source>What is there now is kept beside the backups, so this can be taken back.</source>
        <translation>当前内容会保留在备份旁，因此可以撤回。</translation>
    </message>
    <message>
        <source>Your memories are encrypted. Type the passphrase to open them.</source>
        <translation>你的记忆已加密。请输入密码短语以打开。</translation>
    </message>
    <message>
        <source>Your memories will be encrypted now. Type the passphrase that you chose. Without it you can still call this off, because nothing is encrypted yet.</source>
        <translation>现在将加密你的记忆。请输入你选择的密码短语。没有它也仍可取消，因为尚未加密任何内容。</translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <source> (and {n} more)</source>
        <translation> （另有 {n} 个）</translation>
    </message>
    <message>
        <source> (paused)</source>
        <translation> （已暂停）</translation>
    </message>
    <message>
        <source>1 agent</source>
        <translation>1 个智能体</translation>
    </message>
    <message>
        <source>1 memory</source>
        <translation>1 条记忆</translation>
    </message>
    <message>
        <source>1 session</source>
        <translation>1 个会话</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>Read-only</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>Working</source>
        <translation>正在工作</translation>
    </message>
    <message>
        <source>about {span} left</source>
        <translation>约剩 {span}</translation>
    </message>
    <message>
        <source>index complete</source>
        <translation>索引完整</translation>
    </message>
    <message>
        <source>indexing 1 piece</source>
        <translation>正在索引 1 个片段</translation>
    </message>
    <message>
        <source>indexing {n} pieces</source>
        <translation>正在索引 {n} 个片段</translation>
    </message>
    <message>
        <source>recognising names in 1 text</source>
        <translation>正在识别 1 段文本中的名称</translation>
    </message>
    <message>
        <source>recognising names in {n} texts</source>
        <translation>正在识别 {n} 段文本中的名称</translation>
    </message>
    <message>
        <source>{doing}: {progress}</source>
        <translation>{doing}：{progress}</translation>
    </message>
    <message>
        <source>{done} of {total}{unit}</source>
        <translation>{done}/{total}{unit}</translation>
    </message>
    <message>
        <source>{h} h {m} min</source>
        <translation>{h} 小时 {m} 分钟</translation>
    </message>
    <message>
        <source>{n} MB</source>
        <translation>{n} MB</translation>
    </message>
    <message>
        <source>{n} agents</source>
        <translation>{n} 个智能体</translation>
    </message>
    <message>
        <source>{n} memories</source>
        <translation>{n} 条记忆</translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation>{n} 分钟</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} 秒</translation>
    </message>
    <message>
        <source>{n} sessions</source>
        <translation>{n} 个会话</translation>
    </message>
    <message>
        <source>{rate}/s</source>
        <translation>{rate}/秒</translation>
    </message>
</context>
<context>
    <name>StatusEntries</name>
    <message>
        <source>1 error</source>
        <translation>1 个错误</translation>
    </message>
    <message>
        <source>1 piece of text waits for the index.</source>
        <translation>1 段文本等待编入索引。</translation>
    </message>
    <message>
        <source>1 private one is found by its words only.</source>
        <translation>1 段私密文本只能按词语找到。</translation>
    </message>
    <message>
        <source>1 program waits to be let in.</source>
        <translation>1 个程序等待获准。</translation>
    </message>
    <message>
        <source>1 request to {hosts} since {since}, at {last}.</source>
        <translation>自 {since} 起向 {hosts} 发出 1 次请求，时间 {last}。</translation>
    </message>
    <message>
        <source>1 text waits to be read for names.</source>
        <translation>1 篇文本等待读取名称。</translation>
    </message>
    <message>
        <source>1 thing could be better.</source>
        <translation>有 1 处可以改进。</translation>
    </message>
    <message>
        <source>About 1 message is still to be searched for passwords: look again.</source>
        <translation>约有 1 条消息尚待检查密码：请再看一次。</translation>
    </message>
    <message>
        <source>About {n} messages are still to be searched for passwords: look again.</source>
        <translation>约有 {n} 条消息尚待检查密码：请再看一次。</translation>
    </message>
    <message>
        <source>Agents</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>An earlier backup was read back and is whole ({when}).</source>
        <translation>较早的一个备份已回读，完好（{when}）。</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>立即备份</translation>
    </message>
    <message>
        <source>Backup</source>
        <translation>备份</translation>
    </message>
    <message>
        <source>Backup read back</source>
        <translation>备份回读</translation>
    </message>
    <message>
        <source>Check now</source>
        <translation>立即检查</translation>
    </message>
    <message>
        <source>Complete: 1 piece of text can be found by words and by meaning.</source>
        <translation>完整：1 段文本可按词语和含义找到。</translation>
    </message>
    <message>
        <source>Complete: there is nothing to search yet.</source>
        <translation>完整：还没有可搜索的内容。</translation>
    </message>
    <message>
        <source>Complete: {n} pieces of text can be found by words and by meaning.</source>
        <translation>完整：{n} 个文本片段可按词语和含义找到。</translation>
    </message>
    <message>
        <source>Content</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>磁盘</translation>
    </message>
    <message>
        <source>It has not been checked yet. A check reads everything and changes nothing.</source>
        <translation>尚未检查。检查会读取全部内容，不做任何更改。</translation>
    </message>
    <message>
        <source>It is due now.</source>
        <translation>现在到期。</translation>
    </message>
    <message>
        <source>It is switched off.</source>
        <translation>已停用。</translation>
    </message>
    <message>
        <source>It is the only one.</source>
        <translation>这是唯一的一个。</translation>
    </message>
    <message>
        <source>It was checked and is sound ({when}).</source>
        <translation>已检查，完好（{when}）。</translation>
    </message>
    <message>
        <source>Language model</source>
        <translation>语言模型</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>再看一次</translation>
    </message>
    <message>
        <source>Look through</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>Looking through it finds repeated and contradicting memories, and passwords. It changes nothing.</source>
        <translation>查看会找出重复和矛盾的记忆以及密码，不会更改任何内容。</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Next: {when}.</source>
        <translation>下次：{when}。</translation>
    </message>
    <message>
        <source>No agent is connected now.</source>
        <translation>当前没有智能体连接。</translation>
    </message>
    <message>
        <source>No backup has been read back yet. Verifying proves that one can be restored.</source>
        <translation>尚未回读任何备份。验证可证明备份能够恢复。</translation>
    </message>
    <message>
        <source>No remote service is set up; everything is computed here.</source>
        <translation>未设置远程服务；一切都在这里计算。</translation>
    </message>
    <message>
        <source>None is set up, so nothing is spent.</source>
        <translation>未设置，因此没有花费。</translation>
    </message>
    <message>
        <source>Not run yet.</source>
        <translation>尚未运行。</translation>
    </message>
    <message>
        <source>Nothing has left this computer since Keepsake was started ({when}).</source>
        <translation>自 Keepsake 启动（{when}）以来，没有任何内容离开此电脑。</translation>
    </message>
    <message>
        <source>Nothing stands out.</source>
        <translation>没有发现异常。</translation>
    </message>
    <message>
        <source>Open agents</source>
        <translation>打开智能体</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Open settings…</source>
        <translation>打开设置…</translation>
    </message>
    <message>
        <source>Please look at this</source>
        <translation>请查看</translation>
    </message>
    <message>
        <source>Privacy settings…</source>
        <translation>隐私设置…</translation>
    </message>
    <message>
        <source>Remote services</source>
        <translation>远程服务</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>立即运行</translation>
    </message>
    <message>
        <source>Search index</source>
        <translation>搜索索引</translation>
    </message>
    <message>
        <source>Search models…</source>
        <translation>搜索模型…</translation>
    </message>
    <message>
        <source>The backup that was read back ({when}) cannot be restored. {problem}</source>
        <translation>已读回的备份（{when}）无法恢复。{problem}</translation>
    </message>
    <message>
        <source>The language model runs on this computer, and so does the search.</source>
        <translation>语言模型在此电脑上运行，搜索也是。</translation>
    </message>
    <message>
        <source>The last check ({when}) found {errors}. Repair the vault, or restore a backup.</source>
        <translation>上次检查（{when}）发现 {errors}。请修复记忆库，或恢复备份。</translation>
    </message>
    <message>
        <source>The last one is of {when} ({size}).</source>
        <translation>最近一次为 {when}（{size}）。</translation>
    </message>
    <message>
        <source>The newest backup was read back and is whole ({when}).</source>
        <translation>最新的备份已回读，完好（{when}）。</translation>
    </message>
    <message>
        <source>The vault takes {size}; {free} of {disk} are free.</source>
        <translation>记忆库占用 {size}；磁盘 {disk} 中剩余 {free}。</translation>
    </message>
    <message>
        <source>There is no backup yet. One is made each day once something changed.</source>
        <translation>还没有备份。有更改后每天会备份一次。</translation>
    </message>
    <message>
        <source>Vault</source>
        <translation>记忆库</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Your settings let Keepsake use {hosts}.</source>
        <translation>你的设置允许 Keepsake 使用 {hosts}。</translation>
    </message>
    <message>
        <source>the vault was not checked yet</source>
        <translation>尚未检查记忆库</translation>
    </message>
    <message>
        <source>there is no backup yet</source>
        <translation>还没有备份</translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation>{names}和另外 {n} 个</translation>
    </message>
    <message>
        <source>{names} is connected now.</source>
        <translation>{names} 当前已连接。</translation>
    </message>
    <message>
        <source>{n} are connected now: {names}.</source>
        <translation>当前已连接 {n} 个：{names}。</translation>
    </message>
    <message>
        <source>{n} are kept.</source>
        <translation>保留 {n} 个。</translation>
    </message>
    <message>
        <source>{n} errors</source>
        <translation>{n} 个错误</translation>
    </message>
    <message>
        <source>{n} pieces of text wait for the index.</source>
        <translation>{n} 个文本片段等待索引。</translation>
    </message>
    <message>
        <source>{n} private ones are found by their words only.</source>
        <translation>{n} 个私密片段只能按词找到。</translation>
    </message>
    <message>
        <source>{n} programs wait to be let in.</source>
        <translation>{n} 个程序等待获准。</translation>
    </message>
    <message>
        <source>{n} requests to {hosts} since {since}, the last {last}.</source>
        <translation>自 {since} 起向 {hosts} 发出 {n} 次请求，最近一次 {last}。</translation>
    </message>
    <message>
        <source>{n} texts wait to be read for names.</source>
        <translation>{n} 段文本等待读取名称。</translation>
    </message>
    <message>
        <source>{n} things could be better.</source>
        <translation>有 {n} 处可以改进。</translation>
    </message>
    <message>
        <source>{spent} of {cap} spent this month.</source>
        <translation>本月已用 {spent}，上限 {cap}。</translation>
    </message>
    <message>
        <source>{spent} spent this month; there is no limit.</source>
        <translation>本月已用 {spent}；没有上限。</translation>
    </message>
    <message>
        <source>{state}, {when}.</source>
        <translation>{state}，{when}。</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cancel: {title}</source>
        <translation>取消：{title}</translation>
    </message>
    <message>
        <source>No vault is open</source>
        <translation>没有打开的记忆库</translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation>正在打开…</translation>
    </message>
    <message>
        <source>Pause: {title}</source>
        <translation>暂停：{title}</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Resume: {title}</source>
        <translation>继续：{title}</translation>
    </message>
    <message>
        <source>Status: privacy and safety</source>
        <translation>状态：隐私与安全</translation>
    </message>
    <message>
        <source>Waiting for {what}…</source>
        <translation>正在等待{what}…</translation>
    </message>
</context>
<context>
    <name>StatusPane</name>
    <message>
        <source>All is well; nothing needs you.</source>
        <translation>一切正常，无需处理。</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>立即备份</translation>
    </message>
    <message>
        <source>Check the vault</source>
        <translation>检查记忆库</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>正在查看…</translation>
    </message>
    <message>
        <source>Needs a look</source>
        <translation>需要查看</translation>
    </message>
    <message>
        <source>Nothing needs you now, but {what}.</source>
        <translation>目前没有需要处理的，但{what}。</translation>
    </message>
    <message>
        <source>One thing needs a look.</source>
        <translation>有一项需要查看。</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>隐私</translation>
    </message>
    <message>
        <source>Safety</source>
        <translation>安全</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Space and spending</source>
        <translation>空间与花费</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>What runs by itself</source>
        <translation>自动运行的内容</translation>
    </message>
    <message>
        <source>{n} things need a look.</source>
        <translation>有 {n} 项需要查看。</translation>
    </message>
</context>
<context>
    <name>StatusRow</name>
    <message>
        <source>One moment…</source>
        <translation>请稍候…</translation>
    </message>
</context>
<context>
    <name>StatusUpdater</name>
    <message>
        <source>the vault to answer</source>
        <translation>记忆库响应</translation>
    </message>
</context>
<context>
    <name>SummaryTab</name>
    <message>
        <source>Condense all but the latest messages</source>
        <translation>压缩除最近消息外的内容</translation>
    </message>
    <message>
        <source>It stands for the messages up to number {n} of {last}. Version {epoch}.</source>
        <translation>它概括了前 {n} 条消息（共 {last} 条）。版本 {epoch}。</translation>
    </message>
    <message>
        <source>Long conversations are condensed by themselves; agents are then given this summary.</source>
        <translation>长会话会自动压缩；随后智能体会收到此摘要。</translation>
    </message>
    <message>
        <source>No summary yet</source>
        <translation>还没有摘要</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Somebody else wrote it meanwhile; this is theirs.</source>
        <translation>其间已有人写了；这是他们的版本。</translation>
    </message>
    <message>
        <source>Summarise now</source>
        <translation>立即总结</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
</context>
<context>
    <name>TagEdit</name>
    <message>
        <source>A tag needs a letter or a number.</source>
        <translation>标签至少要有一个字母或数字。</translation>
    </message>
    <message>
        <source>Add a tag</source>
        <translation>添加标签</translation>
    </message>
    <message>
        <source>Kept as #{tag}: a tag has no blanks or signs in it.</source>
        <translation>已存为 #{tag}：标签不含空格或符号。</translation>
    </message>
    <message>
        <source>Known tags</source>
        <translation>已有标签</translation>
    </message>
    <message>
        <source>There is room for {count} tags. Remove one first.</source>
        <translation>最多 {count} 个标签。请先移除一个。</translation>
    </message>
    <message>
        <source>This looks like a sentence. A tag is a word such as garden or garden/roses.</source>
        <translation>这看起来像句子。标签是一个词，例如 garden 或 garden/roses。</translation>
    </message>
</context>
<context>
    <name>TimeSlider</name>
    <message>
        <source>Play how the graph grew</source>
        <translation>播放图谱的成长过程</translation>
    </message>
    <message>
        <source>Show the graph as of a day</source>
        <translation>显示某一天的图谱</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
</context>
<context>
    <name>TimelineStrip</name>
    <message>
        <source>Results by month</source>
        <translation>按月份的结果</translation>
    </message>
    <message>
        <source>{month}: 1 text</source>
        <translation>{month}：1 段文本</translation>
    </message>
    <message>
        <source>{month}: {count} texts</source>
        <translation>{month}：{count} 段文本</translation>
    </message>
</context>
<context>
    <name>Toast</name>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Undo: {text}</source>
        <translation>撤销：{text}</translation>
    </message>
</context>
<context>
    <name>Toaster</name>
    <message>
        <source>Notices</source>
        <translation>通知</translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>Capture</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Search or jump</source>
        <translation>搜索或跳转</translation>
    </message>
    <message>
        <source>Search or jump to a note or conversation</source>
        <translation>搜索或跳转到笔记或会话</translation>
    </message>
    <message>
        <source>Search or jump to…</source>
        <translation>搜索或跳转到…</translation>
    </message>
    <message>
        <source>This page has no inspector</source>
        <translation>此页面没有检查器</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Link: {words}</source>
        <translation>链接：{words}</translation>
    </message>
</context>
<context>
    <name>TranscriptView</name>
    <message>
        <source>Called {name}</source>
        <translation>调用了 {name}</translation>
    </message>
    <message>
        <source>Show more ({count} more characters)</source>
        <translation>显示更多（还有 {count} 个字符）</translation>
    </message>
    <message>
        <source>Transcript</source>
        <translation>会话记录</translation>
    </message>
    <message>
        <source>important</source>
        <translation>重要</translation>
    </message>
    <message>
        <source>{name} answered</source>
        <translation>{name} 已回答</translation>
    </message>
</context>
<context>
    <name>TrashBar</name>
    <message>
        <source>Empty trash…</source>
        <translation>清空回收站…</translation>
    </message>
    <message>
        <source>Erase the note in the trash for ever?</source>
        <translation>永久删除回收站中的笔记？</translation>
    </message>
    <message>
        <source>Erase the {count} notes in the trash for ever?</source>
        <translation>永久删除回收站中的 {count} 条笔记？</translation>
    </message>
    <message>
        <source>Erased {count} from the trash for ever</source>
        <translation>已从回收站永久删除 {count} 条</translation>
    </message>
    <message>
        <source>In the trash: {count}. It stays until you empty it.</source>
        <translation>回收站中：{count} 条。清空前会一直保留。</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Their text, history and search entries are removed from this vault.</source>
        <translation>它们的文本、历史和搜索条目会从此库中移除。</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message>
        <source>A program asks for access</source>
        <translation>有程序请求访问</translation>
    </message>
    <message>
        <source>Agents</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>Allow {name}…</source>
        <translation>允许 {name}…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Let it go on</source>
        <translation>让它继续</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open Keepsake</source>
        <translation>打开 Keepsake</translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation>正在打开…</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>最近</translation>
    </message>
    <message>
        <source>Refuse {name}</source>
        <translation>拒绝 {name}</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>立即运行</translation>
    </message>
    <message>
        <source>Scheduled work is paused · {status}</source>
        <translation>计划任务已暂停 · {status}</translation>
    </message>
    <message>
        <source>Search…</source>
        <translation>搜索…</translation>
    </message>
    <message>
        <source>{name} (connected)</source>
        <translation>{name}（已连接）</translation>
    </message>
    <message>
        <source>{name} (paused)</source>
        <translation>{name}（已暂停）</translation>
    </message>
    <message>
        <source>{name} asks for access to your memory.</source>
        <translation>{name} 请求访问你的记忆。</translation>
    </message>
</context>
<context>
    <name>UndoStack</name>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Redo: {what}</source>
        <translation>重做：{what}</translation>
    </message>
    <message>
        <source>Redoing {count} changes. This may take some seconds.</source>
        <translation>正在重做 {count} 项更改。可能需要几秒钟。</translation>
    </message>
    <message>
        <source>Redone: {what}</source>
        <translation>已重做：{what}</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Undo: {what}</source>
        <translation>撤销：{what}</translation>
    </message>
    <message>
        <source>Undoing {count} changes. This may take some seconds.</source>
        <translation>正在撤销 {count} 项更改。可能需要几秒钟。</translation>
    </message>
    <message>
        <source>Undone: {what}</source>
        <translation>已撤销：{what}</translation>
    </message>
    <message>
        <source>one stays as it is, because it was changed since</source>
        <translation>有一项保持不变，因为之后有更改</translation>
    </message>
    <message>
        <source>{n} stay as they are, because they were changed since</source>
        <translation>{n} 项保持不变，因为之后有更改</translation>
    </message>
</context>
<context>
    <name>UnlockForm</name>
    <message>
        <source>Call the encryption off</source>
        <translation>取消加密</translation>
    </message>
    <message>
        <source>Encrypt now</source>
        <translation>立即加密</translation>
    </message>
    <message>
        <source>Passphrase</source>
        <translation>密码短语</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation>解锁</translation>
    </message>
</context>
<context>
    <name>VaultRescue</name>
    <message>
        <source>1 conversation</source>
        <translation>1 个会话</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 条消息</translation>
    </message>
    <message>
        <source>1 note or fact</source>
        <translation>1 条笔记或事实</translation>
    </message>
    <message>
        <source>Another Keepsake could not be started.</source>
        <translation>无法启动另一个 Keepsake。</translation>
    </message>
    <message>
        <source>Calling the encryption off…</source>
        <translation>正在取消加密…</translation>
    </message>
    <message>
        <source>Copying what can be read into a new folder. This can take minutes; closing the window stops it.</source>
        <translation>正在将可读取的内容复制到新文件夹。可能需要几分钟；关闭窗口会停止。</translation>
    </message>
    <message>
        <source>Encrypting your memories…</source>
        <translation>正在加密你的记忆…</translation>
    </message>
    <message>
        <source>Looking for backups…</source>
        <translation>正在查找备份…</translation>
    </message>
    <message>
        <source>Open another vault</source>
        <translation>打开其他记忆库</translation>
    </message>
    <message>
        <source>Opening your memories…</source>
        <translation>正在打开你的记忆…</translation>
    </message>
    <message>
        <source>Reading the whole file. Closing the window stops it.</source>
        <translation>正在读取整个文件。关闭窗口会停止。</translation>
    </message>
    <message>
        <source>Rescued {what} into {folder}.</source>
        <translation>已抢救到 {folder}：{what}。</translation>
    </message>
    <message>
        <source>The file is sound: {what}.</source>
        <translation>文件完好：{what}。</translation>
    </message>
    <message>
        <source>This is not the passphrase. Try again.</source>
        <translation>密码短语不正确。请重试。</translation>
    </message>
    <message>
        <source>Unlocking…</source>
        <translation>正在解锁…</translation>
    </message>
    <message>
        <source>Verifying the copy, then restoring it. Closing the window before that is done changes nothing.</source>
        <translation>正在验证副本，然后恢复。完成前关闭窗口不会有任何更改。</translation>
    </message>
    <message>
        <source>{n} conversations</source>
        <translation>{n} 个会话</translation>
    </message>
    <message>
        <source>{n} could not be read.</source>
        <translation>{n} 项无法读取。</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} 条消息</translation>
    </message>
    <message>
        <source>{n} notes and facts</source>
        <translation>{n} 条笔记和事实</translation>
    </message>
</context>
<context>
    <name>VersionDiff</name>
    <message>
        <source>Close the comparison</source>
        <translation>关闭比较</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>The words are the same; title or tags differ.</source>
        <translation>文字相同；标题或标签不同。</translation>
    </message>
</context>
<context>
    <name>WeekView</name>
    <message>
        <source>1 run this week.</source>
        <translation>本周运行 1 次。</translation>
    </message>
    <message>
        <source>Week</source>
        <translation>周</translation>
    </message>
    <message>
        <source>{n} runs</source>
        <translation>{n} 次运行</translation>
    </message>
    <message>
        <source>{n} runs this week.</source>
        <translation>本周运行 {n} 次。</translation>
    </message>
</context>
<context>
    <name>WelcomeDialog</name>
    <message>
        <source>A backup is made every day, and what you, an agent or a job changed can be undone.</source>
        <translation>每天会备份一次，你、智能体或任务所做的更改都可以撤销。</translation>
    </message>
    <message>
        <source>A memory of your own</source>
        <translation>属于你自己的记忆</translation>
    </message>
    <message>
        <source>Agents read your memory only after you allow them, and you can pause them at any time.</source>
        <translation>智能体只有在你允许后才能读取你的记忆，你可以随时暂停它们。</translation>
    </message>
    <message>
        <source>All of it lies in one folder on this machine. Nothing is sent away unless you set that up.</source>
        <translation>全部内容都在此电脑的一个文件夹中。除非你设置，否则不会发送任何内容。</translation>
    </message>
    <message>
        <source>An export of ChatGPT or Claude, or a folder of Markdown notes. You see first what will be made.</source>
        <translation>ChatGPT 或 Claude 的导出，或 Markdown 笔记文件夹。你会先看到将生成什么。</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Bring things in</source>
        <translation>导入内容</translation>
    </message>
    <message>
        <source>Closing the window can leave Keepsake in the tray, where your agents still reach it.</source>
        <translation>关闭窗口后 Keepsake 可留在托盘中，你的智能体仍可访问它。</translation>
    </message>
    <message>
        <source>Closing the window can leave Keepsake running, hidden. Start it again to see the window.</source>
        <translation>关闭窗口后 Keepsake 可在后台运行。再次启动即可看到窗口。</translation>
    </message>
    <message>
        <source>Connect agents</source>
        <translation>连接智能体</translation>
    </message>
    <message>
        <source>How it works for you</source>
        <translation>它如何为你工作</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Keepsake keeps your conversations, notes and facts, and finds them again by words and meaning.</source>
        <translation>Keepsake 保存你的会话、笔记和事实，并能按词语和含义再次找到它们。</translation>
    </message>
    <message>
        <source>Look at a sample vault</source>
        <translation>查看示例记忆库</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Or start empty: Quick capture in the File menu saves a thought as a note.</source>
        <translation>或从空白开始：“文件”菜单中的“快速记录”可将想法存为笔记。</translation>
    </message>
    <message>
        <source>See backups</source>
        <translation>查看备份</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Step {n} of {count}</source>
        <translation>第 {n}/{count} 步</translation>
    </message>
    <message>
        <source>The sample vault opens in a window of its own and leaves yours as it is.</source>
        <translation>示例记忆库在单独的窗口中打开，不影响你的记忆库。</translation>
    </message>
    <message>
        <source>Your vault: {folder}</source>
        <translation>你的记忆库：{folder}</translation>
    </message>
</context>
<context>
    <name>WhyNotDialog</name>
    <message>
        <source>Choose what you expected among the results of ‘{query}’.</source>
        <translation>选择你期望出现在“{query}”结果中的内容。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Conversations and memories</source>
        <translation>会话和记忆</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>正在查看…</translation>
    </message>
    <message>
        <source>Search that way</source>
        <translation>这样搜索</translation>
    </message>
    <message>
        <source>There is nothing with these words or this title in the vault.</source>
        <translation>记忆库中没有含这些词或此标题的内容。</translation>
    </message>
    <message>
        <source>This is about the message of the conversation that fits best.</source>
        <translation>这里针对会话中最匹配的消息。</translation>
    </message>
    <message>
        <source>This search shows it: {query}</source>
        <translation>此搜索可以显示它：{query}</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>无标题</translation>
    </message>
    <message>
        <source>What you expected</source>
        <translation>你期望的内容</translation>
    </message>
    <message>
        <source>Why not …?</source>
        <translation>为什么没有…？</translation>
    </message>
    <message>
        <source>Words of it, or its title…</source>
        <translation>其中的词或标题…</translation>
    </message>
</context>
<context>
    <name>WhyPanel</name>
    <message>
        <source>A filled bar lifted the result, an outlined one lowered it.</source>
        <translation>实心条使结果靠前，空心条使结果靠后。</translation>
    </message>
    <message>
        <source>How it was found</source>
        <translation>如何找到</translation>
    </message>
    <message>
        <source>Importance</source>
        <translation>重要度</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>含义</translation>
    </message>
    <message>
        <source>Mentions</source>
        <translation>提及</translation>
    </message>
    <message>
        <source>Newness</source>
        <translation>新近度</translation>
    </message>
    <message>
        <source>Next marked word</source>
        <translation>下一个标记的词</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Other names</source>
        <translation>其他名称</translation>
    </message>
    <message>
        <source>Previous marked word</source>
        <translation>上一个标记的词</translation>
    </message>
    <message>
        <source>Text of the result</source>
        <translation>结果文本</translation>
    </message>
    <message>
        <source>What counted, and how much</source>
        <translation>哪些因素起作用及其程度</translation>
    </message>
    <message>
        <source>What else counted</source>
        <translation>其他起作用的因素</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>词语</translation>
    </message>
    <message>
        <source>place {rank}</source>
        <translation>第 {rank} 位</translation>
    </message>
    <message>
        <source>{m} marked</source>
        <translation>标记 {m} 处</translation>
    </message>
    <message>
        <source>{n} of {m}</source>
        <translation>{n}/{m}</translation>
    </message>
</context>
<context>
    <name>Window</name>
    <message>
        <source>Choose a search model</source>
        <translation>选择搜索模型</translation>
    </message>
    <message>
        <source>Drop to import</source>
        <translation>松开即可导入</translation>
    </message>
    <message>
        <source>Keepsake</source>
        <translation>Keepsake</translation>
    </message>
    <message>
        <source>Keepsake (safe mode)</source>
        <translation>Keepsake（安全模式）</translation>
    </message>
    <message>
        <source>Only the window is in safe mode: another Keepsake has your memories open. Quit that one for all of it.</source>
        <translation>只有此窗口处于安全模式：另一个 Keepsake 已打开你的记忆。请退出它以完全进入安全模式。</translation>
    </message>
    <message>
        <source>Safe mode: schedules, models and search by meaning are off, and the appearance is the default one. Settings that you change count from the next start.</source>
        <translation>安全模式：计划、模型和按含义搜索已关闭，外观为默认。你更改的设置从下次启动起生效。</translation>
    </message>
    <message>
        <source>Several machines</source>
        <translation>多台设备</translation>
    </message>
</context>
<context>
    <name>WindowActions</name>
    <message>
        <source>Choose in {pane} what ‘{title}’ is for. Then give the command again.</source>
        <translation>请先在“{pane}”中选择“{title}”的对象，然后再次执行该命令。</translation>
    </message>
    <message>
        <source>Created ‘{title}’</source>
        <translation>已创建“{title}”</translation>
    </message>
    <message>
        <source>Keepsake ended unexpectedly on {time}. What was saved is kept. Copy the details if you want to report it.</source>
        <translation>Keepsake 于 {time} 意外结束。已保存的内容完好。如需报告，请复制详情。</translation>
    </message>
    <message>
        <source>Link copied</source>
        <translation>已复制链接</translation>
    </message>
    <message>
        <source>No language model is set up. The settings llm.* name one.</source>
        <translation>未设置语言模型。可在 llm.* 设置中指定。</translation>
    </message>
    <message>
        <source>Open a note, conversation or search first; this place has no link</source>
        <translation>请先打开笔记、会话或搜索；此处没有链接</translation>
    </message>
    <message>
        <source>{model} answered in {seconds} seconds. This month it cost {cost}.</source>
        <translation>{model} 在 {seconds} 秒内作答。本月费用 {cost}。</translation>
    </message>
    <message>
        <source>{program}, {time}</source>
        <translation>{program}，{time}</translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>A message of several sentences</source>
        <translation>多句消息</translation>
    </message>
    <message>
        <source>A question came before</source>
        <translation>前一条是问题</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>已接受</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>已归档</translation>
    </message>
    <message>
        <source>As in the settings</source>
        <translation>同设置</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>助手</translation>
    </message>
    <message>
        <source>Best match overall</source>
        <translation>总体最匹配</translation>
    </message>
    <message>
        <source>By conversation</source>
        <translation>按会话</translation>
    </message>
    <message>
        <source>By day</source>
        <translation>按日期</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Condensed</source>
        <translation>压缩</translation>
    </message>
    <message>
        <source>Confirmed</source>
        <translation>已确认</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>日期</translation>
    </message>
    <message>
        <source>Dates</source>
        <translation>日期</translation>
    </message>
    <message>
        <source>Deleted</source>
        <translation>已删除</translation>
    </message>
    <message>
        <source>Deleted from the archive</source>
        <translation>已从归档删除</translation>
    </message>
    <message>
        <source>Digest</source>
        <translation>摘编</translation>
    </message>
    <message>
        <source>Digests</source>
        <translation>摘编</translation>
    </message>
    <message>
        <source>E-mail address</source>
        <translation>电子邮件地址</translation>
    </message>
    <message>
        <source>E-mail addresses</source>
        <translation>电子邮件地址</translation>
    </message>
    <message>
        <source>Fact</source>
        <translation>事实</translation>
    </message>
    <message>
        <source>Facts</source>
        <translation>事实</translation>
    </message>
    <message>
        <source>Follows a person</source>
        <translation>紧接在人的消息之后</translation>
    </message>
    <message>
        <source>Found because it {reasons}.</source>
        <translation>找到的原因：{reasons}。</translation>
    </message>
    <message>
        <source>Hashtag</source>
        <translation>话题标签</translation>
    </message>
    <message>
        <source>Hashtags</source>
        <translation>话题标签</translation>
    </message>
    <message>
        <source>How new it is</source>
        <translation>内容的新近度</translation>
    </message>
    <message>
        <source>How new the conversation is</source>
        <translation>会话的新近度</translation>
    </message>
    <message>
        <source>How results are grouped</source>
        <translation>结果的分组方式</translation>
    </message>
    <message>
        <source>How results are ranked</source>
        <translation>结果的排序方式</translation>
    </message>
    <message>
        <source>Import ({origin})</source>
        <translation>导入（{origin}）</translation>
    </message>
    <message>
        <source>It does not say {lacking}.</source>
        <translation>其中没有{lacking}。</translation>
    </message>
    <message>
        <source>It is a note or fact</source>
        <translation>它是笔记或事实</translation>
    </message>
    <message>
        <source>It is a question</source>
        <translation>它是问题</translation>
    </message>
    <message>
        <source>It is about who hears it</source>
        <translation>与听者有关</translation>
    </message>
    <message>
        <source>It is about who says it</source>
        <translation>与说者有关</translation>
    </message>
    <message>
        <source>It is in the archive, which searches leave out. Add is:archived.</source>
        <translation>它在归档中，搜索会略过归档。请添加 is:archived。</translation>
    </message>
    <message>
        <source>It is no longer there.</source>
        <translation>它已不存在。</translation>
    </message>
    <message>
        <source>It is not ready to be searched yet, or has no words of its own.</source>
        <translation>它尚未可供搜索，或没有自己的文字。</translation>
    </message>
    <message>
        <source>It is of your project</source>
        <translation>属于你的项目</translation>
    </message>
    <message>
        <source>It says a number</source>
        <translation>提到数字</translation>
    </message>
    <message>
        <source>It says when</source>
        <translation>提到时间</translation>
    </message>
    <message>
        <source>It says {words}, but not {lacking}, and others fit better.</source>
        <translation>其中有{words}，但没有{lacking}，其他内容更匹配。</translation>
    </message>
    <message>
        <source>It says {words}, but so many others do that it did not come among the best.</source>
        <translation>其中有{words}，但含有它的太多，因此未进入最佳结果。</translation>
    </message>
    <message>
        <source>It shares no word with your search, and others are nearer in meaning.</source>
        <translation>它与你的搜索没有共同的词，其他内容含义更接近。</translation>
    </message>
    <message>
        <source>It was deleted. Restore it from the trash, and searches find it again.</source>
        <translation>它已被删除。从回收站恢复后即可再次搜到。</translation>
    </message>
    <message>
        <source>It was found, but only as number {place}; the first {limit} are shown.</source>
        <translation>已找到，但仅排第 {place} 位；只显示前 {limit} 条。</translation>
    </message>
    <message>
        <source>It was found: it is number {place} of the results.</source>
        <translation>已找到：它是第 {place} 条结果。</translation>
    </message>
    <message>
        <source>Its conversation is like the best ones</source>
        <translation>其会话与最佳者相似</translation>
    </message>
    <message>
        <source>Its conversation is the newest of those</source>
        <translation>其会话是其中最新的</translation>
    </message>
    <message>
        <source>Its conversation was deleted.</source>
        <translation>其会话已被删除。</translation>
    </message>
    <message>
        <source>Its words fit those of the question in meaning</source>
        <translation>其词语与问题的词语含义相近</translation>
    </message>
    <message>
        <source>Judged by the reading model</source>
        <translation>由阅读模型评判</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>长度</translation>
    </message>
    <message>
        <source>Length of the conversation</source>
        <translation>会话长度</translation>
    </message>
    <message>
        <source>Length of the question</source>
        <translation>问题长度</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>含义</translation>
    </message>
    <message>
        <source>Meaning around it</source>
        <translation>周围的含义</translation>
    </message>
    <message>
        <source>Meaning before words</source>
        <translation>含义优先于词语</translation>
    </message>
    <message>
        <source>Meaning of the conversation</source>
        <translation>会话的含义</translation>
    </message>
    <message>
        <source>Meaning of the message after</source>
        <translation>后一条消息的含义</translation>
    </message>
    <message>
        <source>Meaning of the message before</source>
        <translation>前一条消息的含义</translation>
    </message>
    <message>
        <source>Mention</source>
        <translation>提及</translation>
    </message>
    <message>
        <source>Mentions</source>
        <translation>提及</translation>
    </message>
    <message>
        <source>Mentions what you name</source>
        <translation>提到你所说的</translation>
    </message>
    <message>
        <source>Merged</source>
        <translation>已合并</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Most of your words in one of its messages</source>
        <translation>其中一条消息含有你的大部分词</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Names in it</source>
        <translation>其中的名称</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>Observation</source>
        <translation>观察</translation>
    </message>
    <message>
        <source>Observations</source>
        <translation>观察</translation>
    </message>
    <message>
        <source>One list, best first</source>
        <translation>单一列表，最佳在前</translation>
    </message>
    <message>
        <source>Only the meaning</source>
        <translation>仅含义</translation>
    </message>
    <message>
        <source>Only your words</source>
        <translation>仅你的词</translation>
    </message>
    <message>
        <source>Organization</source>
        <translation>组织</translation>
    </message>
    <message>
        <source>Organizations</source>
        <translation>组织</translation>
    </message>
    <message>
        <source>Other messages of its conversation came first.</source>
        <translation>其会话中的其他消息排在前面。</translation>
    </message>
    <message>
        <source>Other name</source>
        <translation>其他名称</translation>
    </message>
    <message>
        <source>Other names</source>
        <translation>其他名称</translation>
    </message>
    <message>
        <source>People</source>
        <translation>人物</translation>
    </message>
    <message>
        <source>Person</source>
        <translation>人物</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>地点</translation>
    </message>
    <message>
        <source>Place by meaning</source>
        <translation>按含义的名次</translation>
    </message>
    <message>
        <source>Place by words</source>
        <translation>按词语的名次</translation>
    </message>
    <message>
        <source>Places</source>
        <translation>地点</translation>
    </message>
    <message>
        <source>Private</source>
        <translation>私密</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Projects</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Read from the history</source>
        <translation>读取自历史</translation>
    </message>
    <message>
        <source>Reflection</source>
        <translation>反思</translation>
    </message>
    <message>
        <source>Reflections</source>
        <translation>反思</translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>Renamed</source>
        <translation>已重命名</translation>
    </message>
    <message>
        <source>Restored</source>
        <translation>已恢复</translation>
    </message>
    <message>
        <source>Said again</source>
        <translation>再次说到</translation>
    </message>
    <message>
        <source>Said by a person</source>
        <translation>由人说出</translation>
    </message>
    <message>
        <source>Said by someone you name</source>
        <translation>由你提到的人说出</translation>
    </message>
    <message>
        <source>Said by whom you name first</source>
        <translation>由你最先提到的人说出</translation>
    </message>
    <message>
        <source>Said soon after the time named</source>
        <translation>在所说时间后不久说出</translation>
    </message>
    <message>
        <source>Said to someone you name</source>
        <translation>对你提到的人说出</translation>
    </message>
    <message>
        <source>Share of your words around it</source>
        <translation>周围含有你的词的比例</translation>
    </message>
    <message>
        <source>Share of your words in it</source>
        <translation>其中含有你的词的比例</translation>
    </message>
    <message>
        <source>Share of your words in the conversation</source>
        <translation>会话中含有你的词的比例</translation>
    </message>
    <message>
        <source>Share of your words in the message before</source>
        <translation>前一条消息含有你的词的比例</translation>
    </message>
    <message>
        <source>Share of your words two messages later</source>
        <translation>后面第二条消息含有你的词的比例</translation>
    </message>
    <message>
        <source>Shared</source>
        <translation>共享</translation>
    </message>
    <message>
        <source>Social</source>
        <translation>社交</translation>
    </message>
    <message>
        <source>Some nearest, some important, some latest</source>
        <translation>一些最近似的、一些重要的、一些最新的</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>The date fits</source>
        <translation>日期相符</translation>
    </message>
    <message>
        <source>The message before asks about your words</source>
        <translation>前一条消息询问了你的词</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Web address</source>
        <translation>网址</translation>
    </message>
    <message>
        <source>Web addresses</source>
        <translation>网址</translation>
    </message>
    <message>
        <source>What words, meaning and names agree on</source>
        <translation>词语、含义和名称的共识</translation>
    </message>
    <message>
        <source>Whether texts are chat or long</source>
        <translation>文本是聊天还是长文</translation>
    </message>
    <message>
        <source>Words and meaning alike</source>
        <translation>词语与含义并重</translation>
    </message>
    <message>
        <source>Words and meaning, newer and repeated first</source>
        <translation>词语与含义，较新和重复的优先</translation>
    </message>
    <message>
        <source>Words around it</source>
        <translation>周围的词</translation>
    </message>
    <message>
        <source>Words of the conversation</source>
        <translation>会话的词</translation>
    </message>
    <message>
        <source>Words of the message</source>
        <translation>消息的词</translation>
    </message>
    <message>
        <source>Words of the message after</source>
        <translation>后一条消息的词</translation>
    </message>
    <message>
        <source>Words of the message before</source>
        <translation>前一条消息的词</translation>
    </message>
    <message>
        <source>Words of the passage</source>
        <translation>段落的词</translation>
    </message>
    <message>
        <source>Words of the person in it</source>
        <translation>会话中人说的词</translation>
    </message>
    <message>
        <source>Words of the whole conversation</source>
        <translation>整个会话的词</translation>
    </message>
    <message>
        <source>Words side by side</source>
        <translation>相邻的词</translation>
    </message>
    <message>
        <source>Words, for its length</source>
        <translation>词语（按长度计）</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
    <message>
        <source>Your search leaves it out because of {operators}.</source>
        <translation>你的搜索因 {operators} 而略过它。</translation>
    </message>
    <message>
        <source>Your search rules it out by {words}.</source>
        <translation>你的搜索以{words}排除了它。</translation>
    </message>
    <message>
        <source>a change</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>a decision</source>
        <translation>决定</translation>
    </message>
    <message>
        <source>a discovery</source>
        <translation>发现</translation>
    </message>
    <message>
        <source>a plan</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>a preference</source>
        <translation>偏好</translation>
    </message>
    <message>
        <source>a problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>an event</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>comes from {agent}</source>
        <translation>来自 {agent}</translation>
    </message>
    <message>
        <source>has your words in its title or around it</source>
        <translation>标题或周围含有你的词</translation>
    </message>
    <message>
        <source>is a {kind}</source>
        <translation>属于{kind}</translation>
    </message>
    <message>
        <source>is about {names}</source>
        <translation>关于{names}</translation>
    </message>
    <message>
        <source>is among the newest</source>
        <translation>属于最新内容</translation>
    </message>
    <message>
        <source>is from {month}</source>
        <translation>来自 {month}</translation>
    </message>
    <message>
        <source>is important</source>
        <translation>重要</translation>
    </message>
    <message>
        <source>is near in meaning</source>
        <translation>含义相近</translation>
    </message>
    <message>
        <source>is pinned</source>
        <translation>已固定</translation>
    </message>
    <message>
        <source>is tagged {tags}</source>
        <translation>带有标签 {tags}</translation>
    </message>
    <message>
        <source>linked in a note</source>
        <translation>在一条笔记中链接</translation>
    </message>
    <message>
        <source>linked in {n} notes</source>
        <translation>在 {n} 条笔记中链接</translation>
    </message>
    <message>
        <source>mentions what you name</source>
        <translation>提到你所说的</translation>
    </message>
    <message>
        <source>more of your words</source>
        <translation>含有更多你的词</translation>
    </message>
    <message>
        <source>says {words}</source>
        <translation>含有{words}</translation>
    </message>
    <message>
        <source>something learned</source>
        <translation>学到的东西</translation>
    </message>
    <message>
        <source>stands beside what fits</source>
        <translation>与匹配内容相邻</translation>
    </message>
    <message>
        <source>stands in ‘{title}’</source>
        <translation>位于“{title}”</translation>
    </message>
    <message>
        <source>was said often</source>
        <translation>经常提到</translation>
    </message>
    <message>
        <source>{parts} and {last}</source>
        <translation>{parts}和{last}</translation>
    </message>
</context>
<context>
    <name>_TitleField</name>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
</context>
</TS>
