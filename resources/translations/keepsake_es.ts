<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="es">
<context>
    <name>AboutDialog</name>
    <message>
        <source>Copy debug information</source>
        <translation>Copiar datos de diagnóstico</translation>
    </message>
    <message>
        <source>Debug information</source>
        <translation>Datos de diagnóstico</translation>
    </message>
    <message>
        <source>Keepsake</source>
        <translation>Keepsake</translation>
    </message>
    <message>
        <source>One person&apos;s long-term memory, on their own machine. MIT licence. Icons: Lucide (ISC).</source>
        <translation>La memoria a largo plazo de una persona, en su propio equipo. Licencia MIT. Iconos: Lucide (ISC).</translation>
    </message>
    <message>
        <source>Version {version}</source>
        <translation>Versión {version}</translation>
    </message>
</context>
<context>
    <name>AccessBar</name>
    <message>
        <source>1 more waits.</source>
        <translation>Hay 1 más en espera.</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>Permitir</translation>
    </message>
    <message>
        <source>Familiar: reads social memories</source>
        <translation>Conocido: lee recuerdos sociales</translation>
    </message>
    <message>
        <source>Full: reads and writes everything</source>
        <translation>Total: lee y escribe todo</translation>
    </message>
    <message>
        <source>Inner: reads shared and social, and writes</source>
        <translation>Íntimo: lee lo compartido y lo social, y escribe</translation>
    </message>
    <message>
        <source>It says: {reason}</source>
        <translation>Dice: {reason}</translation>
    </message>
    <message>
        <source>Its changes wait in the inbox until you accept them.</source>
        <translation>Sus cambios esperan en la bandeja de entrada hasta que los aceptes.</translation>
    </message>
    <message>
        <source>Public: reads nothing</source>
        <translation>Público: no lee nada</translation>
    </message>
    <message>
        <source>Refuse</source>
        <translation>Rechazar</translation>
    </message>
    <message>
        <source>Review what it writes</source>
        <translation>Revisar lo que escribe</translation>
    </message>
    <message>
        <source>Trust of the program</source>
        <translation>Confianza en el programa</translation>
    </message>
    <message>
        <source>{n} more wait.</source>
        <translation>Hay {n} más en espera.</translation>
    </message>
    <message>
        <source>“{name}” asks for access to your memory, with {trust} trust.</source>
        <translation>«{name}» pide acceso a tu memoria, con confianza {trust}.</translation>
    </message>
    <message>
        <source>“{name}” has access already and asks for a new token. Is this the same program? Then allow it: its trust stays, and the token it had ends.</source>
        <translation>«{name}» ya tiene acceso y pide un nuevo token. ¿Es el mismo programa? Entonces permítelo: su confianza no cambia y el token que tenía deja de valer.</translation>
    </message>
</context>
<context>
    <name>AccessRequests</name>
    <message>
        <source>Allowed {name}</source>
        <translation>Se permitió el acceso a {name}</translation>
    </message>
    <message>
        <source>Refused {name}</source>
        <translation>Se rechazó el acceso a {name}</translation>
    </message>
    <message>
        <source>The request of {name} is decided already</source>
        <translation>La petición de {name} ya está decidida</translation>
    </message>
</context>
<context>
    <name>ActRow</name>
    <message>
        <source>Do again</source>
        <translation>Rehacer</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Deshacer</translation>
    </message>
    <message>
        <source>Undo both…</source>
        <translation>Deshacer ambos…</translation>
    </message>
    <message>
        <source>Undone</source>
        <translation>Deshecho</translation>
    </message>
    <message>
        <source>Undone in part</source>
        <translation>Deshecho en parte</translation>
    </message>
</context>
<context>
    <name>Activity</name>
    <message>
        <source>Condensing and archiving old observations</source>
        <translation>Resumiendo y archivando observaciones antiguas</translation>
    </message>
    <message>
        <source>Drawing facts from conversations that have ended</source>
        <translation>Extrayendo hechos de conversaciones terminadas</translation>
    </message>
    <message>
        <source>Getting search ready</source>
        <translation>Preparando la búsqueda</translation>
    </message>
    <message>
        <source>Indexing your texts for search by meaning</source>
        <translation>Indexando tus textos para la búsqueda por significado</translation>
    </message>
    <message>
        <source>Letting facts that nobody used fade a little</source>
        <translation>Dejando que los hechos sin uso se desvanezcan un poco</translation>
    </message>
    <message>
        <source>Looking again for names in texts that have few</source>
        <translation>Buscando de nuevo nombres en textos que tienen pocos</translation>
    </message>
    <message>
        <source>Recognising names in your texts</source>
        <translation>Reconociendo nombres en tus textos</translation>
    </message>
    <message>
        <source>Removing what is to be forgotten for ever</source>
        <translation>Eliminando lo que debe olvidarse para siempre</translation>
    </message>
    <message>
        <source>Tidying the database and checking the latest backup</source>
        <translation>Ordenando la base de datos y comprobando la última copia de seguridad</translation>
    </message>
    <message>
        <source>Working on the goal ‘{name}’</source>
        <translation>Trabajando en el objetivo «{name}»</translation>
    </message>
    <message>
        <source>Writing down what the week brought</source>
        <translation>Escribiendo lo que trajo la semana</translation>
    </message>
    <message>
        <source>{doing} — next: {coming}</source>
        <translation>{doing}; próximo: {coming}</translation>
    </message>
</context>
<context>
    <name>Acts</name>
    <message>
        <source>Keepsake, by itself</source>
        <translation>Keepsake, por sí mismo</translation>
    </message>
    <message>
        <source>The mirrored folder</source>
        <translation>La carpeta reflejada</translation>
    </message>
    <message>
        <source>Undo both</source>
        <translation>Deshacer ambos</translation>
    </message>
    <message>
        <source>Undo both?</source>
        <translation>¿Deshacer ambos?</translation>
    </message>
    <message>
        <source>Undo both? Each is an entry of the history and can be done again there.</source>
        <translation>¿Deshacer ambos? Cada uno es una entrada del historial y puede rehacerse allí.</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Tú</translation>
    </message>
    <message>
        <source>‘{what}’ cannot be undone by itself.</source>
        <translation>«{what}» no se puede deshacer por sí solo.</translation>
    </message>
</context>
<context>
    <name>AgentIndicator</name>
    <message>
        <source>Open this agent</source>
        <translation>Abrir este agente</translation>
    </message>
    <message>
        <source>What an agent does</source>
        <translation>Lo que hace un agente</translation>
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
        <translation>Añadir un agente</translation>
    </message>
    <message>
        <source>Agents</source>
        <translation>Agentes</translation>
    </message>
    <message>
        <source>Connect a program</source>
        <translation>Conectar un programa</translation>
    </message>
    <message>
        <source>Connected now</source>
        <translation>Conectados ahora</translation>
    </message>
</context>
<context>
    <name>AgentPage</name>
    <message>
        <source>Calls</source>
        <translation>Llamadas</translation>
    </message>
    <message>
        <source>Disconnect {title}…</source>
        <translation>Desconectar {title}…</translation>
    </message>
    <message>
        <source>End its access</source>
        <translation>Quitarle el acceso</translation>
    </message>
    <message>
        <source>Hide all it wrote</source>
        <translation>Ocultar todo lo que escribió</translation>
    </message>
    <message>
        <source>How often it may call</source>
        <translation>Con qué frecuencia puede llamar</translation>
    </message>
    <message>
        <source>It has not called yet.</source>
        <translation>Aún no ha llamado.</translation>
    </message>
    <message>
        <source>Let it go on</source>
        <translation>Dejar que siga</translation>
    </message>
    <message>
        <source>May call as often as the settings allow</source>
        <translation>Puede llamar tanto como permitan los ajustes</translation>
    </message>
    <message>
        <source>May call once a second</source>
        <translation>Puede llamar una vez por segundo</translation>
    </message>
    <message>
        <source>May call {n} times a second</source>
        <translation>Puede llamar {n} veces por segundo</translation>
    </message>
    <message>
        <source>New token</source>
        <translation>Nuevo token</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausar</translation>
    </message>
    <message>
        <source>Show what is hidden again</source>
        <translation>Mostrar de nuevo lo oculto</translation>
    </message>
    <message>
        <source>Trust</source>
        <translation>Confianza</translation>
    </message>
    <message>
        <source>Undo all it wrote today</source>
        <translation>Deshacer lo que escribió hoy</translation>
    </message>
    <message>
        <source>What it did</source>
        <translation>Lo que hizo</translation>
    </message>
    <message>
        <source>What it may do</source>
        <translation>Lo que puede hacer</translation>
    </message>
    <message>
        <source>What it writes waits in the inbox until you accept it</source>
        <translation>Lo que escribe espera en la bandeja de entrada hasta que lo aceptes</translation>
    </message>
    <message>
        <source>in a vault of its own</source>
        <translation>en una bóveda propia</translation>
    </message>
    <message>
        <source>its access ended on {when}</source>
        <translation>su acceso terminó el {when}</translation>
    </message>
    <message>
        <source>{n} read</source>
        <translation>{n} leídos</translation>
    </message>
    <message>
        <source>{n} written</source>
        <translation>{n} escritos</translation>
    </message>
    <message>
        <source>{rate} % of what it wrote was text that Keepsake had told it; that is not stored again.</source>
        <translation>El {rate} % de lo que escribió era texto que Keepsake le había dicho; no se guarda otra vez.</translation>
    </message>
</context>
<context>
    <name>AgentView</name>
    <message>
        <source>A question to the agent; empty for what it is told anyway</source>
        <translation>Una pregunta al agente; vacío para lo que se le dice de todos modos</translation>
    </message>
    <message>
        <source>Question to the agent</source>
        <translation>Pregunta al agente</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Mostrar</translation>
    </message>
    <message>
        <source>There is nothing to tell it yet.</source>
        <translation>Aún no hay nada que decirle.</translation>
    </message>
    <message>
        <source>Tokens used</source>
        <translation>Tokens usados</translation>
    </message>
    <message>
        <source>What the agent would be told</source>
        <translation>Lo que se le diría al agente</translation>
    </message>
    <message>
        <source>{n} of {most} tokens</source>
        <translation>{n} de {most} tokens</translation>
    </message>
</context>
<context>
    <name>Agents</name>
    <message>
        <source>1 call failed</source>
        <translation>1 llamada fallida</translation>
    </message>
    <message>
        <source>1 call refused</source>
        <translation>1 llamada rechazada</translation>
    </message>
    <message>
        <source>1 item changed</source>
        <translation>1 elemento cambiado</translation>
    </message>
    <message>
        <source>1 item read</source>
        <translation>1 elemento leído</translation>
    </message>
    <message>
        <source>1 other read</source>
        <translation>1 lectura de otro tipo</translation>
    </message>
    <message>
        <source>1 proposal for the inbox</source>
        <translation>1 propuesta para la bandeja</translation>
    </message>
    <message>
        <source>1 search</source>
        <translation>1 búsqueda</translation>
    </message>
    <message>
        <source>1 write</source>
        <translation>1 escritura</translation>
    </message>
    <message>
        <source>1 write that repeated recalled text</source>
        <translation>1 escritura que repetía texto recordado</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>Aceptado</translation>
    </message>
    <message>
        <source>Echo</source>
        <translation>Eco</translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>Caducado</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Falló</translation>
    </message>
    <message>
        <source>Familiar: sees what is social</source>
        <translation>Conocido: ve lo social</translation>
    </message>
    <message>
        <source>Full: sees everything, private too</source>
        <translation>Total: lo ve todo, también lo privado</translation>
    </message>
    <message>
        <source>In the inbox</source>
        <translation>En la bandeja de entrada</translation>
    </message>
    <message>
        <source>Incognito is off: your agents may read and record.</source>
        <translation>El modo incógnito está desactivado: tus agentes pueden leer y guardar.</translation>
    </message>
    <message>
        <source>Incognito is on until {when}: no agent can read or record.</source>
        <translation>El modo incógnito está activo hasta {when}: ningún agente puede leer ni guardar.</translation>
    </message>
    <message>
        <source>Incognito is on: no agent can read or record.</source>
        <translation>El modo incógnito está activo: ningún agente puede leer ni guardar.</translation>
    </message>
    <message>
        <source>Inner: sees what is shared and social</source>
        <translation>Íntimo: ve lo compartido y lo social</translation>
    </message>
    <message>
        <source>Its proposal in the inbox</source>
        <translation>Su propuesta en la bandeja de entrada</translation>
    </message>
    <message>
        <source>Last seen {when}</source>
        <translation>Última vez: {when}</translation>
    </message>
    <message>
        <source>Never connected</source>
        <translation>Nunca conectado</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>En pausa</translation>
    </message>
    <message>
        <source>Proposed</source>
        <translation>Propuesto</translation>
    </message>
    <message>
        <source>Public: sees nothing of yours</source>
        <translation>Público: no ve nada tuyo</translation>
    </message>
    <message>
        <source>Refused</source>
        <translation>Rechazada</translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation>Rechazado</translation>
    </message>
    <message>
        <source>Reviewed</source>
        <translation>Revisado</translation>
    </message>
    <message>
        <source>Revoked</source>
        <translation>Revocado</translation>
    </message>
    <message>
        <source>{agent} has not called.</source>
        <translation>{agent} no ha llamado.</translation>
    </message>
    <message>
        <source>{agent}: {counts}.</source>
        <translation>{agent}: {counts}.</translation>
    </message>
    <message>
        <source>{n} calls failed</source>
        <translation>{n} llamadas fallidas</translation>
    </message>
    <message>
        <source>{n} calls refused</source>
        <translation>{n} llamadas rechazadas</translation>
    </message>
    <message>
        <source>{n} different items read</source>
        <translation>{n} elementos distintos leídos</translation>
    </message>
    <message>
        <source>{n} items changed</source>
        <translation>{n} elementos cambiados</translation>
    </message>
    <message>
        <source>{n} other reads</source>
        <translation>{n} lecturas de otro tipo</translation>
    </message>
    <message>
        <source>{n} proposals for the inbox</source>
        <translation>{n} propuestas para la bandeja</translation>
    </message>
    <message>
        <source>{n} searches</source>
        <translation>{n} búsquedas</translation>
    </message>
    <message>
        <source>{n} writes</source>
        <translation>{n} escrituras</translation>
    </message>
    <message>
        <source>{n} writes that repeated recalled text</source>
        <translation>{n} escrituras que repetían texto recordado</translation>
    </message>
</context>
<context>
    <name>AgentsPane</name>
    <message>
        <source>Add an agent</source>
        <translation>Añadir un agente</translation>
    </message>
    <message>
        <source>Add an agent by hand</source>
        <translation>Añadir un agente a mano</translation>
    </message>
    <message>
        <source>Connect a program…</source>
        <translation>Conectar un programa…</translation>
    </message>
    <message>
        <source>Hid what {name} wrote</source>
        <translation>Se ocultó lo que escribió {name}</translation>
    </message>
    <message>
        <source>No agents yet</source>
        <translation>Aún no hay agentes</translation>
    </message>
    <message>
        <source>Nothing of this call can be shown: it named no item, or all are gone.</source>
        <translation>No se puede mostrar nada de esta llamada: no nombró ningún elemento, o ya no existe ninguno.</translation>
    </message>
    <message>
        <source>Programs such as Claude Code can use your memories, within limits that you set. You see what each one reads and writes, and can take it back.</source>
        <translation>Programas como Claude Code pueden usar tus recuerdos, dentro de los límites que pongas. Ves lo que cada uno lee y escribe, y puedes deshacerlo.</translation>
    </message>
    <message>
        <source>Undid what {name} wrote today</source>
        <translation>Se deshizo lo que {name} escribió hoy</translation>
    </message>
    <message>
        <source>What {name} wrote shows again</source>
        <translation>Lo que escribió {name} se ve de nuevo</translation>
    </message>
    <message>
        <source>keepsake agent connect claude-code does it from a terminal.</source>
        <translation>keepsake agent connect claude-code lo hace desde una terminal.</translation>
    </message>
    <message>
        <source>{name} has no access any more; what it wrote stays</source>
        <translation>{name} ya no tiene acceso; lo que escribió se queda</translation>
    </message>
</context>
<context>
    <name>AppearancePanel</name>
    <message>
        <source>A field to type in</source>
        <translation>Un campo para escribir</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Terminado</translation>
    </message>
    <message>
        <source>Example of a field</source>
        <translation>Ejemplo de un campo</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Más tarde</translation>
    </message>
    <message>
        <source>Note · edited today</source>
        <translation>Nota · editada hoy</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Vista previa</translation>
    </message>
    <message>
        <source>Soil and compost</source>
        <translation>Tierra y compost</translation>
    </message>
    <message>
        <source>The north bed is too wet for roses: Rosa says to dig in sand before March.</source>
        <translation>El bancal norte es demasiado húmedo para rosas: Rosa dice que hay que echar arena antes de marzo.</translation>
    </message>
</context>
<context>
    <name>AttachmentOpener</name>
    <message>
        <source>Another program will open this file.</source>
        <translation>Otro programa abrirá este archivo.</translation>
    </message>
    <message>
        <source>It is decrypted for that, until Keepsake is closed or locked.</source>
        <translation>Para ello se descifra, hasta que Keepsake se cierre o se bloquee.</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Abrir</translation>
    </message>
    <message>
        <source>Open an attachment</source>
        <translation>Abrir un adjunto</translation>
    </message>
    <message>
        <source>‘{name}’ cannot be opened. {why}</source>
        <translation>«{name}» no se puede abrir. {why}</translation>
    </message>
</context>
<context>
    <name>BackupChoice</name>
    <message>
        <source>A damaged database</source>
        <translation>Una base de datos dañada</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Atrás</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>Copias de seguridad</translation>
    </message>
    <message>
        <source>Before a restore</source>
        <translation>Antes de una restauración</translation>
    </message>
    <message>
        <source>Before an import</source>
        <translation>Antes de una importación</translation>
    </message>
    <message>
        <source>Before an update</source>
        <translation>Antes de una actualización</translation>
    </message>
    <message>
        <source>Cannot be read</source>
        <translation>No se puede leer</translation>
    </message>
    <message>
        <source>Every day</source>
        <translation>Cada día</translation>
    </message>
    <message>
        <source>Made</source>
        <translation>Hecha</translation>
    </message>
    <message>
        <source>Restore this backup</source>
        <translation>Restaurar esta copia</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Tamaño</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Desconocido</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Por qué</translation>
    </message>
    <message>
        <source>You asked for it</source>
        <translation>La pediste tú</translation>
    </message>
</context>
<context>
    <name>BackupsPanel</name>
    <message>
        <source>1 conversation</source>
        <translation>1 conversación</translation>
    </message>
    <message>
        <source>1 memory</source>
        <translation>1 recuerdo</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 mensaje</translation>
    </message>
    <message>
        <source>A backup waits to be restored</source>
        <translation>Una copia espera a ser restaurada</translation>
    </message>
    <message>
        <source>A damaged database</source>
        <translation>Una base de datos dañada</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>Hacer copia ahora</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>Copias de seguridad</translation>
    </message>
    <message>
        <source>Before a restore</source>
        <translation>Antes de una restauración</translation>
    </message>
    <message>
        <source>Before an import</source>
        <translation>Antes de una importación</translation>
    </message>
    <message>
        <source>Before an update</source>
        <translation>Antes de una actualización</translation>
    </message>
    <message>
        <source>Call it off</source>
        <translation>Anular</translation>
    </message>
    <message>
        <source>Calling it off…</source>
        <translation>Anulando…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Comes back: {what}</source>
        <translation>Vuelve: {what}</translation>
    </message>
    <message>
        <source>Comparing it with what you have now…</source>
        <translation>Comparando con lo que tienes ahora…</translation>
    </message>
    <message>
        <source>Damaged</source>
        <translation>Dañada</translation>
    </message>
    <message>
        <source>Every day</source>
        <translation>Cada día</translation>
    </message>
    <message>
        <source>Goes away: {what}</source>
        <translation>Desaparece: {what}</translation>
    </message>
    <message>
        <source>Goes back to an earlier version: {n}</source>
        <translation>Vuelve a una versión anterior: {n}</translation>
    </message>
    <message>
        <source>It takes the vault&apos;s place when Keepsake is started again.</source>
        <translation>Ocupará el lugar de la bóveda cuando Keepsake se inicie de nuevo.</translation>
    </message>
    <message>
        <source>Laying it ready…</source>
        <translation>Preparándola…</translation>
    </message>
    <message>
        <source>Made</source>
        <translation>Hecha</translation>
    </message>
    <message>
        <source>Making a backup…</source>
        <translation>Haciendo una copia…</translation>
    </message>
    <message>
        <source>Nothing comes back.</source>
        <translation>No vuelve nada.</translation>
    </message>
    <message>
        <source>Nothing goes away.</source>
        <translation>No desaparece nada.</translation>
    </message>
    <message>
        <source>Open the folder</source>
        <translation>Abrir la carpeta</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Progreso</translation>
    </message>
    <message>
        <source>Reading all of it…</source>
        <translation>Leyéndolo todo…</translation>
    </message>
    <message>
        <source>Restore at the next start</source>
        <translation>Restaurar en el próximo inicio</translation>
    </message>
    <message>
        <source>Restore…</source>
        <translation>Restaurar…</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Tamaño</translation>
    </message>
    <message>
        <source>There is no backup yet. The first one takes a few seconds.</source>
        <translation>Aún no hay copia de seguridad. La primera tarda unos segundos.</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Desconocido</translation>
    </message>
    <message>
        <source>Verified</source>
        <translation>Verificada</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>Verificar</translation>
    </message>
    <message>
        <source>What a restore would change</source>
        <translation>Lo que cambiaría una restauración</translation>
    </message>
    <message>
        <source>What you have now is kept as a backup, so this can be taken back. Settings stay as they are.</source>
        <translation>Lo que tienes ahora se guarda como copia, así que puedes volver atrás. Los ajustes se quedan como están.</translation>
    </message>
    <message>
        <source>Whole: messages {messages}, memories {memories}</source>
        <translation>Íntegra: mensajes {messages}, recuerdos {memories}</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Por qué</translation>
    </message>
    <message>
        <source>You asked for it</source>
        <translation>La pediste tú</translation>
    </message>
    <message>
        <source>{n} conversations</source>
        <translation>{n} conversaciones</translation>
    </message>
    <message>
        <source>{n} memories</source>
        <translation>{n} recuerdos</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} mensajes</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Copy details</source>
        <translation>Copiar detalles</translation>
    </message>
    <message>
        <source>Dismiss this message</source>
        <translation>Descartar este mensaje</translation>
    </message>
    <message>
        <source>Show details</source>
        <translation>Mostrar detalles</translation>
    </message>
</context>
<context>
    <name>BaseDialog</name>
    <message>
        <source>Back</source>
        <translation>Atrás</translation>
    </message>
</context>
<context>
    <name>BeliefRow</name>
    <message>
        <source>On {day}, {source}</source>
        <translation>El {day}, {source}</translation>
    </message>
    <message>
        <source>Since {since}, {source}</source>
        <translation>Desde {since}, {source}</translation>
    </message>
    <message>
        <source>{since} to {until}, {source}</source>
        <translation>De {since} a {until}, {source}</translation>
    </message>
</context>
<context>
    <name>BulkActions</name>
    <message>
        <source>1 note is in no project now</source>
        <translation>1 nota no pertenece ahora a ningún proyecto</translation>
    </message>
    <message>
        <source>1 note is in the project ‘{project}’ now</source>
        <translation>1 nota pertenece ahora al proyecto «{project}»</translation>
    </message>
    <message>
        <source>1 note is now in the store ‘{store}’</source>
        <translation>1 nota está ahora en el ámbito «{store}»</translation>
    </message>
    <message>
        <source>Archived 1 note</source>
        <translation>1 nota archivada</translation>
    </message>
    <message>
        <source>Archived {n} notes</source>
        <translation>{n} notas archivadas</translation>
    </message>
    <message>
        <source>Merged {count} notes into ‘{title}’</source>
        <translation>{count} notas fusionadas en «{title}»</translation>
    </message>
    <message>
        <source>Pinned 1 note</source>
        <translation>1 nota fijada</translation>
    </message>
    <message>
        <source>Pinned {n} notes</source>
        <translation>{n} notas fijadas</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Proyecto</translation>
    </message>
    <message>
        <source>Put the notes into this project; leave it empty for none:</source>
        <translation>Poner las notas en este proyecto; déjelo vacío para ninguno:</translation>
    </message>
    <message>
        <source>Unpinned 1 note</source>
        <translation>1 nota desfijada</translation>
    </message>
    <message>
        <source>Unpinned {n} notes</source>
        <translation>{n} notas desfijadas</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Sin título</translation>
    </message>
    <message>
        <source>also programs that speak for you</source>
        <translation>también programas que hablan por ti</translation>
    </message>
    <message>
        <source>also programs that work for you</source>
        <translation>también programas que trabajan para ti</translation>
    </message>
    <message>
        <source>only you and programs you trust fully</source>
        <translation>solo tú y los programas en que confías del todo</translation>
    </message>
    <message>
        <source>{n} notes are in no project now</source>
        <translation>{n} notas no pertenecen ahora a ningún proyecto</translation>
    </message>
    <message>
        <source>{n} notes are in the project ‘{project}’ now</source>
        <translation>{n} notas pertenecen ahora al proyecto «{project}»</translation>
    </message>
    <message>
        <source>{n} notes are now in the store ‘{store}’</source>
        <translation>{n} notas están ahora en el ámbito «{store}»</translation>
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
        <translation>A las</translation>
    </message>
    <message>
        <source>At an interval</source>
        <translation>A intervalos</translation>
    </message>
    <message>
        <source>Cron expression</source>
        <translation>Expresión cron</translation>
    </message>
    <message>
        <source>Day and time</source>
        <translation>Día y hora</translation>
    </message>
    <message>
        <source>Day of the month</source>
        <translation>Día del mes</translation>
    </message>
    <message>
        <source>Every</source>
        <translation>Cada</translation>
    </message>
    <message>
        <source>Every day</source>
        <translation>Cada día</translation>
    </message>
    <message>
        <source>Every month</source>
        <translation>Cada mes</translation>
    </message>
    <message>
        <source>Expression</source>
        <translation>Expresión</translation>
    </message>
    <message>
        <source>How often</source>
        <translation>Con qué frecuencia</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>Número</translation>
    </message>
    <message>
        <source>On</source>
        <translation>El</translation>
    </message>
    <message>
        <source>On days of the week</source>
        <translation>En días de la semana</translation>
    </message>
    <message>
        <source>Once</source>
        <translation>Una vez</translation>
    </message>
    <message>
        <source>Time of day</source>
        <translation>Hora</translation>
    </message>
    <message>
        <source>Time zone</source>
        <translation>Zona horaria</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>Unidad</translation>
    </message>
    <message>
        <source>days</source>
        <translation>días</translation>
    </message>
    <message>
        <source>hours</source>
        <translation>horas</translation>
    </message>
    <message>
        <source>minutes</source>
        <translation>minutos</translation>
    </message>
</context>
<context>
    <name>CapsuleSheet</name>
    <message>
        <source>1 memory</source>
        <translation>1 recuerdo</translation>
    </message>
    <message>
        <source>1 memory goes in</source>
        <translation>Entra 1 recuerdo</translation>
    </message>
    <message>
        <source>1 year</source>
        <translation>1 año</translation>
    </message>
    <message>
        <source>A capsule is a file with notes and facts of your choice for another person or agent. It is signed, so that they see if somebody changed it, and can be imported until the day you choose. It is not encrypted: everybody who has the file can read it.</source>
        <translation>Una cápsula es un archivo con las notas y los hechos que elijas para otra persona o agente. Está firmada, para que se note si alguien la cambió, y puede importarse hasta el día que elijas. No está cifrada: cualquiera que tenga el archivo puede leerlo.</translation>
    </message>
    <message>
        <source>A capsule that is there is replaced.</source>
        <translation>Se reemplaza una cápsula existente.</translation>
    </message>
    <message>
        <source>About other people</source>
        <translation>Sobre otras personas</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Todos</translation>
    </message>
    <message>
        <source>Can be imported for</source>
        <translation>Se puede importar durante</translation>
    </message>
    <message>
        <source>Capsules (*.capsule)</source>
        <translation>Cápsulas (*.capsule)</translation>
    </message>
    <message>
        <source>Choose where to write the file</source>
        <translation>Elige dónde escribir el archivo</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copiar</translation>
    </message>
    <message>
        <source>Copy your key</source>
        <translation>Copiar tu clave</translation>
    </message>
    <message>
        <source>Facts alone</source>
        <translation>Solo hechos</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Archivo</translation>
    </message>
    <message>
        <source>For</source>
        <translation>Para</translation>
    </message>
    <message>
        <source>How many go in</source>
        <translation>Cuántos entran</translation>
    </message>
    <message>
        <source>In their title or text.</source>
        <translation>En su título o texto.</translation>
    </message>
    <message>
        <source>Make a capsule</source>
        <translation>Crear una cápsula</translation>
    </message>
    <message>
        <source>Make the capsule</source>
        <translation>Crear la cápsula</translation>
    </message>
    <message>
        <source>Notes alone</source>
        <translation>Solo notas</translation>
    </message>
    <message>
        <source>Notes and facts</source>
        <translation>Notas y hechos</translation>
    </message>
    <message>
        <source>Notes or facts</source>
        <translation>Notas o hechos</translation>
    </message>
    <message>
        <source>Nothing goes in</source>
        <translation>No entra nada</translation>
    </message>
    <message>
        <source>Private</source>
        <translation>Privados</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Resultado</translation>
    </message>
    <message>
        <source>Shared with your agents</source>
        <translation>Compartidos con tus agentes</translation>
    </message>
    <message>
        <source>So that they know whom it is from.</source>
        <translation>Para que sepan de quién es.</translation>
    </message>
    <message>
        <source>Tags that they have</source>
        <translation>Etiquetas que tienen</translation>
    </message>
    <message>
        <source>Tell it to the receiver in another way, such as by telephone. Then they know that it is yours.</source>
        <translation>Comunícala al destinatario por otro medio, por ejemplo por teléfono. Así sabrá que es tuya.</translation>
    </message>
    <message>
        <source>The name of the person or agent, for them to see.</source>
        <translation>El nombre de la persona o del agente, para que lo vean.</translation>
    </message>
    <message>
        <source>Until {day}.</source>
        <translation>Hasta el {day}.</translation>
    </message>
    <message>
        <source>Who may see them now</source>
        <translation>Quién puede verlos ahora</translation>
    </message>
    <message>
        <source>With all of these tags</source>
        <translation>Con todas estas etiquetas</translation>
    </message>
    <message>
        <source>With these words</source>
        <translation>Con estas palabras</translation>
    </message>
    <message>
        <source>Words that they contain</source>
        <translation>Palabras que contienen</translation>
    </message>
    <message>
        <source>Wrote {name} with {memories}. It can be imported until {day}.</source>
        <translation>Se escribió {name} con {memories}. Se puede importar hasta el {day}.</translation>
    </message>
    <message>
        <source>Your key</source>
        <translation>Tu clave</translation>
    </message>
    <message>
        <source>Your key in short</source>
        <translation>Tu clave abreviada</translation>
    </message>
    <message>
        <source>Your name</source>
        <translation>Tu nombre</translation>
    </message>
    <message>
        <source>{n} days</source>
        <translation>{n} días</translation>
    </message>
    <message>
        <source>{n} memories</source>
        <translation>{n} recuerdos</translation>
    </message>
    <message>
        <source>{n} memories go in</source>
        <translation>Entran {n} recuerdos</translation>
    </message>
</context>
<context>
    <name>ChangeView</name>
    <message>
        <source>Now</source>
        <translation>Ahora</translation>
    </message>
    <message>
        <source>Proposed</source>
        <translation>Propuesto</translation>
    </message>
    <message>
        <source>You know</source>
        <translation>Lo que sabes</translation>
    </message>
</context>
<context>
    <name>Chip</name>
    <message>
        <source>Remove the tag {name}</source>
        <translation>Quitar la etiqueta {name}</translation>
    </message>
    <message>
        <source>Tag {name}, press to remove</source>
        <translation>Etiqueta {name}, pulsa para quitarla</translation>
    </message>
</context>
<context>
    <name>ClashBar</name>
    <message>
        <source>Forget the stored fact</source>
        <translation>Olvidar el hecho guardado</translation>
    </message>
    <message>
        <source>Keep both</source>
        <translation>Conservar ambos</translation>
    </message>
    <message>
        <source>Now: {text}</source>
        <translation>Ahora: {text}</translation>
    </message>
    <message>
        <source>Open the inbox</source>
        <translation>Abrir la bandeja</translation>
    </message>
    <message>
        <source>Open the stored fact</source>
        <translation>Abrir el hecho guardado</translation>
    </message>
    <message>
        <source>Stored ({when}): {text}</source>
        <translation>Guardado ({when}): {text}</translation>
    </message>
    <message>
        <source>What you just wrote may not agree with what is stored</source>
        <translation>Lo que acabas de escribir quizá no coincida con lo guardado</translation>
    </message>
</context>
<context>
    <name>ClashWatcher</name>
    <message>
        <source>Forgot the stored fact</source>
        <translation>Se olvidó el hecho guardado</translation>
    </message>
</context>
<context>
    <name>ComparisonPanel</name>
    <message>
        <source>Asking both models the same questions…</source>
        <translation>Se hacen las mismas preguntas a los dos modelos…</translation>
    </message>
    <message>
        <source>It was stopped, so this is of part of the questions.</source>
        <translation>Se detuvo, así que esto es de una parte de las preguntas.</translation>
    </message>
    <message>
        <source>Progress of the comparison</source>
        <translation>Progreso de la comparación</translation>
    </message>
    <message>
        <source>Questions answered by words alone because {model} failed: {failed}.</source>
        <translation>Preguntas respondidas solo por palabras porque {model} falló: {failed}.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Detener</translation>
    </message>
    <message>
        <source>Texts without a vector by {model}: {count}.</source>
        <translation>Textos sin vector de {model}: {count}.</translation>
    </message>
    <message>
        <source>{now} finds {found} of {questions} known answers among its first ten results, {other} finds {others}. The questions are made from your own texts.</source>
        <translation>{now} encuentra {found} de {questions} respuestas conocidas entre los diez primeros resultados; {other} encuentra {others}. Las preguntas se hacen con tus propios textos.</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Add</source>
        <translation>Añadir</translation>
    </message>
    <message>
        <source>Message to yourself</source>
        <translation>Mensaje para ti</translation>
    </message>
    <message>
        <source>Write to yourself…</source>
        <translation>Escríbete algo…</translation>
    </message>
</context>
<context>
    <name>ConfidenceCurve</name>
    <message>
        <source>Confidence over time</source>
        <translation>Confianza a lo largo del tiempo</translation>
    </message>
    <message>
        <source>now</source>
        <translation>ahora</translation>
    </message>
</context>
<context>
    <name>ConnectForm</name>
    <message>
        <source>A copy of its configuration from before is in {path}.</source>
        <translation>Una copia de su configuración anterior está en {path}.</translation>
    </message>
    <message>
        <source>Also tell it what matters before each answer, and keep its conversations</source>
        <translation>Decirle también lo importante antes de cada respuesta y guardar sus conversaciones</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Connect a program</source>
        <translation>Conectar un programa</translation>
    </message>
    <message>
        <source>Connected</source>
        <translation>Conectado</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>Desconectar</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Terminado</translation>
    </message>
    <message>
        <source>How much it may see</source>
        <translation>Cuánto puede ver</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>Instalado</translation>
    </message>
    <message>
        <source>It is the agent “{agent}” from now on.</source>
        <translation>Desde ahora es el agente «{agent}».</translation>
    </message>
    <message>
        <source>Its access as the agent “{agent}” has ended; what it wrote stays.</source>
        <translation>Su acceso como el agente «{agent}» ha terminado; lo que escribió se queda.</translation>
    </message>
    <message>
        <source>Its name here</source>
        <translation>Su nombre aquí</translation>
    </message>
    <message>
        <source>Keepsake adds itself to the program’s configuration. You see the change before it is written.</source>
        <translation>Keepsake se añade a la configuración del programa. Ves el cambio antes de que se escriba.</translation>
    </message>
    <message>
        <source>Name of the agent</source>
        <translation>Nombre del agente</translation>
    </message>
    <message>
        <source>Not found on this computer</source>
        <translation>No se encuentra en este equipo</translation>
    </message>
    <message>
        <source>Nothing is left to change in its configuration</source>
        <translation>No queda nada que cambiar en su configuración</translation>
    </message>
    <message>
        <source>Programs</source>
        <translation>Programas</translation>
    </message>
    <message>
        <source>The agent “{agent}”</source>
        <translation>El agente «{agent}»</translation>
    </message>
    <message>
        <source>These {n} files will change</source>
        <translation>Estos {n} archivos cambiarán</translation>
    </message>
    <message>
        <source>This will change</source>
        <translation>Esto cambiará</translation>
    </message>
    <message>
        <source>Trust</source>
        <translation>Confianza</translation>
    </message>
    <message>
        <source>Waiting for it to call for the first time…</source>
        <translation>Esperando a que llame por primera vez…</translation>
    </message>
    <message>
        <source>What it writes waits in the inbox until you accept it</source>
        <translation>Lo que escribe espera en la bandeja de entrada hasta que lo aceptes</translation>
    </message>
    <message>
        <source>Write this change</source>
        <translation>Escribir este cambio</translation>
    </message>
    <message>
        <source>{title} has connected: all is set up.</source>
        <translation>{title} se ha conectado: todo está listo.</translation>
    </message>
    <message>
        <source>{title} is connected</source>
        <translation>{title} está conectado</translation>
    </message>
    <message>
        <source>{title} is no longer connected</source>
        <translation>{title} ya no está conectado</translation>
    </message>
    <message>
        <source>{title} is not on this computer. Install it first; then it can be connected here.</source>
        <translation>{title} no está en este equipo. Instálalo primero; después podrás conectarlo aquí.</translation>
    </message>
</context>
<context>
    <name>ConversationTabs</name>
    <message>
        <source>Facts</source>
        <translation>Hechos</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Mensajes</translation>
    </message>
    <message>
        <source>Parts of the conversation</source>
        <translation>Partes de la conversación</translation>
    </message>
    <message>
        <source>Scratchpad</source>
        <translation>Apuntes</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Resumen</translation>
    </message>
    <message>
        <source>What an agent would be told</source>
        <translation>Lo que se le diría a un agente</translation>
    </message>
</context>
<context>
    <name>CorrectionForm</name>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Guardar</translation>
    </message>
    <message>
        <source>What is right</source>
        <translation>Lo que es correcto</translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>Copy</source>
        <translation>Copiar</translation>
    </message>
    <message>
        <source>Crash report</source>
        <translation>Informe de fallo</translation>
    </message>
    <message>
        <source>It names files and functions of the program and nothing you wrote. Nothing was sent anywhere.</source>
        <translation>Nombra archivos y funciones del programa y nada de lo que escribiste. No se ha enviado nada a ninguna parte.</translation>
    </message>
</context>
<context>
    <name>CutOffCard</name>
    <message>
        <source>Go on…</source>
        <translation>Continuar…</translation>
    </message>
    <message>
        <source>It began on {day}. What it brought in so far is there; going on adds the rest, nothing twice.</source>
        <translation>Empezó el {day}. Lo que trajo hasta ahora está; al continuar se añade el resto, nada dos veces.</translation>
    </message>
    <message>
        <source>Leave it as it is</source>
        <translation>Dejarlo así</translation>
    </message>
    <message>
        <source>The import of {name} was cut off</source>
        <translation>La importación de {name} se interrumpió</translation>
    </message>
</context>
<context>
    <name>CutOffImports</name>
    <message>
        <source>The import of {name} was cut off. Open Import to go on; nothing is added twice.</source>
        <translation>La importación de {name} se interrumpió. Abre Importar para continuar; nada se añade dos veces.</translation>
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
        <translation>MMMM &apos;de&apos; yyyy</translation>
    </message>
    <message>
        <source>d</source>
        <translation>d</translation>
    </message>
    <message>
        <source>d MMM</source>
        <translation>d MMM</translation>
    </message>
    <message>
        <source>d MMM yyyy</source>
        <translation>d MMM yyyy</translation>
    </message>
    <message>
        <source>d MMMM yyyy</source>
        <translation>d &apos;de&apos; MMMM &apos;de&apos; yyyy</translation>
    </message>
    <message>
        <source>d MMMM yyyy, HH:mm</source>
        <translation>d &apos;de&apos; MMMM &apos;de&apos; yyyy, HH:mm</translation>
    </message>
    <message>
        <source>ddd d MMM</source>
        <translation>ddd d MMM</translation>
    </message>
    <message>
        <source>dddd, d MMMM</source>
        <translation>dddd, d &apos;de&apos; MMMM</translation>
    </message>
    <message>
        <source>dddd, d MMMM yyyy</source>
        <translation>dddd, d &apos;de&apos; MMMM &apos;de&apos; yyyy</translation>
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
        <translation>Fecha a la que ir</translation>
    </message>
</context>
<context>
    <name>Dates</name>
    <message>
        <source>Before this year</source>
        <translation>Antes de este año</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>Últimos 30 días</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>Últimos 7 días</translation>
    </message>
    <message>
        <source>This year</source>
        <translation>Este año</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Hoy</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Ayer</translation>
    </message>
</context>
<context>
    <name>DayCalendar</name>
    <message>
        <source>Begin a daily note</source>
        <translation>Empezar una nota diaria</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Conversaciones</translation>
    </message>
    <message>
        <source>Go to today</source>
        <translation>Ir a hoy</translation>
    </message>
    <message>
        <source>Month after</source>
        <translation>Mes siguiente</translation>
    </message>
    <message>
        <source>Month before</source>
        <translation>Mes anterior</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notas</translation>
    </message>
    <message>
        <source>Open the daily note</source>
        <translation>Abrir la nota diaria</translation>
    </message>
    <message>
        <source>Show conversations of this day</source>
        <translation>Mostrar conversaciones de este día</translation>
    </message>
    <message>
        <source>Show notes of this day</source>
        <translation>Mostrar notas de este día</translation>
    </message>
    <message>
        <source>{month}, go to today</source>
        <translation>{month}, ir a hoy</translation>
    </message>
</context>
<context>
    <name>DecryptionForm</name>
    <message>
        <source>Decrypt them</source>
        <translation>Descifrar</translation>
    </message>
    <message>
        <source>Keep them encrypted</source>
        <translation>Dejar cifrados</translation>
    </message>
</context>
<context>
    <name>DesktopPanel</name>
    <message>
        <source>Command of quick capture</source>
        <translation>Comando de captura rápida</translation>
    </message>
    <message>
        <source>It starts in the tray, where your agents reach it.</source>
        <translation>Se inicia en la bandeja del sistema, donde tus agentes pueden acceder a él.</translation>
    </message>
    <message>
        <source>It starts in the tray, where your agents reach it. No window opens.</source>
        <translation>Se inicia en la bandeja del sistema, donde tus agentes pueden acceder a él. No se abre ninguna ventana.</translation>
    </message>
    <message>
        <source>Quick capture by a command</source>
        <translation>Captura rápida con un comando</translation>
    </message>
    <message>
        <source>Start Keepsake when you log in</source>
        <translation>Iniciar Keepsake al iniciar sesión</translation>
    </message>
    <message>
        <source>Start at login, autostart, quick capture, global shortcut</source>
        <translation>Iniciar al iniciar sesión, inicio automático, captura rápida, atajo global</translation>
    </message>
    <message>
        <source>Where your desktop grants no shortcuts to programs, add one in its settings with this command:</source>
        <translation>Si tu escritorio no concede atajos a los programas, añade uno en sus ajustes con este comando:</translation>
    </message>
    <message>
        <source>‘keepsake capture TEXT’ saves a note at once, without a window.</source>
        <translation>«keepsake capture TEXT» guarda una nota al momento, sin ventana.</translation>
    </message>
</context>
<context>
    <name>DeviceForm</name>
    <message>
        <source>A PostgreSQL database, a WebDAV folder such as one of Nextcloud, or S3 storage, each with its login. The help page shows what the address of each looks like.</source>
        <translation>Una base de datos PostgreSQL, una carpeta WebDAV como las de Nextcloud, o almacenamiento S3, cada uno con sus datos de acceso. La página de ayuda muestra cómo es la dirección de cada uno.</translation>
    </message>
    <message>
        <source>A folder, or postgresql://…, https://… or s3://… with the login</source>
        <translation>Una carpeta, o postgresql://…, https://… o s3://… con las credenciales</translation>
    </message>
    <message>
        <source>Add a machine</source>
        <translation>Añadir un equipo</translation>
    </message>
    <message>
        <source>Add a machine until {time}</source>
        <translation>Añadir un equipo hasta las {time}</translation>
    </message>
    <message>
        <source>Another name for this machine</source>
        <translation>Otro nombre para este equipo</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Choose the folder where your machines meet</source>
        <translation>Elige la carpeta donde se encuentran tus equipos</translation>
    </message>
    <message>
        <source>Choose the folder…</source>
        <translation>Elegir la carpeta…</translation>
    </message>
    <message>
        <source>Copy the words</source>
        <translation>Copiar las palabras</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Listo</translation>
    </message>
    <message>
        <source>From the other machine, in their order</source>
        <translation>Del otro equipo, en su orden</translation>
    </message>
    <message>
        <source>Invitation (*.{suffix})</source>
        <translation>Invitación (*.{suffix})</translation>
    </message>
    <message>
        <source>It reads nothing that is written from now on. What it has already, it keeps: nobody can erase it from afar. If it was stolen, change the password of the server or folder too.</source>
        <translation>No leerá nada de lo que se escriba desde ahora. Lo que ya tiene lo conserva: nadie puede borrarlo a distancia. Si lo robaron, cambia también la contraseña del servidor o de la carpeta.</translation>
    </message>
    <message>
        <source>Join</source>
        <translation>Unirse</translation>
    </message>
    <message>
        <source>Join your other machines</source>
        <translation>Unirse a tus otros equipos</translation>
    </message>
    <message>
        <source>Name of the machine</source>
        <translation>Nombre del equipo</translation>
    </message>
    <message>
        <source>On a machine that shares already, choose “Add a machine…”, and type its twelve words here. Name the folder where it is on this machine, or the same server, which you can take from the file that was saved there.</source>
        <translation>En un equipo que ya comparte, elige «Añadir un equipo…» y escribe aquí sus doce palabras. Indica la carpeta donde está en este equipo, o el mismo servidor, que puedes tomar del archivo guardado allí.</translation>
    </message>
    <message>
        <source>On the new machine, choose “Join my other machines…” and type these words. They count once, and end when Keepsake is closed here. Then come back here and let it in.</source>
        <translation>En el equipo nuevo, elige «Unirme a mis otros equipos…» y escribe estas palabras. Valen una sola vez y terminan cuando Keepsake se cierra aquí. Después vuelve aquí y déjalo entrar.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Quitar</translation>
    </message>
    <message>
        <source>Remove {machine}?</source>
        <translation>¿Quitar {machine}?</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Cambiar el nombre</translation>
    </message>
    <message>
        <source>Save the address</source>
        <translation>Guardar la dirección</translation>
    </message>
    <message>
        <source>Save the address as a file…</source>
        <translation>Guardar la dirección en un archivo…</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Compartir</translation>
    </message>
    <message>
        <source>Share through a server</source>
        <translation>Compartir a través de un servidor</translation>
    </message>
    <message>
        <source>Stop sharing</source>
        <translation>Dejar de compartir</translation>
    </message>
    <message>
        <source>Stop sharing from this machine?</source>
        <translation>¿Dejar de compartir desde este equipo?</translation>
    </message>
    <message>
        <source>Such as laptop</source>
        <translation>Por ejemplo, portátil</translation>
    </message>
    <message>
        <source>Take the address from a file</source>
        <translation>Tomar la dirección de un archivo</translation>
    </message>
    <message>
        <source>Take the address from a file…</source>
        <translation>Tomar la dirección de un archivo…</translation>
    </message>
    <message>
        <source>The ten minutes of these words are over. Choose “Add a machine…” for others.</source>
        <translation>Los diez minutos de estas palabras han pasado. Elige «Añadir un equipo…» para obtener otras.</translation>
    </message>
    <message>
        <source>This machine and the others keep all that they have. You can join again at any time.</source>
        <translation>Este equipo y los demás conservan todo lo que tienen. Puedes volver a unirte en cualquier momento.</translation>
    </message>
    <message>
        <source>Twelve words</source>
        <translation>Doce palabras</translation>
    </message>
    <message>
        <source>Where they meet</source>
        <translation>Dónde se encuentran</translation>
    </message>
    <message>
        <source>Words of the invitation</source>
        <translation>Palabras de la invitación</translation>
    </message>
</context>
<context>
    <name>DevicesPanel</name>
    <message>
        <source>1 change behind</source>
        <translation>1 cambio por detrás</translation>
    </message>
    <message>
        <source>1 memory or conversation that is here is gone there. If you did that, let it go here too.</source>
        <translation>1 recuerdo o conversación que está aquí ya no está allí. Si lo hiciste tú, deja que desaparezca también aquí.</translation>
    </message>
    <message>
        <source>Add a machine…</source>
        <translation>Añadir un equipo…</translation>
    </message>
    <message>
        <source>All was exchanged at {time}.</source>
        <translation>Todo se intercambió a las {time}.</translation>
    </message>
    <message>
        <source>All your machines have forgotten what was erased for ever.</source>
        <translation>Todos tus equipos han olvidado lo que se borró para siempre.</translation>
    </message>
    <message>
        <source>Exchange now</source>
        <translation>Intercambiar ahora</translation>
    </message>
    <message>
        <source>Exchanging…</source>
        <translation>Intercambiando…</translation>
    </message>
    <message>
        <source>Has 1 thing still to erase</source>
        <translation>Aún debe borrar 1 cosa</translation>
    </message>
    <message>
        <source>Has all that is here</source>
        <translation>Tiene todo lo que hay aquí</translation>
    </message>
    <message>
        <source>Has {n} things still to erase</source>
        <translation>Aún debe borrar {n} cosas</translation>
    </message>
    <message>
        <source>Heard of</source>
        <translation>Última noticia</translation>
    </message>
    <message>
        <source>If you typed the words there yourself, let it in. It then holds your whole memory.</source>
        <translation>Si tú mismo escribiste allí las palabras, déjalo entrar. Entonces tendrá toda tu memoria.</translation>
    </message>
    <message>
        <source>Join my other machines…</source>
        <translation>Unirme a mis otros equipos…</translation>
    </message>
    <message>
        <source>Leaving…</source>
        <translation>Saliendo…</translation>
    </message>
    <message>
        <source>Let it in</source>
        <translation>Dejar entrar</translation>
    </message>
    <message>
        <source>Letting it in…</source>
        <translation>Dejándolo entrar…</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>Equipo</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>Equipos</translation>
    </message>
    <message>
        <source>Making the words…</source>
        <translation>Creando las palabras…</translation>
    </message>
    <message>
        <source>Much was removed on another machine</source>
        <translation>En otro equipo se quitaron muchas cosas</translation>
    </message>
    <message>
        <source>Not heard of yet</source>
        <translation>Aún sin noticias</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>Ahora no</translation>
    </message>
    <message>
        <source>Nothing was exchanged yet since Keepsake was started.</source>
        <translation>Aún no se ha intercambiado nada desde que se inició Keepsake.</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausar</translation>
    </message>
    <message>
        <source>Paused: nothing is exchanged. What you write goes out when you resume.</source>
        <translation>En pausa: no se intercambia nada. Lo que escribas saldrá cuando reanudes.</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Progreso</translation>
    </message>
    <message>
        <source>Refuse</source>
        <translation>Rechazar</translation>
    </message>
    <message>
        <source>Remove it here too</source>
        <translation>Quitarlo también aquí</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>Quitar…</translation>
    </message>
    <message>
        <source>Removing it…</source>
        <translation>Quitándolo…</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>Cambiar el nombre…</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Reanudar</translation>
    </message>
    <message>
        <source>Runs 1 schedule for all</source>
        <translation>Ejecuta 1 programación para todos</translation>
    </message>
    <message>
        <source>Runs {n} schedules for all</source>
        <translation>Ejecuta {n} programaciones para todos</translation>
    </message>
    <message>
        <source>Share through a folder…</source>
        <translation>Compartir a través de una carpeta…</translation>
    </message>
    <message>
        <source>Share through a server…</source>
        <translation>Compartir a través de un servidor…</translation>
    </message>
    <message>
        <source>Sharing…</source>
        <translation>Compartiendo…</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Estado</translation>
    </message>
    <message>
        <source>Stop sharing…</source>
        <translation>Dejar de compartir…</translation>
    </message>
    <message>
        <source>Waiting until the other machine lets this one in…</source>
        <translation>Esperando a que el otro equipo deje entrar a este…</translation>
    </message>
    <message>
        <source>Your machines meet at {place}.</source>
        <translation>Tus equipos se encuentran en {place}.</translation>
    </message>
    <message>
        <source>Your memory lives on this machine alone. Each of your machines can hold all of it, work without a network, and meet the others through a folder that a program such as Syncthing or Dropbox keeps the same everywhere, or through a server. What lies there is sealed: only your machines can read it.</source>
        <translation>Tu memoria vive solo en este equipo. Cada uno de tus equipos puede tenerla entera, trabajar sin red y encontrarse con los demás a través de una carpeta que un programa como Syncthing o Dropbox mantiene igual en todas partes, o a través de un servidor. Lo que hay allí está sellado: solo tus equipos pueden leerlo.</translation>
    </message>
    <message>
        <source>{name} (this machine)</source>
        <translation>{name} (este equipo)</translation>
    </message>
    <message>
        <source>{name} asks to come in</source>
        <translation>{name} pide entrar</translation>
    </message>
    <message>
        <source>{n} changes behind</source>
        <translation>{n} cambios por detrás</translation>
    </message>
    <message>
        <source>{n} memories and conversations that are here are gone there. If you did that, let them go here too; until then, all stays here.</source>
        <translation>{n} recuerdos y conversaciones que están aquí ya no están allí. Si lo hiciste tú, deja que desaparezcan también aquí; hasta entonces, aquí se queda todo.</translation>
    </message>
</context>
<context>
    <name>DiagnosticsPanel</name>
    <message>
        <source>Check the vault now</source>
        <translation>Comprobar la bóveda ahora</translation>
    </message>
    <message>
        <source>Copied. It holds versions, counts and errors, and nothing you wrote.</source>
        <translation>Copiado. Contiene versiones, recuentos y errores, y nada de lo que escribiste.</translation>
    </message>
    <message>
        <source>Copy debug information</source>
        <translation>Copiar datos de diagnóstico</translation>
    </message>
    <message>
        <source>Engine and database, of these</source>
        <translation>De ello, motor y base de datos</translation>
    </message>
    <message>
        <source>Facts</source>
        <translation>Hechos</translation>
    </message>
    <message>
        <source>Filter the log</source>
        <translation>Filtrar el registro</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Registro</translation>
    </message>
    <message>
        <source>Milliseconds</source>
        <translation>Milisegundos</translation>
    </message>
    <message>
        <source>Open the vault&apos;s folder</source>
        <translation>Abrir la carpeta de la bóveda</translation>
    </message>
    <message>
        <source>Program loaded</source>
        <translation>Programa cargado</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Progreso</translation>
    </message>
    <message>
        <source>Reading all of the vault…</source>
        <translation>Leyendo toda la bóveda…</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>Reparar</translation>
    </message>
    <message>
        <source>Repairing…</source>
        <translation>Reparando…</translation>
    </message>
    <message>
        <source>Result of the check</source>
        <translation>Resultado de la comprobación</translation>
    </message>
    <message>
        <source>Start-up times</source>
        <translation>Tiempos de inicio</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Paso</translation>
    </message>
    <message>
        <source>The vault is sound.</source>
        <translation>La bóveda está en buen estado.</translation>
    </message>
    <message>
        <source>The vault is sound. Everything in it was read.</source>
        <translation>La bóveda está en buen estado. Se leyó todo su contenido.</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Hora</translation>
    </message>
    <message>
        <source>Vault open</source>
        <translation>Bóveda abierta</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Qué</translation>
    </message>
    <message>
        <source>Window filled</source>
        <translation>Contenido en la ventana</translation>
    </message>
    <message>
        <source>Window on the screen</source>
        <translation>Ventana en pantalla</translation>
    </message>
</context>
<context>
    <name>DialogRegistry</name>
    <message>
        <source>Keep running</source>
        <translation>Seguir en marcha</translation>
    </message>
    <message>
        <source>Keep running?</source>
        <translation>¿Seguir en marcha?</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Salir</translation>
    </message>
    <message>
        <source>Settings can change this.</source>
        <translation>Se puede cambiar en los ajustes.</translation>
    </message>
    <message>
        <source>Should Keepsake keep running in the tray when its window is closed?</source>
        <translation>¿Debe Keepsake seguir en la bandeja del sistema cuando se cierra su ventana?</translation>
    </message>
    <message>
        <source>Should Keepsake keep running, hidden, when its window is closed?</source>
        <translation>¿Debe Keepsake seguir en marcha, oculto, cuando se cierra su ventana?</translation>
    </message>
    <message>
        <source>Start Keepsake again to see the window. Settings can change this.</source>
        <translation>Inicia Keepsake de nuevo para ver la ventana. Se puede cambiar en los ajustes.</translation>
    </message>
    <message>
        <source>Your agents can then go on using it, and quick capture stays at hand.</source>
        <translation>Así tus agentes pueden seguir usándolo y la captura rápida queda a mano.</translation>
    </message>
</context>
<context>
    <name>Document</name>
    <message>
        <source>1 word</source>
        <translation>1 palabra</translation>
    </message>
    <message>
        <source>Add a tag</source>
        <translation>Añadir una etiqueta</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Eliminar</translation>
    </message>
    <message>
        <source>Links and history</source>
        <translation>Enlaces e historial</translation>
    </message>
    <message>
        <source>More to do with this note</source>
        <translation>Más acciones con esta nota</translation>
    </message>
    <message>
        <source>New note</source>
        <translation>Nueva nota</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Fijar</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Vista previa</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Leer</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Restaurar</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Texto</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>Título</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>Escribir</translation>
    </message>
    <message>
        <source>Write and preview side by side</source>
        <translation>Escritura y vista previa lado a lado</translation>
    </message>
    <message>
        <source>Write in Markdown. [[ links to a note, # adds a tag, a picture or file dropped here is attached.</source>
        <translation>Escribe en Markdown. [[ enlaza una nota, # añade una etiqueta, una imagen o archivo que sueltes aquí se adjunta.</translation>
    </message>
    <message>
        <source>deleted</source>
        <translation>eliminada</translation>
    </message>
    <message>
        <source>{n} words</source>
        <translation>{n} palabras</translation>
    </message>
</context>
<context>
    <name>EditorController</name>
    <message>
        <source>Editing…</source>
        <translation>Editando…</translation>
    </message>
    <message>
        <source>Keep both</source>
        <translation>Conservar ambos</translation>
    </message>
    <message>
        <source>Keep mine</source>
        <translation>Conservar la mía</translation>
    </message>
    <message>
        <source>Not saved: changed elsewhere</source>
        <translation>Sin guardar: cambió en otro lugar</translation>
    </message>
    <message>
        <source>Not saved: {why}</source>
        <translation>Sin guardar: {why}</translation>
    </message>
    <message>
        <source>Restore this version</source>
        <translation>Restaurar esta versión</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Guardado</translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation>Guardando…</translation>
    </message>
    <message>
        <source>Somebody else</source>
        <translation>Otra persona</translation>
    </message>
    <message>
        <source>Take theirs</source>
        <translation>Usar la otra</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Sin título</translation>
    </message>
    <message>
        <source>What has changed since the version of {when} by {who}</source>
        <translation>Lo que ha cambiado desde la versión del {when} de {who}</translation>
    </message>
    <message>
        <source>{title} (my version)</source>
        <translation>{title} (mi versión)</translation>
    </message>
    <message>
        <source>{who} changed this note while you were writing. Nothing is lost: lines with + are yours, lines with − are theirs.</source>
        <translation>{who} cambió esta nota mientras escribías. No se ha perdido nada: las líneas con + son tuyas, las líneas con − son las otras.</translation>
    </message>
</context>
<context>
    <name>EmptyState</name>
    <message>
        <source>Loading…</source>
        <translation>Cargando…</translation>
    </message>
    <message>
        <source>This could not be loaded</source>
        <translation>No se pudo cargar</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Reintentar</translation>
    </message>
</context>
<context>
    <name>EncryptionPanel</name>
    <message>
        <source>Anyone who is logged in to this account can then open your memories. A lock still asks for it.</source>
        <translation>Cualquiera con sesión iniciada en esta cuenta podrá abrir tus recuerdos. Tras un bloqueo se sigue pidiendo.</translation>
    </message>
    <message>
        <source>Call it off</source>
        <translation>Anular</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Cambiar</translation>
    </message>
    <message>
        <source>Change the passphrase</source>
        <translation>Cambiar la frase de contraseña</translation>
    </message>
    <message>
        <source>Change the passphrase…</source>
        <translation>Cambiar la frase de contraseña…</translation>
    </message>
    <message>
        <source>Choose a passphrase</source>
        <translation>Elige una frase de contraseña</translation>
    </message>
    <message>
        <source>Decrypt and restart</source>
        <translation>Descifrar y reiniciar</translation>
    </message>
    <message>
        <source>Decrypt your memories</source>
        <translation>Descifrar tus recuerdos</translation>
    </message>
    <message>
        <source>Decrypt…</source>
        <translation>Descifrar…</translation>
    </message>
    <message>
        <source>Encrypt and restart</source>
        <translation>Cifrar y reiniciar</translation>
    </message>
    <message>
        <source>Encrypt…</source>
        <translation>Cifrar…</translation>
    </message>
    <message>
        <source>I know that nobody can bring a forgotten passphrase back.</source>
        <translation>Sé que nadie puede recuperar una frase de contraseña olvidada.</translation>
    </message>
    <message>
        <source>It counts at once. Older copies of the folder still open with the old one.</source>
        <translation>Vale de inmediato. Las copias anteriores de la carpeta siguen abriéndose con la anterior.</translation>
    </message>
    <message>
        <source>Keep the key in the keyring</source>
        <translation>Guardar la clave en el llavero</translation>
    </message>
    <message>
        <source>Keepsake starts again and decrypts every file. Anyone who can read this disk can then read them.</source>
        <translation>Keepsake se reinicia y descifra todos los archivos. Cualquiera que pueda leer este disco podrá leerlos.</translation>
    </message>
    <message>
        <source>Lock now</source>
        <translation>Bloquear ahora</translation>
    </message>
    <message>
        <source>New passphrase</source>
        <translation>Nueva frase de contraseña</translation>
    </message>
    <message>
        <source>Open without the passphrase</source>
        <translation>Abrir sin la frase de contraseña</translation>
    </message>
    <message>
        <source>Open without the passphrase on this account, with the system&apos;s keyring</source>
        <translation>Abrir en esta cuenta sin la frase de contraseña, con el llavero del sistema</translation>
    </message>
    <message>
        <source>Passphrase</source>
        <translation>Frase de contraseña</translation>
    </message>
    <message>
        <source>Restart now</source>
        <translation>Reiniciar ahora</translation>
    </message>
    <message>
        <source>The same again</source>
        <translation>La misma otra vez</translation>
    </message>
    <message>
        <source>Write it down where only you find it. Keepsake then starts again and encrypts every file, for which the disk needs room for a second copy of the largest one for a while.</source>
        <translation>Anótala donde solo tú la encuentres. Keepsake se reinicia y cifra todos los archivos; durante un rato el disco necesita espacio para una segunda copia del mayor.</translation>
    </message>
    <message>
        <source>Your memories are encrypted: the database, attachments, backups and caches. While Keepsake is locked, no schedule runs and no agent gets in.</source>
        <translation>Tus recuerdos están cifrados: la base de datos, los adjuntos, las copias de seguridad y las cachés. Mientras Keepsake está bloqueado, no se ejecuta ninguna programación ni entra ningún agente.</translation>
    </message>
    <message>
        <source>Your memories are not encrypted, and this installation of Keepsake cannot encrypt them. The help says how to install it with encryption.</source>
        <translation>Tus recuerdos no están cifrados y esta instalación de Keepsake no puede cifrarlos. La ayuda explica cómo instalarla con cifrado.</translation>
    </message>
    <message>
        <source>Your memories are not encrypted: anyone who can read this disk can read them. With a passphrase, the database, attachments, backups and caches are encrypted.</source>
        <translation>Tus recuerdos no están cifrados: cualquiera que pueda leer este disco puede leerlos. Con una frase de contraseña se cifran la base de datos, los adjuntos, las copias de seguridad y las cachés.</translation>
    </message>
    <message>
        <source>Your memories will be decrypted when Keepsake starts again.</source>
        <translation>Tus recuerdos se descifrarán cuando Keepsake se inicie de nuevo.</translation>
    </message>
    <message>
        <source>Your memories will be encrypted when Keepsake starts again. It then asks for the passphrase.</source>
        <translation>Tus recuerdos se cifrarán cuando Keepsake se inicie de nuevo. Entonces pedirá la frase de contraseña.</translation>
    </message>
</context>
<context>
    <name>Engine</name>
    <message>
        <source>#{tag} stands in the text of a note, where &apos;{new}&apos; cannot. Choose a name without blanks and punctuation.</source>
        <translation>#{tag} está en el texto de una nota, donde «{new}» no puede estar. Elige un nombre sin espacios ni puntuación.</translation>
    </message>
    <message>
        <source>&apos;before&apos; must be later than &apos;after&apos;, by 62 days at most.</source>
        <translation>«before» debe ser posterior a «after», como máximo 62 días.</translation>
    </message>
    <message>
        <source>&apos;channel&apos; may have at most {max_name_characters} characters.</source>
        <translation>«channel» puede tener como máximo {max_name_characters} caracteres.</translation>
    </message>
    <message>
        <source>&apos;data&apos; must be the bytes of a file in base64.</source>
        <translation>«data» deben ser los bytes de un archivo en base64.</translation>
    </message>
    <message>
        <source>&apos;importance&apos; must be between 0 and 1.</source>
        <translation>«importance» debe estar entre 0 y 1.</translation>
    </message>
    <message>
        <source>&apos;key&apos; must have 1 to {most} ordinary characters, without control characters.</source>
        <translation>«key» debe tener de 1 a {most} caracteres normales, sin caracteres de control.</translation>
    </message>
    <message>
        <source>&apos;limit&apos; must be 1 to {most}, &apos;offset&apos; 0 or more, &apos;per_session&apos; 1 or more.</source>
        <translation>«limit» debe ser de 1 a {most}, «offset» al menos 0 y «per_session» al menos 1.</translation>
    </message>
    <message>
        <source>&apos;limit&apos; must be 1 to {most}, &apos;per_session&apos; 1 or more.</source>
        <translation>«limit» debe ser de 1 a {most} y «per_session» al menos 1.</translation>
    </message>
    <message>
        <source>&apos;llm.base_url&apos; is no address.</source>
        <translation>«llm.base_url» no es una dirección.</translation>
    </message>
    <message>
        <source>&apos;offset&apos; is 0 or more, &apos;length&apos; from 1 to {most}.</source>
        <translation>«offset» es al menos 0 y «length» de 1 a {most}.</translation>
    </message>
    <message>
        <source>&apos;path&apos; must name the transcript, in 1 to {most} ordinary characters.</source>
        <translation>«path» debe nombrar la transcripción, con 1 a {most} caracteres corrientes.</translation>
    </message>
    <message>
        <source>&apos;query_embedding&apos; must be {dimensions} finite numbers, not all 0, by the model of the index.</source>
        <translation>«query_embedding» debe constar de {dimensions} números finitos, no todos 0, del modelo del índice.</translation>
    </message>
    <message>
        <source>&apos;questions&apos; must be from 1 to {most}.</source>
        <translation>«questions» debe estar entre 1 y {most}.</translation>
    </message>
    <message>
        <source>&apos;status&apos; must be succeeded or failed.</source>
        <translation>«status» debe ser «succeeded» o «failed».</translation>
    </message>
    <message>
        <source>&apos;upper_seq&apos; must be from 0 to {last_seq}, the last message.</source>
        <translation>«upper_seq» debe ir de 0 a {last_seq}, el último mensaje.</translation>
    </message>
    <message>
        <source>&apos;weight&apos; must be a positive number.</source>
        <translation>«weight» debe ser un número positivo.</translation>
    </message>
    <message>
        <source>&apos;{clean}&apos; is a name of Keepsake&apos;s own. Choose another for the agent.</source>
        <translation>«{clean}» es un nombre propio de Keepsake. Elige otro para el agente.</translation>
    </message>
    <message>
        <source>&apos;{field}&apos; is no time. Write it like one of these: {examples}.</source>
        <translation>«{field}» no es una fecha u hora. Escríbela como una de estas: {examples}.</translation>
    </message>
    <message>
        <source>&apos;{field}&apos; must have 1 to {max_name_characters} ordinary characters.</source>
        <translation>«{field}» debe tener de 1 a {max_name_characters} caracteres normales.</translation>
    </message>
    <message>
        <source>&apos;{field}&apos; must not contain control characters. Leave them out.</source>
        <translation>«{field}» no puede contener caracteres de control. Quítalos.</translation>
    </message>
    <message>
        <source>&apos;{imported}&apos; is not a type of entities.</source>
        <translation>«{imported}» no es un tipo de nombres.</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; is not a table, so nothing can be added to it.</source>
        <translation>«{key}» no es una tabla, así que no se le puede añadir nada.</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; is not one of its names.</source>
        <translation>«{key}» no es uno de sus nombres.</translation>
    </message>
    <message>
        <source>&apos;{longest}&apos; would be longer than the {max_tag_length} characters of a tag. Choose a shorter name.</source>
        <translation>«{longest}» superaría los {max_tag_length} caracteres de una etiqueta. Elige un nombre más corto.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; and &apos;{other}&apos; are both 0, so the recipe &apos;weighted&apos; puts nothing before anything.</source>
        <translation>«{name}» y «{other}» son ambos 0, así que la receta «weighted» no ordena nada.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; and &apos;{other}&apos; come to {total}, not to 1; only their ratio counts.</source>
        <translation>«{name}» y «{other}» suman {total}, no 1; solo cuenta su proporción.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; cannot be proposed in a database. Read its tables there.</source>
        <translation>«{name}» no se puede proponer en una base de datos. Allí se leen las tablas.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has access already. If this is the same program, which needs a new token, allow it with &apos;replace_token&apos; (on the command line --replace-token): it keeps its trust, and the token so far ends. Refuse it if it is another program.</source>
        <translation>«{name}» ya tiene acceso. Si es el mismo programa y necesita un token nuevo, permítelo con «replace_token» (en la línea de órdenes, --replace-token): conserva su confianza y el token anterior deja de valer. Si es otro programa, recházalo.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no effect on a model of this machine.</source>
        <translation>«{name}» no tiene efecto en un modelo de este equipo.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no effect, as both prices are 0 and so nothing is counted as cost.</source>
        <translation>«{name}» no tiene efecto, pues ambos precios son 0 y nada se cuenta como coste.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; in {file} has a value, but is a section.</source>
        <translation>«{name}» tiene un valor en {file}, pero es una sección.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is above &apos;{other}&apos;: an emergency would leave more messages than a usual compaction.</source>
        <translation>«{name}» es mayor que «{other}»: en una emergencia quedarían más mensajes que en una compactación normal.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is below &apos;{other}&apos;, so no reflection is ever written.</source>
        <translation>«{name}» es menor que «{other}», así que nunca se escribe una reflexión.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is below &apos;{other}&apos;, so nothing is ever compressed.</source>
        <translation>«{name}» es menor que «{other}», así que nunca se comprime nada.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is below &apos;{other}&apos;, so one run may take the budget of the whole month.</source>
        <translation>«{name}» es menor que «{other}», así que una ejecución puede gastar el presupuesto de todo el mes.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is below &apos;{other}&apos;: some messages that a compaction leaves are never given to agents.</source>
        <translation>«{name}» es menor que «{other}»: algunos mensajes que deja una compactación nunca llegan a los agentes.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is empty, but &apos;{compatible}&apos; needs it.</source>
        <translation>«{name}» está vacío, pero «{compatible}» lo necesita.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is empty, so no language model is asked.</source>
        <translation>«{name}» está vacío, así que no se pregunta a ningún modelo de lenguaje.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is for the person&apos;s own programs, not for agents.</source>
        <translation>«{name}» es para los programas propios de la persona, no para los agentes.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is no address.</source>
        <translation>«{name}» no es una dirección.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is no whole path, so it means another folder wherever Keepsake starts.</source>
        <translation>«{name}» no es una ruta completa, así que significa otra carpeta según dónde se inicie Keepsake.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not above &apos;{other}&apos;: observations are archived before they are compressed.</source>
        <translation>«{name}» no es mayor que «{other}»: las observaciones se archivan antes de comprimirse.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not above &apos;{other}&apos;: the archive would be emptied as fast as it fills.</source>
        <translation>«{name}» no es mayor que «{other}»: el archivo se vaciaría tan rápido como se llena.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not below &apos;{other}&apos;, so condensing would begin again as soon as it ends.</source>
        <translation>«{name}» no es menor que «{other}», así que la condensación volvería a empezar nada más acabar.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not below &apos;{other}&apos;: a fact that a newer one contradicts is set aside at once.</source>
        <translation>«{name}» no es menor que «{other}»: un hecho contradicho por otro más nuevo se aparta de inmediato.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is set by {where} and cannot be changed here.</source>
        <translation>«{name}» está fijado por {where} y no se puede cambiar aquí.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; must be from {least} to {most}.</source>
        <translation>«{name}» debe estar entre {least} y {most}.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; must be {allowed}{but}.</source>
        <translation>«{name}» debe ser {allowed}{but}.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; names a provider that Keepsake does not know.</source>
        <translation>«{name}» indica un proveedor que Keepsake no conoce.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; names no folder of this machine.</source>
        <translation>«{name}» no indica ninguna carpeta de este equipo.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; names the provider &apos;{provider}&apos; but no model.</source>
        <translation>«{name}» indica el proveedor «{provider}», pero ningún modelo.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; needs {needed} trust; {agent} has {held}.</source>
        <translation>«{name}» exige confianza {needed}; {agent} tiene {held}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be removed: {strerror}.</source>
        <translation>«{path}» no se puede quitar: {strerror}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be written: {strerror}.</source>
        <translation>No se puede escribir en «{path}»: {strerror}.</translation>
    </message>
    <message>
        <source>&apos;{provider}&apos; takes no model name.</source>
        <translation>«{provider}» no admite nombre de modelo.</translation>
    </message>
    <message>
        <source>&apos;{section}&apos; in {path} is not a section. Correct it there, then set &apos;{name}&apos; again.</source>
        <translation>«{section}» en {path} no es una sección. Corrígelo allí y vuelve a fijar «{name}».</translation>
    </message>
    <message>
        <source>, not {shown}</source>
        <translation>, no {shown}</translation>
    </message>
    <message>
        <source>-on: cannot be searched, so nothing matches; use before: or after: instead.</source>
        <translation>-on: no se puede buscar, así que nada coincide; usa before: o after: en su lugar.</translation>
    </message>
    <message>
        <source>1 Markdown file</source>
        <translation>1 archivo Markdown</translation>
    </message>
    <message>
        <source>1 agent or conversation stores mostly what is deleted or rejected.</source>
        <translation>1 agente o conversación guarda sobre todo lo que se borra o rechaza.</translation>
    </message>
    <message>
        <source>1 agent tries to store again what it has just recalled.</source>
        <translation>1 agente intenta guardar de nuevo lo que acaba de recordar.</translation>
    </message>
    <message>
        <source>1 attached file that no note shows was left out.</source>
        <translation>Se omitió 1 archivo adjunto que ninguna nota muestra.</translation>
    </message>
    <message>
        <source>1 call was lost.</source>
        <translation>Se perdió 1 llamada.</translation>
    </message>
    <message>
        <source>1 conversation</source>
        <translation>1 conversación</translation>
    </message>
    <message>
        <source>1 conversation waits for it.</source>
        <translation>1 conversación lo espera.</translation>
    </message>
    <message>
        <source>1 conversation waits for the language model: {why}</source>
        <translation>1 conversación espera al modelo de lenguaje: {why}</translation>
    </message>
    <message>
        <source>1 day</source>
        <translation>1 día</translation>
    </message>
    <message>
        <source>1 digest</source>
        <translation>1 resumen</translation>
    </message>
    <message>
        <source>1 encrypted passage was left out. Decrypt the text in Evernote, and export the note again.</source>
        <translation>Se omitió 1 pasaje cifrado. Descifra el texto en Evernote y exporta la nota de nuevo.</translation>
    </message>
    <message>
        <source>1 entity is mentioned nowhere.</source>
        <translation>1 nombre no se menciona en ninguna parte.</translation>
    </message>
    <message>
        <source>1 entry of another Google product was left out.</source>
        <translation>Se omitió 1 entrada de otro producto de Google.</translation>
    </message>
    <message>
        <source>1 fact</source>
        <translation>1 hecho</translation>
    </message>
    <message>
        <source>1 fact contradicts others of the same category and key.</source>
        <translation>1 hecho contradice a otros de la misma categoría y clave.</translation>
    </message>
    <message>
        <source>1 fact is stale.</source>
        <translation>1 hecho está anticuado.</translation>
    </message>
    <message>
        <source>1 faded fact is kept for now, because a run and a month may set aside only a share of the facts.</source>
        <translation>1 hecho desvanecido se conserva por ahora, porque una ejecución y un mes solo pueden apartar una parte de los hechos.</translation>
    </message>
    <message>
        <source>1 file</source>
        <translation>1 archivo</translation>
    </message>
    <message>
        <source>1 file of the archive is none of Joplin&apos;s and was left out.</source>
        <translation>1 archivo del paquete no es de Joplin y se omitió.</translation>
    </message>
    <message>
        <source>1 file that belongs to no note was left out.</source>
        <translation>Se omitió 1 archivo que no pertenece a ninguna nota.</translation>
    </message>
    <message>
        <source>1 file that is no ENEX was left out.</source>
        <translation>Se omitió 1 archivo que no es ENEX.</translation>
    </message>
    <message>
        <source>1 file that is not Markdown was left out ({kinds}).</source>
        <translation>Se omitió 1 archivo que no es Markdown ({kinds}).</translation>
    </message>
    <message>
        <source>1 file that no page shows was left out.</source>
        <translation>Se omitió 1 archivo que ninguna página muestra.</translation>
    </message>
    <message>
        <source>1 hidden folder was left out ({names}).</source>
        <translation>Se omitió 1 carpeta oculta ({names}).</translation>
    </message>
    <message>
        <source>1 inbox rule</source>
        <translation>1 regla de la bandeja</translation>
    </message>
    <message>
        <source>1 memory</source>
        <translation>1 recuerdo</translation>
    </message>
    <message>
        <source>1 memory or message has a password or key in clear.</source>
        <translation>1 recuerdo o mensaje tiene una contraseña o clave sin cifrar.</translation>
    </message>
    <message>
        <source>1 memory says nothing beyond another one.</source>
        <translation>1 recuerdo no dice nada que no diga otro.</translation>
    </message>
    <message>
        <source>1 mention of a person or thing stands in texts that are gone.</source>
        <translation>1 mención de una persona o cosa está en textos que ya no existen.</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 mensaje</translation>
    </message>
    <message>
        <source>1 message cannot be found by search.</source>
        <translation>1 mensaje no se puede encontrar con la búsqueda.</translation>
    </message>
    <message>
        <source>1 message could not be stored in the background. The last reason: {last}</source>
        <translation>No se pudo guardar 1 mensaje en segundo plano. El último motivo: {last}</translation>
    </message>
    <message>
        <source>1 message has no date; the time of the import stands in its place.</source>
        <translation>1 mensaje no tiene fecha; en su lugar figura la hora de la importación.</translation>
    </message>
    <message>
        <source>1 more file holds words and was left out.</source>
        <translation>Se omitió 1 archivo más que contiene texto.</translation>
    </message>
    <message>
        <source>1 more line begins with a date and a time and was read as part of a message.</source>
        <translation>1 línea más empieza con fecha y hora y se leyó como parte de un mensaje.</translation>
    </message>
    <message>
        <source>1 name</source>
        <translation>1 nombre</translation>
    </message>
    <message>
        <source>1 new fact</source>
        <translation>1 hecho nuevo</translation>
    </message>
    <message>
        <source>1 note</source>
        <translation>1 nota</translation>
    </message>
    <message>
        <source>1 note cannot be found by search.</source>
        <translation>1 nota no se puede encontrar con la búsqueda.</translation>
    </message>
    <message>
        <source>1 observation</source>
        <translation>1 observación</translation>
    </message>
    <message>
        <source>1 observation into one digest</source>
        <translation>1 observación en un resumen</translation>
    </message>
    <message>
        <source>1 of its observations is no text and was left out.</source>
        <translation>1 de sus observaciones no es texto y se omitió.</translation>
    </message>
    <message>
        <source>1 page has no text, such as scanned pages.</source>
        <translation>1 página no tiene texto, como las escaneadas.</translation>
    </message>
    <message>
        <source>1 picture was left out.</source>
        <translation>Se omitió 1 imagen.</translation>
    </message>
    <message>
        <source>1 place in it was not valid UTF-8 and was replaced with �.</source>
        <translation>1 lugar no era UTF-8 válido y se sustituyó por �.</translation>
    </message>
    <message>
        <source>1 private text is not sent to the embedding service and found by words only; the setting embedding.send_private changes that.</source>
        <translation>1 texto privado no se envía al servicio de incrustación y solo se encuentra por palabras; el ajuste embedding.send_private lo cambia.</translation>
    </message>
    <message>
        <source>1 proposal</source>
        <translation>1 propuesta</translation>
    </message>
    <message>
        <source>1 reflection</source>
        <translation>1 reflexión</translation>
    </message>
    <message>
        <source>1 saved search</source>
        <translation>1 búsqueda guardada</translation>
    </message>
    <message>
        <source>1 schedule</source>
        <translation>1 programación</translation>
    </message>
    <message>
        <source>1 search entry belongs to nothing.</source>
        <translation>1 entrada de búsqueda no pertenece a nada.</translation>
    </message>
    <message>
        <source>1 search entry has no vector and waits for none.</source>
        <translation>1 entrada de búsqueda no tiene vector y no espera ninguno.</translation>
    </message>
    <message>
        <source>1 search entry lacks its number of words, which search ranks by.</source>
        <translation>A 1 entrada de búsqueda le falta su número de palabras, por el que ordena la búsqueda.</translation>
    </message>
    <message>
        <source>1 sentence without sources left out.</source>
        <translation>Se omitió 1 frase sin fuentes.</translation>
    </message>
    <message>
        <source>1 session lacks the note of how far it is.</source>
        <translation>A 1 conversación le falta la nota de hasta dónde llega.</translation>
    </message>
    <message>
        <source>1 text</source>
        <translation>1 texto</translation>
    </message>
    <message>
        <source>1 text is not yet indexed for search by meaning.</source>
        <translation>1 texto aún no está indexado para la búsqueda por significado.</translation>
    </message>
    <message>
        <source>1 text that is gone waits to be read for names.</source>
        <translation>1 texto que ya no existe espera a que se lean sus nombres.</translation>
    </message>
    <message>
        <source>1 transcript</source>
        <translation>1 transcripción</translation>
    </message>
    <message>
        <source>1 vector belongs to nothing.</source>
        <translation>1 vector no pertenece a nada.</translation>
    </message>
    <message>
        <source>1 view of a database was left out; the whole tables hold their rows.</source>
        <translation>Se omitió 1 vista de una base de datos; las tablas completas contienen sus filas.</translation>
    </message>
    <message>
        <source>1 was set aside.</source>
        <translation>Se apartó 1.</translation>
    </message>
    <message>
        <source>1 would be set aside.</source>
        <translation>Se apartaría 1.</translation>
    </message>
    <message>
        <source>1 {things} was left out ({names}).</source>
        <translation>Se omitió 1 {things} ({names}).</translation>
    </message>
    <message>
        <source>A backup waits to be restored.</source>
        <translation>Una copia de seguridad espera a ser restaurada.</translation>
    </message>
    <message>
        <source>A backup waits to take the vault&apos;s place at the next start.</source>
        <translation>Una copia de seguridad espera para ocupar el lugar de la bóveda en el próximo inicio.</translation>
    </message>
    <message>
        <source>A built-in schedule cannot be deleted. Pause it instead.</source>
        <translation>Una programación integrada no se puede eliminar. Páusala en su lugar.</translation>
    </message>
    <message>
        <source>A capsule can be valid for 1 to {most} days.</source>
        <translation>Una cápsula puede ser válida de 1 a {most} días.</translation>
    </message>
    <message>
        <source>A capsule holds memories; something else in it was left out.</source>
        <translation>Una cápsula contiene recuerdos; otra cosa que había en ella se omitió.</translation>
    </message>
    <message>
        <source>A change to this vault was cut off, and undoing it needs a folder that can be written. Free some space, make the folder writable, or copy it to a place that is.</source>
        <translation>Un cambio en esta bóveda quedó interrumpido, y para deshacerlo hace falta una carpeta en la que se pueda escribir. Libera espacio, permite la escritura en la carpeta o cópiala a un lugar que la permita.</translation>
    </message>
    <message>
        <source>A confidence lies between 0 and 1.</source>
        <translation>Una confianza está entre 0 y 1.</translation>
    </message>
    <message>
        <source>A conversation that was left could not be consolidated: {why}</source>
        <translation>No se pudo consolidar una conversación que se dejó: {why}</translation>
    </message>
    <message>
        <source>A cron expression has five fields: minute, hour, day of month, month, day of week.</source>
        <translation>Una expresión cron tiene cinco campos: minuto, hora, día del mes, mes, día de la semana.</translation>
    </message>
    <message>
        <source>A decryption of these memories was requested, and not from this account of this computer. Nothing was decrypted. &apos;keepsake encryption decrypt&apos; has them decrypted, &apos;keepsake encryption encrypt&apos; keeps them encrypted; both ask for the passphrase.</source>
        <translation>Se pidió descifrar estos recuerdos, pero no desde esta cuenta de este equipo. No se descifró nada. «keepsake encryption decrypt» hace que se descifren; «keepsake encryption encrypt» los deja cifrados; ambos piden la frase de contraseña.</translation>
    </message>
    <message>
        <source>A draft may have at most {max_bytes} characters.</source>
        <translation>Un borrador puede tener como máximo {max_bytes} caracteres.</translation>
    </message>
    <message>
        <source>A fact cannot stand against itself; name two.</source>
        <translation>Un hecho no puede contradecirse a sí mismo; indica dos.</translation>
    </message>
    <message>
        <source>A fact that is set needs a key.</source>
        <translation>Un hecho que se fija necesita una clave.</translation>
    </message>
    <message>
        <source>A fact with a key needs a category too: give &apos;category&apos;, or leave &apos;key&apos; out.</source>
        <translation>Un hecho con clave necesita también una categoría: indica «category» u omite «key».</translation>
    </message>
    <message>
        <source>A file comes from a machine that is not in the list of your machines here. If you have just added one, wait until all files are copied; otherwise remove the file.</source>
        <translation>Un archivo viene de un equipo que aquí no figura en la lista de tus equipos. Si acabas de añadir uno, espera a que se copien todos los archivos; si no, quita el archivo.</translation>
    </message>
    <message>
        <source>A file in the folder belongs to another vault. Move it away.</source>
        <translation>Un archivo de la carpeta pertenece a otra bóveda. Muévelo a otro sitio.</translation>
    </message>
    <message>
        <source>A file in the folder stands in the place of another. Put it back, or remove it.</source>
        <translation>Un archivo de la carpeta ocupa el lugar de otro. Devuélvelo a su sitio o quítalo.</translation>
    </message>
    <message>
        <source>A file of another machine is missing, or one stands twice. Wait until the folder is complete.</source>
        <translation>Falta un archivo de otro equipo, o hay uno repetido. Espera a que la carpeta esté completa.</translation>
    </message>
    <message>
        <source>A file of this type cannot be attached; pack it into a zip file first.</source>
        <translation>Un archivo de este tipo no se puede adjuntar; comprímelo antes en un archivo zip.</translation>
    </message>
    <message>
        <source>A file that another machine left is damaged. Keepsake there writes it anew if the file is removed.</source>
        <translation>Un archivo que dejó otro equipo está dañado. Si lo quitas, Keepsake lo escribirá de nuevo desde allí.</translation>
    </message>
    <message>
        <source>A file that it shows ({name}) is not in the archive.</source>
        <translation>Un archivo que muestra ({name}) no está en el paquete.</translation>
    </message>
    <message>
        <source>A folder cannot be moved into itself.</source>
        <translation>Una carpeta no se puede mover dentro de sí misma.</translation>
    </message>
    <message>
        <source>A goal cannot have more trust than {agent} has.</source>
        <translation>Un objetivo no puede tener más confianza que {agent}.</translation>
    </message>
    <message>
        <source>A goal has 1 to {max_goal} characters.</source>
        <translation>Un objetivo tiene de 1 a {max_goal} caracteres.</translation>
    </message>
    <message>
        <source>A judged query has 1 to {most} characters.</source>
        <translation>Una búsqueda valorada tiene de 1 a {most} caracteres.</translation>
    </message>
    <message>
        <source>A key of {service} belongs to its address; set {section}.base_url first.</source>
        <translation>Una clave de {service} va ligada a su dirección; establece antes {section}.base_url.</translation>
    </message>
    <message>
        <source>A language model reads them; which facts it finds shows after the run.</source>
        <translation>Las lee un modelo de lenguaje; qué hechos encuentra se ve después de la ejecución.</translation>
    </message>
    <message>
        <source>A later change was undone before that ({last}) and can be done again.</source>
        <translation>Antes se deshizo un cambio posterior ({last}), que se puede rehacer.</translation>
    </message>
    <message>
        <source>A lease lasts up to {most} seconds.</source>
        <translation>Un plazo dura como máximo {most} segundos.</translation>
    </message>
    <message>
        <source>A link in the folder of notes leads out of it; nothing is written there.</source>
        <translation>Un enlace de la carpeta de notas sale de ella; ahí no se escribe nada.</translation>
    </message>
    <message>
        <source>A list can be narrowed to at most {max_tags} tags at once.</source>
        <translation>Una lista se puede limitar a {max_tags} etiquetas a la vez como máximo.</translation>
    </message>
    <message>
        <source>A log that is not this database&apos;s, or an older one of it, lay beside it and was set aside as {name}. The database is whole without it.</source>
        <translation>Junto a la base de datos había un registro que no es suyo, o uno más antiguo, y se apartó como {name}. La base de datos está completa sin él.</translation>
    </message>
    <message>
        <source>A mark stands in place of each.</source>
        <translation>En el lugar de cada uno hay una marca.</translation>
    </message>
    <message>
        <source>A memory holds at most {max_bytes} MB of text; this one has {size} MB. Split it into several notes.</source>
        <translation>Un recuerdo admite como máximo {max_bytes} MB de texto; este tiene {size} MB. Divídelo en varias notas.</translation>
    </message>
    <message>
        <source>A memory names at most {max_related} of each thing it relates to.</source>
        <translation>Un recuerdo nombra como máximo {max_related} de cada cosa con que se relaciona.</translation>
    </message>
    <message>
        <source>A memory names at most {max_related} sources.</source>
        <translation>Un recuerdo nombra como máximo {max_related} fuentes.</translation>
    </message>
    <message>
        <source>A memory&apos;s id must not be empty; leave it out to get a new one.</source>
        <translation>El identificador de un recuerdo no puede estar vacío; omítelo para obtener uno nuevo.</translation>
    </message>
    <message>
        <source>A memory&apos;s kind is one of {names}.</source>
        <translation>Un recuerdo es de uno de estos tipos: {names}.</translation>
    </message>
    <message>
        <source>A memory&apos;s store is one of {names}.</source>
        <translation>Un recuerdo está en uno de estos ámbitos: {names}.</translation>
    </message>
    <message>
        <source>A memory&apos;s {field} has at most {max_name} characters.</source>
        <translation>Este campo de un recuerdo ({field}) tiene como máximo {max_name} caracteres.</translation>
    </message>
    <message>
        <source>A memory&apos;s {field} must not contain control characters. Leave them out.</source>
        <translation>Este campo de un recuerdo ({field}) no puede contener caracteres de control. Quítalos.</translation>
    </message>
    <message>
        <source>A message has more than {allowed} and was left out.</source>
        <translation>Un mensaje tiene más de {allowed} y se omitió.</translation>
    </message>
    <message>
        <source>A message is too long and was left out.</source>
        <translation>Un mensaje es demasiado largo y se omitió.</translation>
    </message>
    <message>
        <source>A message may have at most 128 million characters.</source>
        <translation>Un mensaje puede tener como máximo 128 millones de caracteres.</translation>
    </message>
    <message>
        <source>A message&apos;s number is at most {max_seq}.</source>
        <translation>El número de un mensaje es {max_seq} como máximo.</translation>
    </message>
    <message>
        <source>A message&apos;s predecessor is missing from the file; the messages before it are not there.</source>
        <translation>Falta en el archivo el mensaje anterior a uno; los mensajes previos no están.</translation>
    </message>
    <message>
        <source>A name must have 1 to {max_name} characters.</source>
        <translation>Un nombre debe tener de 1 a {max_name} caracteres.</translation>
    </message>
    <message>
        <source>A name must have 1 to {most} characters.</source>
        <translation>Un nombre debe tener de 1 a {most} caracteres.</translation>
    </message>
    <message>
        <source>A number is too large: whole numbers have at most 64 bits.</source>
        <translation>Un número es demasiado grande: los enteros tienen como máximo 64 bits.</translation>
    </message>
    <message>
        <source>A part has whole lines, and ends behind its start.</source>
        <translation>Una parte consta de líneas enteras y termina después de su comienzo.</translation>
    </message>
    <message>
        <source>A part of this path is a file, so nothing can lie in it.</source>
        <translation>Una parte de esta ruta es un archivo, en el que no puede haber nada.</translation>
    </message>
    <message>
        <source>A passphrase does not begin or end with a space.</source>
        <translation>Una frase de contraseña no empieza ni termina con un espacio.</translation>
    </message>
    <message>
        <source>A passphrase has at least {least} characters; several words are better than one.</source>
        <translation>Una frase de contraseña tiene al menos {least} caracteres; varias palabras son mejores que una.</translation>
    </message>
    <message>
        <source>A passphrase has at most {most} characters.</source>
        <translation>Una frase de contraseña tiene como máximo {most} caracteres.</translation>
    </message>
    <message>
        <source>A passphrase is one line without control characters.</source>
        <translation>Una frase de contraseña es una sola línea sin caracteres de control.</translation>
    </message>
    <message>
        <source>A path is made of names with &apos;/&apos; between them, such as projects/plan.md.</source>
        <translation>Una ruta se compone de nombres con «/» entre ellos, como projects/plan.md.</translation>
    </message>
    <message>
        <source>A prompt that was taken back out of the queue was left out.</source>
        <translation>Se omitió una petición que se retiró de la cola.</translation>
    </message>
    <message>
        <source>A reader still held an older state of the vault; the next start of Keepsake finishes this.</source>
        <translation>Un programa lector mantenía aún un estado anterior de la bóveda; el próximo inicio de Keepsake lo termina.</translation>
    </message>
    <message>
        <source>A role {shown} is unknown.</source>
        <translation>El rol {shown} es desconocido.</translation>
    </message>
    <message>
        <source>A row of its {table} points to nothing in {parent}.</source>
        <translation>Una fila de su tabla {table} no apunta a nada en {parent}.</translation>
    </message>
    <message>
        <source>A row of {table} points to nothing in {parent}.</source>
        <translation>Una fila de {table} no apunta a nada en {parent}.</translation>
    </message>
    <message>
        <source>A run takes 1 to {max_turns} turns.</source>
        <translation>Una ejecución tiene de 1 a {max_turns} turnos.</translation>
    </message>
    <message>
        <source>A schedule that runs once needs its time.</source>
        <translation>Una programación que se ejecuta una vez necesita su hora.</translation>
    </message>
    <message>
        <source>A schema&apos;s name has 1 to 40 lower-case letters, digits and underscores.</source>
        <translation>El nombre de un esquema tiene de 1 a 40 letras minúsculas, cifras y guiones bajos.</translation>
    </message>
    <message>
        <source>A scratchpad has at most {max_items} items, not {count}. Join or drop some.</source>
        <translation>Los apuntes tienen como máximo {max_items} elementos, no {count}. Une o quita algunos.</translation>
    </message>
    <message>
        <source>A search to save has 1 to {max_query} characters.</source>
        <translation>Una búsqueda que se guarda tiene de 1 a {max_query} caracteres.</translation>
    </message>
    <message>
        <source>A source&apos;s kind is one of {names}.</source>
        <translation>Una fuente es de uno de estos tipos: {names}.</translation>
    </message>
    <message>
        <source>A summary has at most {max_summary_characters} characters.</source>
        <translation>Un resumen tiene como máximo {max_summary_characters} caracteres.</translation>
    </message>
    <message>
        <source>A tag needs a name: letters or digits, at most 64 of them.</source>
        <translation>Una etiqueta necesita un nombre: letras o cifras, 64 como máximo.</translation>
    </message>
    <message>
        <source>A text holds half a character (a lone surrogate). Send it as proper Unicode.</source>
        <translation>Un texto contiene medio carácter (un sustituto suelto). Envíalo como Unicode correcto.</translation>
    </message>
    <message>
        <source>A title has at most {max_title} characters; this one has {count}. Move the rest into the text.</source>
        <translation>Un título tiene como máximo {max_title} caracteres; este tiene {count}. Pasa el resto al texto.</translation>
    </message>
    <message>
        <source>A value needs a name.</source>
        <translation>Un valor necesita un nombre.</translation>
    </message>
    <message>
        <source>API key variable</source>
        <translation>Variable de la clave de API</translation>
    </message>
    <message>
        <source>About 1 message is still to be searched. Ask again to go on.</source>
        <translation>Queda por examinar aproximadamente 1 mensaje. Vuelve a preguntar para continuar.</translation>
    </message>
    <message>
        <source>About {count} messages are still to be searched. Ask again to go on.</source>
        <translation>Quedan por examinar unos {count} mensajes. Vuelve a preguntar para continuar.</translation>
    </message>
    <message>
        <source>About {foreign} of what is written here is in words that the built-in model does not know well, so search by meaning finds less of it. A multilingual model, such as &apos;fastembed:sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2&apos;, would suit this vault better.</source>
        <translation>Alrededor del {foreign} de lo escrito aquí está en palabras que el modelo incorporado conoce poco, por lo que la búsqueda por significado encuentra menos. Un modelo multilingüe, como «fastembed:sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2», convendría más a esta bóveda.</translation>
    </message>
    <message>
        <source>Accepted {items}</source>
        <translation>Aceptado: {items}</translation>
    </message>
    <message>
        <source>Accepted {items}, proposed by {agent}</source>
        <translation>Aceptado: {items}, propuesto por {agent}</translation>
    </message>
    <message>
        <source>Added to a conversation</source>
        <translation>Añadió a una conversación</translation>
    </message>
    <message>
        <source>Address of an &apos;openai-compatible&apos; embedding service.</source>
        <translation>Dirección de un servicio de embeddings «openai-compatible».</translation>
    </message>
    <message>
        <source>Address of the service, such as http://localhost:11434/v1 for Ollama.</source>
        <translation>Dirección del servicio, como http://localhost:11434/v1 para Ollama.</translation>
    </message>
    <message>
        <source>After a turn, {part}: {why}</source>
        <translation>Después de un turno, {part}: {why}</translation>
    </message>
    <message>
        <source>After turn</source>
        <translation>Tras cada turno</translation>
    </message>
    <message>
        <source>Agents that get a vault of their own, separated by commas; the person&apos;s vault then has nothing of them.</source>
        <translation>Agentes que reciben una bóveda propia, separados por comas; la bóveda de la persona no tiene entonces nada de ellos.</translation>
    </message>
    <message>
        <source>Agents whose conversations are not stored, separated by commas.</source>
        <translation>Agentes cuyas conversaciones no se guardan, separados por comas.</translation>
    </message>
    <message>
        <source>All conversations and memories and the first attachment were read, and no other attachment.</source>
        <translation>Se leyeron todas las conversaciones y recuerdos y el primer adjunto, y ningún otro adjunto.</translation>
    </message>
    <message>
        <source>All conversations and memories and the first {count} attachments were read, and no other attachment.</source>
        <translation>Se leyeron todas las conversaciones y recuerdos y los primeros {count} adjuntos, y ningún otro.</translation>
    </message>
    <message>
        <source>All schedules are paused until {time} UTC.</source>
        <translation>Todas las programaciones están en pausa hasta {time} UTC.</translation>
    </message>
    <message>
        <source>All your machines have forgotten it.</source>
        <translation>Todos tus equipos lo han olvidado.</translation>
    </message>
    <message>
        <source>Allow yourself to write there, or name another --vault.</source>
        <translation>Permítete escribir allí o indica otra --vault.</translation>
    </message>
    <message>
        <source>An age is a number of days from 0 to {most_days}.</source>
        <translation>Una edad es un número de días de 0 a {most_days}.</translation>
    </message>
    <message>
        <source>An agent with a vault of its own proposes nothing in a database.</source>
        <translation>Un agente aislado no propone nada en una base de datos.</translation>
    </message>
    <message>
        <source>An agent&apos;s name has 1 to {max_name} characters on one line.</source>
        <translation>El nombre de un agente tiene de 1 a {max_name} caracteres en una línea.</translation>
    </message>
    <message>
        <source>An encrypted export needs a passphrase.</source>
        <translation>Una exportación cifrada necesita una frase de contraseña.</translation>
    </message>
    <message>
        <source>An encrypted file of the vault is damaged or cut off.</source>
        <translation>Un archivo cifrado de la bóveda está dañado o cortado.</translation>
    </message>
    <message>
        <source>An entity cannot be related to itself.</source>
        <translation>Una entrada no puede relacionarse consigo misma.</translation>
    </message>
    <message>
        <source>An entity keeps its own name. Rename it first.</source>
        <translation>Una entrada conserva su propio nombre. Cámbialo primero.</translation>
    </message>
    <message>
        <source>An error of Keepsake itself; the log has it.</source>
        <translation>Un error del propio Keepsake; está en el registro.</translation>
    </message>
    <message>
        <source>An import is running. The exchange goes on when it has ended.</source>
        <translation>Hay una importación en curso. El intercambio continúa cuando termine.</translation>
    </message>
    <message>
        <source>An import of {path} was cut off. Import it again to go on; nothing is added twice.</source>
        <translation>Una importación de {path} quedó interrumpida. Impórtalo de nuevo para continuar; nada se añade dos veces.</translation>
    </message>
    <message>
        <source>An interval must be at least {min_interval_s} seconds.</source>
        <translation>Un intervalo debe ser de al menos {min_interval_s} segundos.</translation>
    </message>
    <message>
        <source>An interval needs &apos;seconds&apos;, above 0 and at most {max_interval_s}.</source>
        <translation>Un intervalo necesita «seconds», mayor que 0 y como máximo {max_interval_s}.</translation>
    </message>
    <message>
        <source>An invitation has twelve words; these are {count}.</source>
        <translation>Una invitación tiene doce palabras; estas son {count}.</translation>
    </message>
    <message>
        <source>An isolated agent cannot change keys: they are the person&apos;s.</source>
        <translation>Un agente aislado no puede cambiar las claves: son de la persona.</translation>
    </message>
    <message>
        <source>An isolated agent cannot change the encryption: it is the person&apos;s.</source>
        <translation>Un agente aislado no puede cambiar el cifrado: es cosa de la persona.</translation>
    </message>
    <message>
        <source>An isolated agent cannot change the settings: they are the person&apos;s.</source>
        <translation>Un agente aislado no puede cambiar los ajustes: son de la persona.</translation>
    </message>
    <message>
        <source>An isolated agent&apos;s vault contains no other vaults.</source>
        <translation>La bóveda de un agente aislado no contiene otras bóvedas.</translation>
    </message>
    <message>
        <source>An item is not an object and was left out.</source>
        <translation>Un elemento no es un objeto y se omitió.</translation>
    </message>
    <message>
        <source>Another Keepsake (process {number}) has this vault open.</source>
        <translation>Otro Keepsake (proceso {number}) tiene abierta esta bóveda.</translation>
    </message>
    <message>
        <source>Another Keepsake, or another program, holds this vault&apos;s lock.</source>
        <translation>Otro Keepsake, u otro programa, tiene bloqueada esta memoria.</translation>
    </message>
    <message>
        <source>Another fact has taken the place of this one since. Undo or delete that one first.</source>
        <translation>Otro hecho ha ocupado el lugar de este. Deshaz o elimina aquel primero.</translation>
    </message>
    <message>
        <source>Another machine came in with these words. Make a new invitation.</source>
        <translation>Otro equipo ya se ha unido con estas palabras. Crea una invitación nueva.</translation>
    </message>
    <message>
        <source>Another machine removed much at once, which waits for you.</source>
        <translation>Otro equipo quitó muchas cosas de una vez; eso te espera.</translation>
    </message>
    <message>
        <source>Another machine sealed changes with a key that is no longer used. They come here once it has met the others again.</source>
        <translation>Otro equipo selló cambios con una clave que ya no se usa. Llegarán aquí en cuanto vuelva a sincronizarse con los demás.</translation>
    </message>
    <message>
        <source>Another machine writes with a newer Keepsake. Update Keepsake here to see its changes.</source>
        <translation>Otro equipo escribe con un Keepsake más nuevo. Actualiza Keepsake aquí para ver sus cambios.</translation>
    </message>
    <message>
        <source>Another machine writes with a newer Keepsake. Update Keepsake here to see what it wrote (changes that wait: {n}).</source>
        <translation>Otro equipo escribe con un Keepsake más reciente. Actualiza Keepsake aquí para ver lo que escribió (cambios en espera: {n}).</translation>
    </message>
    <message>
        <source>Another of your machines ran it.</source>
        <translation>Lo ejecutó otro de tus equipos.</translation>
    </message>
    <message>
        <source>Another of your machines runs it at this moment. Try again when it has ended.</source>
        <translation>Otro de tus equipos lo está ejecutando en este momento. Inténtalo de nuevo cuando haya terminado.</translation>
    </message>
    <message>
        <source>Another program holds the vault&apos;s database. Close it and try again.</source>
        <translation>Otro programa tiene ocupada la base de datos de la bóveda. Ciérralo e inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>Another program is writing to it. Close that program and try again.</source>
        <translation>Otro programa está escribiendo en ella. Ciérralo e inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>Another program keeps a file locked on {server}. It is tried again by itself; nothing is lost meanwhile.</source>
        <translation>Otro programa mantiene bloqueado un archivo en {server}. Se volverá a intentar automáticamente; mientras tanto no se pierde nada.</translation>
    </message>
    <message>
        <source>Another reflection was written meanwhile.</source>
        <translation>Mientras tanto se escribió otra reflexión.</translation>
    </message>
    <message>
        <source>Another user&apos;s program listens where Keepsake should.</source>
        <translation>El programa de otro usuario escucha donde debería hacerlo Keepsake.</translation>
    </message>
    <message>
        <source>Another {type} is called {name} now. Rename it, or merge the two.</source>
        <translation>Ahora hay otra entrada de este tipo ({type}) llamada {name}. Cámbiale el nombre o fusiona las dos.</translation>
    </message>
    <message>
        <source>Appends that may wait for agents that do not.</source>
        <translation>Escrituras que pueden quedar en cola para los agentes que no esperan.</translation>
    </message>
    <message>
        <source>Apple Notes</source>
        <translation>Apple Notes</translation>
    </message>
    <message>
        <source>Archived 1 observation.</source>
        <translation>1 observación archivada.</translation>
    </message>
    <message>
        <source>Archived {count} observations.</source>
        <translation>{count} observaciones archivadas.</translation>
    </message>
    <message>
        <source>Archived {items}</source>
        <translation>Archivado: {items}</translation>
    </message>
    <message>
        <source>Asked how the vault stands</source>
        <translation>Preguntó por el estado de la bóveda</translation>
    </message>
    <message>
        <source>Asked what it should know</source>
        <translation>Preguntó qué debería saber</translation>
    </message>
    <message>
        <source>Asked why something was found</source>
        <translation>Preguntó por qué se encontró algo</translation>
    </message>
    <message>
        <source>At most {max_batch} can be stored at once.</source>
        <translation>Como máximo se pueden guardar {max_batch} a la vez.</translation>
    </message>
    <message>
        <source>At most {max_merged} tags become one at once.</source>
        <translation>Como máximo se unen {max_merged} etiquetas a la vez.</translation>
    </message>
    <message>
        <source>At most {max_owners} messages and memories at once.</source>
        <translation>Como máximo {max_owners} mensajes y recuerdos a la vez.</translation>
    </message>
    <message>
        <source>At most {max_places} positions at once.</source>
        <translation>Como máximo {max_places} posiciones a la vez.</translation>
    </message>
    <message>
        <source>At most {most} at once.</source>
        <translation>Como máximo {most} a la vez.</translation>
    </message>
    <message>
        <source>At most {most} conversations at once.</source>
        <translation>Como máximo {most} conversaciones a la vez.</translation>
    </message>
    <message>
        <source>At most {most} entries at once.</source>
        <translation>Como máximo {most} entradas a la vez.</translation>
    </message>
    <message>
        <source>At most {most} items at once.</source>
        <translation>Como máximo {most} elementos a la vez.</translation>
    </message>
    <message>
        <source>At most {most} machines share one memory. Remove one first.</source>
        <translation>Como máximo {most} equipos comparten una memoria. Quita antes uno.</translation>
    </message>
    <message>
        <source>At most {most} proposals at once.</source>
        <translation>Como máximo {most} propuestas a la vez.</translation>
    </message>
    <message>
        <source>At most {most} texts at once.</source>
        <translation>Como máximo {most} textos a la vez.</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>Intentos</translation>
    </message>
    <message>
        <source>Attempts for one answer, where the service is busy or out of reach.</source>
        <translation>Intentos para una respuesta cuando el servicio está ocupado o inaccesible.</translation>
    </message>
    <message>
        <source>Attributes may be nested at most {most} deep.</source>
        <translation>Los atributos pueden anidarse como máximo {most} niveles.</translation>
    </message>
    <message>
        <source>Back the vault up before each import.</source>
        <translation>Hacer una copia de la bóveda antes de cada importación.</translation>
    </message>
    <message>
        <source>Back the vault up once a day.</source>
        <translation>Hacer una copia de la bóveda una vez al día.</translation>
    </message>
    <message>
        <source>Backups still hold it.</source>
        <translation>Las copias de seguridad aún lo contienen.</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Equilibrada</translation>
    </message>
    <message>
        <source>Began a conversation</source>
        <translation>Empezó una conversación</translation>
    </message>
    <message>
        <source>Begin llm.base_url with https://.</source>
        <translation>Empieza llm.base_url con https://.</translation>
    </message>
    <message>
        <source>Begin {name} with https://.</source>
        <translation>Empieza {name} con https://.</translation>
    </message>
    <message>
        <source>Between {least} and {max_merged} notes can be merged.</source>
        <translation>Se pueden fusionar entre {least} y {max_merged} notas.</translation>
    </message>
    <message>
        <source>Block {row} of {table} does not hold whole vectors.</source>
        <translation>El bloque {row} de {table} no contiene vectores enteros.</translation>
    </message>
    <message>
        <source>Boosted</source>
        <translation>Reforzada</translation>
    </message>
    <message>
        <source>Both</source>
        <translation>Ambos</translation>
    </message>
    <message>
        <source>Bring the summaries of a conversation up to date once it falls quiet.</source>
        <translation>Actualizar los resúmenes de una conversación cuando queda en calma.</translation>
    </message>
    <message>
        <source>Brought 1 fact back that another machine set aside and this one uses.</source>
        <translation>Recuperado 1 hecho que otro equipo apartó y este usa.</translation>
    </message>
    <message>
        <source>Brought back {items}</source>
        <translation>Recuperado: {items}</translation>
    </message>
    <message>
        <source>Brought {count} facts back that another machine set aside and this one uses.</source>
        <translation>Recuperados {count} hechos que otro equipo apartó y este usa.</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>Presupuesto</translation>
    </message>
    <message>
        <source>Building the vectors stopped after an error in Keepsake ({error}). Restart it.</source>
        <translation>La creación de los vectores se detuvo por un error de Keepsake ({error}). Reinícialo.</translation>
    </message>
    <message>
        <source>Burst</source>
        <translation>Ráfaga</translation>
    </message>
    <message>
        <source>Call it off with &apos;keepsake call backup.cancel_restore&apos;.</source>
        <translation>Anúlalo con «keepsake call backup.cancel_restore».</translation>
    </message>
    <message>
        <source>Calls a second that an agent may make in the long run.</source>
        <translation>Llamadas por segundo que un agente puede hacer a la larga.</translation>
    </message>
    <message>
        <source>Calls that an agent may make at once after a rest.</source>
        <translation>Llamadas que un agente puede hacer de golpe tras un descanso.</translation>
    </message>
    <message>
        <source>Calls that the ledger keeps at most. Beyond, the oldest of whoever made most of them leave first.</source>
        <translation>Llamadas que el registro de accesos guarda como máximo. Más allá, salen primero las más antiguas de quien más hizo.</translation>
    </message>
    <message>
        <source>Candidates that words and meaning each give to a recipe, except &apos;learned&apos;.</source>
        <translation>Candidatos que palabras y significado dan cada uno a una receta, salvo «learned».</translation>
    </message>
    <message>
        <source>Capsule</source>
        <translation>Cápsula</translation>
    </message>
    <message>
        <source>Capture clients</source>
        <translation>Programas capturados</translation>
    </message>
    <message>
        <source>Capture min turn messages</source>
        <translation>Mensajes mínimos por turno</translation>
    </message>
    <message>
        <source>Capture watch seconds</source>
        <translation>Segundos entre capturas</translation>
    </message>
    <message>
        <source>Care for the database at night, and verify the latest backup.</source>
        <translation>Cuidar la base de datos de noche y verificar la última copia.</translation>
    </message>
    <message>
        <source>Care for the database; no content changes.</source>
        <translation>Cuidado de la base de datos; el contenido no cambia.</translation>
    </message>
    <message>
        <source>Changed a conversation</source>
        <translation>Cambió una conversación</translation>
    </message>
    <message>
        <source>Changed a note</source>
        <translation>Cambió una nota</translation>
    </message>
    <message>
        <source>Changed people and things</source>
        <translation>Cambió personas y cosas</translation>
    </message>
    <message>
        <source>Changed saved searches</source>
        <translation>Cambió búsquedas guardadas</translation>
    </message>
    <message>
        <source>Changed tags</source>
        <translation>Cambió etiquetas</translation>
    </message>
    <message>
        <source>Changed the archive</source>
        <translation>Cambió el archivo</translation>
    </message>
    <message>
        <source>Changed the project of {items}</source>
        <translation>Proyecto cambiado: {items}</translation>
    </message>
    <message>
        <source>Changed the tags of {items}</source>
        <translation>Etiquetas cambiadas: {items}</translation>
    </message>
    <message>
        <source>Changed who may see {items}</source>
        <translation>Cambiado quién puede ver: {items}</translation>
    </message>
    <message>
        <source>Changed {items}</source>
        <translation>Cambiado: {items}</translation>
    </message>
    <message>
        <source>Changes are missing at the place that are on: {machines}. They come here once such a machine meets the others. If it is gone for good, remove it here.</source>
        <translation>En el lugar faltan cambios que están en: {machines}. Llegarán aquí cuando uno de esos equipos se encuentre con los demás. Si ya no volverá, quítalo aquí.</translation>
    </message>
    <message>
        <source>Changes of another machine are missing.</source>
        <translation>Faltan cambios de otro equipo.</translation>
    </message>
    <message>
        <source>Changes of another machine are still being copied.</source>
        <translation>Los cambios de otro equipo aún se están copiando.</translation>
    </message>
    <message>
        <source>Changes of another machine cannot be read.</source>
        <translation>No se pueden leer los cambios de otro equipo.</translation>
    </message>
    <message>
        <source>Changes of your machines are in a snapshot, which is not whole at the place yet. They come here as soon as it is.</source>
        <translation>Hay cambios de tus equipos en una instantánea que aún no está completa en el lugar. Llegarán aquí en cuanto lo esté.</translation>
    </message>
    <message>
        <source>Characters of a run&apos;s output shown in its summary.</source>
        <translation>Caracteres de la salida de una ejecución que muestra su resumen.</translation>
    </message>
    <message>
        <source>Characters of a tool&apos;s answer that the model reads.</source>
        <translation>Caracteres de la respuesta de una herramienta que lee el modelo.</translation>
    </message>
    <message>
        <source>Characters that cannot be stored were replaced.</source>
        <translation>Se sustituyeron caracteres que no se pueden guardar.</translation>
    </message>
    <message>
        <source>ChatGPT export</source>
        <translation>Exportación de ChatGPT</translation>
    </message>
    <message>
        <source>ChatGPT, with branches</source>
        <translation>ChatGPT, con ramas</translation>
    </message>
    <message>
        <source>Check its permissions and those of its folder, then check again.</source>
        <translation>Revisa sus permisos y los de su carpeta, y vuelve a comprobar.</translation>
    </message>
    <message>
        <source>Checked its own access</source>
        <translation>Comprobó su propio acceso</translation>
    </message>
    <message>
        <source>Choose one of {known}.</source>
        <translation>Elige uno de {known}.</translation>
    </message>
    <message>
        <source>Claude Code</source>
        <translation>Claude Code</translation>
    </message>
    <message>
        <source>Claude export</source>
        <translation>Exportación de Claude</translation>
    </message>
    <message>
        <source>Cleared {items} out of the archive</source>
        <translation>Borrado del archivo: {items}</translation>
    </message>
    <message>
        <source>Clients whose transcripts are followed, separated by commas.</source>
        <translation>Programas cuyas transcripciones se siguen, separados por comas.</translation>
    </message>
    <message>
        <source>Closing the window keeps Keepsake running: in the tray, or hidden where there is none.</source>
        <translation>Al cerrar la ventana, Keepsake sigue en marcha: en la bandeja del sistema, u oculto donde no la hay.</translation>
    </message>
    <message>
        <source>Codex</source>
        <translation>Codex</translation>
    </message>
    <message>
        <source>Colours of the window.</source>
        <translation>Colores de la ventana.</translation>
    </message>
    <message>
        <source>Comparing models</source>
        <translation>Comparando modelos</translation>
    </message>
    <message>
        <source>Comparing recipes</source>
        <translation>Comparando recetas</translation>
    </message>
    <message>
        <source>Compress and archive old observations.</source>
        <translation>Condensar y archivar observaciones antiguas.</translation>
    </message>
    <message>
        <source>Compress similar old observations, archive idle ones, and clean up the archive.</source>
        <translation>Condensar observaciones antiguas parecidas, archivar las que no se usan y limpiar el archivo.</translation>
    </message>
    <message>
        <source>Compressed 1 observation into {digests}.</source>
        <translation>1 observación condensada en {digests}.</translation>
    </message>
    <message>
        <source>Compressed {count} observations into {digests}.</source>
        <translation>{count} observaciones condensadas en {digests}.</translation>
    </message>
    <message>
        <source>Condensed</source>
        <translation>Condensado</translation>
    </message>
    <message>
        <source>Condensed {items}</source>
        <translation>Condensado: {items}</translation>
    </message>
    <message>
        <source>Confidence below which a fact is set aside; that can be undone.</source>
        <translation>Confianza por debajo de la cual se aparta un hecho; se puede deshacer.</translation>
    </message>
    <message>
        <source>Confidence left to a fact that a newer one contradicts.</source>
        <translation>Confianza que le queda a un hecho que otro más nuevo contradice.</translation>
    </message>
    <message>
        <source>Confirmed {items}</source>
        <translation>Confirmado: {items}</translation>
    </message>
    <message>
        <source>Consolidate a conversation when the next one begins.</source>
        <translation>Consolidar una conversación cuando empieza la siguiente.</translation>
    </message>
    <message>
        <source>Consolidation</source>
        <translation>Consolidación</translation>
    </message>
    <message>
        <source>Constant of the recipe &apos;rrf&apos;: the larger, the less the first places count.</source>
        <translation>Constante de la receta «rrf»: cuanto mayor, menos cuentan los primeros puestos.</translation>
    </message>
    <message>
        <source>Context index</source>
        <translation>Índice del contexto</translation>
    </message>
    <message>
        <source>Context index limit</source>
        <translation>Límite del índice del contexto</translation>
    </message>
    <message>
        <source>Context index max tokens</source>
        <translation>Tokens máximos del índice del contexto</translation>
    </message>
    <message>
        <source>Context index recent days</source>
        <translation>Días recientes del índice del contexto</translation>
    </message>
    <message>
        <source>Context max facts</source>
        <translation>Hechos máximos del contexto</translation>
    </message>
    <message>
        <source>Context max tokens</source>
        <translation>Tokens máximos de los hechos</translation>
    </message>
    <message>
        <source>Context recent max tokens</source>
        <translation>Tokens máximos de lo reciente</translation>
    </message>
    <message>
        <source>Context recent messages</source>
        <translation>Mensajes recientes del contexto</translation>
    </message>
    <message>
        <source>Context recent sessions</source>
        <translation>Conversaciones recientes del contexto</translation>
    </message>
    <message>
        <source>Context reflection</source>
        <translation>Reflexión del contexto</translation>
    </message>
    <message>
        <source>Context reflection max tokens</source>
        <translation>Tokens máximos de la reflexión</translation>
    </message>
    <message>
        <source>Context relevant max tokens</source>
        <translation>Tokens máximos de lo relevante</translation>
    </message>
    <message>
        <source>Context relevant messages</source>
        <translation>Mensajes relevantes del contexto</translation>
    </message>
    <message>
        <source>Context relevant similarity</source>
        <translation>Similitud de lo relevante</translation>
    </message>
    <message>
        <source>Context salient importance</source>
        <translation>Importancia de lo destacado</translation>
    </message>
    <message>
        <source>Context salient max tokens</source>
        <translation>Tokens máximos de lo destacado</translation>
    </message>
    <message>
        <source>Context salient messages</source>
        <translation>Mensajes destacados del contexto</translation>
    </message>
    <message>
        <source>Context sessions max tokens</source>
        <translation>Tokens máximos de las conversaciones</translation>
    </message>
    <message>
        <source>Contrast of the colours: as the system asks for, or always high.</source>
        <translation>Contraste de los colores: como pida el sistema, o siempre alto.</translation>
    </message>
    <message>
        <source>Copies that were written anew still hold something of it. Delete these backups.</source>
        <translation>Las copias reescritas aún contienen algo de ello. Elimina estas copias de seguridad.</translation>
    </message>
    <message>
        <source>Correct it in {where}; until then the vault stays closed.</source>
        <translation>Corrígelo en {where}; hasta entonces la bóveda permanece cerrada.</translation>
    </message>
    <message>
        <source>Correct it in {where}; until then {now} counts.</source>
        <translation>Corrígelo en {where}; hasta entonces vale {now}.</translation>
    </message>
    <message>
        <source>Correct it, or leave it empty.</source>
        <translation>Corrígelo o déjalo vacío.</translation>
    </message>
    <message>
        <source>Correct it; it looks like https://example.org/v1.</source>
        <translation>Corrígela; tiene esta forma: https://example.org/v1.</translation>
    </message>
    <message>
        <source>Correct the file or move it away; until then the vault stays closed.</source>
        <translation>Corrige el archivo o llévalo a otro lugar; hasta entonces la bóveda permanece cerrada.</translation>
    </message>
    <message>
        <source>Corrected a fact</source>
        <translation>Corrigió un hecho</translation>
    </message>
    <message>
        <source>Cost in a calendar month beyond which nothing is asked; 0 for no limit.</source>
        <translation>Coste en un mes natural a partir del cual no se pregunta nada; 0 para ningún límite.</translation>
    </message>
    <message>
        <source>Cost of one run of a goal at most, in the currency of the prices.</source>
        <translation>Coste máximo de una ejecución de un objetivo, en la moneda de los precios.</translation>
    </message>
    <message>
        <source>Counted anew what was counted wrongly.</source>
        <translation>Se contó de nuevo lo que estaba mal contado.</translation>
    </message>
    <message>
        <source>Created {items}</source>
        <translation>Creado: {items}</translation>
    </message>
    <message>
        <source>Cursor</source>
        <translation>Cursor</translation>
    </message>
    <message>
        <source>Daily backups that are kept.</source>
        <translation>Copias diarias que se conservan.</translation>
    </message>
    <message>
        <source>Damaged copies hold it and cannot be written anew. Delete these backups.</source>
        <translation>Hay copias dañadas que lo contienen y no pueden reescribirse. Elimina estas copias de seguridad.</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Oscuro</translation>
    </message>
    <message>
        <source>Days</source>
        <translation>Días</translation>
    </message>
    <message>
        <source>Days after which an observation goes to the archive.</source>
        <translation>Días tras los que una observación pasa al archivo.</translation>
    </message>
    <message>
        <source>Days after which calls leave the ledger.</source>
        <translation>Días tras los que las llamadas salen del registro de accesos.</translation>
    </message>
    <message>
        <source>Days after which similar observations become one digest.</source>
        <translation>Días tras los que observaciones parecidas se vuelven un extracto.</translation>
    </message>
    <message>
        <source>Days in the archive after which an observation is deleted; notes never are.</source>
        <translation>Días en el archivo tras los que se elimina una observación; las notas, nunca.</translation>
    </message>
    <message>
        <source>Days it looks back.</source>
        <translation>Días que mira hacia atrás.</translation>
    </message>
    <message>
        <source>Days since the last one without which none is written.</source>
        <translation>Días mínimos desde la última para escribir otra.</translation>
    </message>
    <message>
        <source>Days that a proposal of an agent waits for you before it expires.</source>
        <translation>Días que una propuesta de un agente te espera antes de caducar.</translation>
    </message>
    <message>
        <source>Days whose memories the index names after those that match the prompt.</source>
        <translation>Días cuyas memorias nombra el índice después de las que coinciden con la petición.</translation>
    </message>
    <message>
        <source>Decay</source>
        <translation>Desvanecimiento</translation>
    </message>
    <message>
        <source>Decay max share</source>
        <translation>Parte máxima que se desvanece</translation>
    </message>
    <message>
        <source>Decay max share month</source>
        <translation>Parte máxima al mes</translation>
    </message>
    <message>
        <source>Decay threshold</source>
        <translation>Umbral de desvanecimiento</translation>
    </message>
    <message>
        <source>Decay time</source>
        <translation>Hora del desvanecimiento</translation>
    </message>
    <message>
        <source>Decided on proposals</source>
        <translation>Decidió sobre propuestas</translation>
    </message>
    <message>
        <source>Delete the folder once you are sure that nothing in it is missed.</source>
        <translation>Elimina la carpeta cuando estés seguro de que no se echa nada en falta.</translation>
    </message>
    <message>
        <source>Deleted 1 observation after its time in the archive.</source>
        <translation>1 observación eliminada tras su tiempo en el archivo.</translation>
    </message>
    <message>
        <source>Deleted a note</source>
        <translation>Eliminó una nota</translation>
    </message>
    <message>
        <source>Deleted {count} observations after their time in the archive.</source>
        <translation>{count} observaciones eliminadas tras su tiempo en el archivo.</translation>
    </message>
    <message>
        <source>Deleted {items}</source>
        <translation>Eliminado: {items}</translation>
    </message>
    <message>
        <source>Depth</source>
        <translation>Profundidad</translation>
    </message>
    <message>
        <source>Device or resource busy</source>
        <translation>Dispositivo o recurso en uso</translation>
    </message>
    <message>
        <source>Did again: {what}</source>
        <translation>Rehecho: {what}</translation>
    </message>
    <message>
        <source>Did nothing that is still known</source>
        <translation>No hizo nada que aún se conozca</translation>
    </message>
    <message>
        <source>Did you mean &apos;{near}&apos;?</source>
        <translation>¿Querías decir «{near}»?</translation>
    </message>
    <message>
        <source>Did you mean {name}:?</source>
        <translation>¿Querías decir {name}:?</translation>
    </message>
    <message>
        <source>Discord</source>
        <translation>Discord</translation>
    </message>
    <message>
        <source>Disk quota exceeded</source>
        <translation>Cuota de disco superada</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>Documentos</translation>
    </message>
    <message>
        <source>Draw lasting facts from conversations that have ended.</source>
        <translation>Extraer hechos duraderos de conversaciones terminadas.</translation>
    </message>
    <message>
        <source>Embedding API key variable</source>
        <translation>Variable de la clave de embeddings</translation>
    </message>
    <message>
        <source>Embedding base address</source>
        <translation>Dirección base de embeddings</translation>
    </message>
    <message>
        <source>Embedding batch</source>
        <translation>Lote de embeddings</translation>
    </message>
    <message>
        <source>Embedding dimensions</source>
        <translation>Dimensiones de embeddings</translation>
    </message>
    <message>
        <source>Embedding model</source>
        <translation>Modelo de embeddings</translation>
    </message>
    <message>
        <source>Embedding model folder</source>
        <translation>Carpeta del modelo de embeddings</translation>
    </message>
    <message>
        <source>Embedding send private</source>
        <translation>Embeddings: enviar lo privado</translation>
    </message>
    <message>
        <source>Emergency retain</source>
        <translation>Retener en emergencia</translation>
    </message>
    <message>
        <source>Encrypted Keepsake export</source>
        <translation>Exportación cifrada de Keepsake</translation>
    </message>
    <message>
        <source>Encrypting needs {needed} MB of free space for a while, and the disk has {free} MB. Nothing was changed.</source>
        <translation>Cifrar necesita durante un tiempo {needed} MB libres, y el disco tiene {free} MB. No se cambió nada.</translation>
    </message>
    <message>
        <source>Enrichment limit</source>
        <translation>Límite del enriquecimiento</translation>
    </message>
    <message>
        <source>Enrichment max entities</source>
        <translation>Nombres del enriquecimiento</translation>
    </message>
    <message>
        <source>Enrichment time</source>
        <translation>Hora del enriquecimiento</translation>
    </message>
    <message>
        <source>Entries</source>
        <translation>Entradas</translation>
    </message>
    <message>
        <source>Environment variable that holds the key of a remote embedding service, in capital letters; never the key itself. Empty for the key in the system&apos;s keyring.</source>
        <translation>Variable de entorno con la clave de un servicio remoto de embeddings, en mayúsculas; nunca la clave misma. Vacío para la clave del llavero del sistema.</translation>
    </message>
    <message>
        <source>Environment variable that holds the key, in capital letters; never the key itself. Empty for the key in the system&apos;s keyring.</source>
        <translation>Variable de entorno con la clave, en mayúsculas; nunca la clave misma. Vacío para la clave del llavero del sistema.</translation>
    </message>
    <message>
        <source>Evernote notes</source>
        <translation>Notas de Evernote</translation>
    </message>
    <message>
        <source>Every hours</source>
        <translation>Cada cuántas horas</translation>
    </message>
    <message>
        <source>Exporting to {name}</source>
        <translation>Exportando a {name}</translation>
    </message>
    <message>
        <source>Extract facts from conversations that have ended.</source>
        <translation>Extraer hechos de conversaciones terminadas.</translation>
    </message>
    <message>
        <source>Facts and index may take {context} tokens, all of the {budget} in &apos;sessions.budget&apos;.</source>
        <translation>Los hechos y el índice pueden ocupar {context} tokens, todos los {budget} de «sessions.budget».</translation>
    </message>
    <message>
        <source>Facts are shown of the first {count} only.</source>
        <translation>Solo se muestran hechos de las primeras {count}.</translation>
    </message>
    <message>
        <source>Facts of other conversations in an agent&apos;s context.</source>
        <translation>Hechos de otras conversaciones en el contexto de un agente.</translation>
    </message>
    <message>
        <source>Facts of the past days without which none is written.</source>
        <translation>Hechos mínimos de los últimos días para escribir una.</translation>
    </message>
    <message>
        <source>Failures in a row after which a schedule pauses.</source>
        <translation>Fallos seguidos tras los que una programación se pausa.</translation>
    </message>
    <message>
        <source>Failures to pause</source>
        <translation>Fallos hasta la pausa</translation>
    </message>
    <message>
        <source>Fast model</source>
        <translation>Modelo rápido</translation>
    </message>
    <message>
        <source>Fetch a fastembed model from the network when it is not on this machine.</source>
        <translation>Descargar un modelo de fastembed de la red cuando no está en este equipo.</translation>
    </message>
    <message>
        <source>Fetching the model {name} was cancelled. What came of it is kept; choose it again to go on.</source>
        <translation>Se canceló la descarga del modelo {name}. Lo recibido se conserva; vuelve a elegirlo para continuar.</translation>
    </message>
    <message>
        <source>Fetching {name}</source>
        <translation>Descargando {name}</translation>
    </message>
    <message>
        <source>File exists</source>
        <translation>El archivo ya existe</translation>
    </message>
    <message>
        <source>File name too long</source>
        <translation>Nombre de archivo demasiado largo</translation>
    </message>
    <message>
        <source>Files of another machine do not follow each other: the folder shows an older state than it did, or two copies of one vault wrote to it.</source>
        <translation>Los archivos de otro equipo no se siguen unos a otros: la carpeta muestra un estado más antiguo que antes, o dos copias de una bóveda escribieron en ella.</translation>
    </message>
    <message>
        <source>Finding names with a language model or spaCy is switched off in the settings.</source>
        <translation>Buscar nombres con un modelo de lenguaje o spaCy está desactivado en los ajustes.</translation>
    </message>
    <message>
        <source>Folder of Markdown notes, such as an Obsidian vault, whose edits are taken in within seconds.</source>
        <translation>Carpeta de notas Markdown, como un almacén de Obsidian, cuyos cambios se incorporan en segundos.</translation>
    </message>
    <message>
        <source>Folder of an offline fastembed model; empty for its own cache.</source>
        <translation>Carpeta de un modelo de fastembed sin red; vacío para su propia caché.</translation>
    </message>
    <message>
        <source>Folder of that model&apos;s files; empty for its own cache.</source>
        <translation>Carpeta de los archivos de ese modelo; vacío para su propia caché.</translation>
    </message>
    <message>
        <source>Follow the transcripts that coding agents keep on this computer; conversations from then on are taken in.</source>
        <translation>Seguir las transcripciones que los agentes de código guardan en este equipo; desde entonces se recogen las conversaciones.</translation>
    </message>
    <message>
        <source>Forgetting could not be finished. It stands all the same: what is to be forgotten is hidden already, and the next start at which the disk permits it erases the rest by itself. Free some space if the disk is full, then start Keepsake again. What happened: {cause}</source>
        <translation>No se pudo terminar de olvidar. Aun así queda en pie: lo que debe olvidarse ya está oculto, y el próximo inicio en que el disco lo permita borra por sí solo el resto. Libera espacio si el disco está lleno y vuelve a iniciar Keepsake. Lo que pasó: {cause}</translation>
    </message>
    <message>
        <source>Forgetting for ever</source>
        <translation>Olvidando para siempre</translation>
    </message>
    <message>
        <source>Forgetting for ever could not be finished: {why}</source>
        <translation>No se pudo terminar de olvidar para siempre: {why}</translation>
    </message>
    <message>
        <source>Found names in {items}</source>
        <translation>Nombres encontrados en: {items}</translation>
    </message>
    <message>
        <source>Free some space or make the folder writable, and check again.</source>
        <translation>Libera espacio o permite la escritura en la carpeta, y comprueba de nuevo.</translation>
    </message>
    <message>
        <source>Friday</source>
        <translation>Viernes</translation>
    </message>
    <message>
        <source>From here on, 1 message has no date that can be right: none there is, or one in the future. It was kept without its time.</source>
        <translation>A partir de aquí, 1 mensaje no tiene una fecha posible: no existe o está en el futuro. Se conservó sin su hora.</translation>
    </message>
    <message>
        <source>From here on, {count} messages have no date that can be right: none there is, or one in the future. They were kept without their time.</source>
        <translation>A partir de aquí, {count} mensajes no tienen una fecha posible: no existe o está en el futuro. Se conservaron sin su hora.</translation>
    </message>
    <message>
        <source>Gemini CLI</source>
        <translation>Gemini CLI</translation>
    </message>
    <message>
        <source>Gemini, from Google Takeout</source>
        <translation>Gemini, de Google Takeout</translation>
    </message>
    <message>
        <source>Give agents an index of the memories they may see.</source>
        <translation>Dar a los agentes un índice de los recuerdos que pueden ver.</translation>
    </message>
    <message>
        <source>Give agents the latest weekly reflection.</source>
        <translation>Dar a los agentes la última reflexión semanal.</translation>
    </message>
    <message>
        <source>Give the file a name that ends in {names}.</source>
        <translation>Da al archivo un nombre que termine en {names}.</translation>
    </message>
    <message>
        <source>Goal: {name}</source>
        <translation>Objetivo: {name}</translation>
    </message>
    <message>
        <source>Goals answer characters</source>
        <translation>Caracteres de respuesta de los objetivos</translation>
    </message>
    <message>
        <source>Goals max turns</source>
        <translation>Turnos máximos de los objetivos</translation>
    </message>
    <message>
        <source>HTML page</source>
        <translation>Página HTML</translation>
    </message>
    <message>
        <source>Hiding what {name} wrote</source>
        <translation>Ocultando lo que escribió {name}</translation>
    </message>
    <message>
        <source>High</source>
        <translation>Alto</translation>
    </message>
    <message>
        <source>Hours between two searches for conversations to consolidate.</source>
        <translation>Horas entre dos búsquedas de conversaciones que consolidar.</translation>
    </message>
    <message>
        <source>Housekeeping</source>
        <translation>Puesta a punto</translation>
    </message>
    <message>
        <source>Housekeeping time</source>
        <translation>Hora de la puesta a punto</translation>
    </message>
    <message>
        <source>How often memories are read is not counted at the moment. {why}</source>
        <translation>Por ahora no se cuenta cuántas veces se leen los recuerdos. {why}</translation>
    </message>
    <message>
        <source>How words and meaning are weighed.</source>
        <translation>Cómo se ponderan las palabras y el significado.</translation>
    </message>
    <message>
        <source>Import the folders in it one by one.</source>
        <translation>Importa una a una las carpetas que contiene.</translation>
    </message>
    <message>
        <source>Importance from which a message counts as important.</source>
        <translation>Importancia desde la que un mensaje cuenta como importante.</translation>
    </message>
    <message>
        <source>Importance from which the recipe &apos;tri&apos; takes a message as salient.</source>
        <translation>Importancia desde la que la receta «tri» toma un mensaje como destacado.</translation>
    </message>
    <message>
        <source>Important messages in an agent&apos;s context.</source>
        <translation>Mensajes importantes en el contexto de un agente.</translation>
    </message>
    <message>
        <source>Important turns</source>
        <translation>Turnos importantes</translation>
    </message>
    <message>
        <source>Imported {items}</source>
        <translation>Importado: {items}</translation>
    </message>
    <message>
        <source>Importing {name}</source>
        <translation>Importando {name}</translation>
    </message>
    <message>
        <source>In config.toml: {why}</source>
        <translation>En config.toml: {why}</translation>
    </message>
    <message>
        <source>In the variable {name}: {why}</source>
        <translation>En la variable {name}: {why}</translation>
    </message>
    <message>
        <source>In {folder}: {what}</source>
        <translation>En {folder}: {what}</translation>
    </message>
    <message>
        <source>Incognito has an end only while it is on.</source>
        <translation>El modo incógnito solo tiene un final mientras está activado.</translation>
    </message>
    <message>
        <source>Index vectors</source>
        <translation>Vectores del índice</translation>
    </message>
    <message>
        <source>Indexing for search by meaning</source>
        <translation>Indexando para buscar por significado</translation>
    </message>
    <message>
        <source>Indexing stopped after an error inside Keepsake ({error}). Restart it.</source>
        <translation>La indexación se detuvo por un error de Keepsake ({error}). Reinícialo.</translation>
    </message>
    <message>
        <source>Input/output error</source>
        <translation>Error de entrada/salida</translation>
    </message>
    <message>
        <source>Is a directory</source>
        <translation>Es una carpeta</translation>
    </message>
    <message>
        <source>It began on another of your machines, which was not heard of since.</source>
        <translation>Empezó en otro de tus equipos, del que no se ha sabido nada desde entonces.</translation>
    </message>
    <message>
        <source>It began on {machine}, which was not heard of since.</source>
        <translation>Empezó en {machine}, del que no se ha sabido nada desde entonces.</translation>
    </message>
    <message>
        <source>It begins with a date and a time and was read as part of the message before it.</source>
        <translation>Empieza con fecha y hora y se leyó como parte del mensaje anterior.</translation>
    </message>
    <message>
        <source>It belongs to the system and was left out.</source>
        <translation>Pertenece al sistema y se omitió.</translation>
    </message>
    <message>
        <source>It cannot be opened. Check that it is there and that it is yours.</source>
        <translation>No se puede abrir. Comprueba que el archivo esté ahí y que sea tuyo.</translation>
    </message>
    <message>
        <source>It cannot be read where it lies. Copy it to a folder of your own.</source>
        <translation>No se puede leer donde está. Copia el archivo a una carpeta tuya.</translation>
    </message>
    <message>
        <source>It cannot be read.</source>
        <translation>No se puede leer.</translation>
    </message>
    <message>
        <source>It cannot be stored: {strerror}.</source>
        <translation>No se puede guardar: {strerror}.</translation>
    </message>
    <message>
        <source>It could not be read and was left out: {error}</source>
        <translation>No se pudo leer y se omitió: {error}</translation>
    </message>
    <message>
        <source>It could not be read and was left out: {error}.</source>
        <translation>No se pudo leer y se omitió: {error}.</translation>
    </message>
    <message>
        <source>It could not be read: {error}. Its names are missing.</source>
        <translation>No se pudo leer: {error}. Faltan sus nombres.</translation>
    </message>
    <message>
        <source>It could not be read: {strerror}.</source>
        <translation>No se pudo leer: {strerror}.</translation>
    </message>
    <message>
        <source>It could not be read: {why}.</source>
        <translation>No se pudo leer: {why}.</translation>
    </message>
    <message>
        <source>It goes on by itself whenever Keepsake runs.</source>
        <translation>Continúa por sí solo siempre que Keepsake está en marcha.</translation>
    </message>
    <message>
        <source>It has 1 {thing}, which is no conversation, message or note that this version knows.</source>
        <translation>Tiene 1 {thing}, que no es una conversación, mensaje o nota que esta versión conozca.</translation>
    </message>
    <message>
        <source>It has expired already.</source>
        <translation>Ya ha caducado.</translation>
    </message>
    <message>
        <source>It has more than {most} MB and was left out.</source>
        <translation>Tiene más de {most} MB y se omitió.</translation>
    </message>
    <message>
        <source>It has more than {most} files; 1 more file was not looked at.</source>
        <translation>Tiene más de {most} archivos; 1 archivo más no se miró.</translation>
    </message>
    <message>
        <source>It has more than {most} files; {count} more files were not looked at.</source>
        <translation>Tiene más de {most} archivos; {count} archivos más no se miraron.</translation>
    </message>
    <message>
        <source>It has more than {most} pages; the rest was left out.</source>
        <translation>Tiene más de {most} páginas; el resto se omitió.</translation>
    </message>
    <message>
        <source>It has more than {most} tags or very long ones; as tags the first {most} were kept, shortened.</source>
        <translation>Tiene más de {most} etiquetas o muy largas; se conservaron como etiquetas las primeras {most}, acortadas.</translation>
    </message>
    <message>
        <source>It has neither a title nor a text and was left out.</source>
        <translation>No tiene título ni texto y se omitió.</translation>
    </message>
    <message>
        <source>It has no encoding mark and was read as {guess}.</source>
        <translation>No tiene marca de codificación y se leyó como {guess}.</translation>
    </message>
    <message>
        <source>It has no end.</source>
        <translation>Le falta el final.</translation>
    </message>
    <message>
        <source>It has no messages (&apos;chat_messages&apos; is missing) and was left out.</source>
        <translation>No tiene mensajes (falta «chat_messages») y se omitió.</translation>
    </message>
    <message>
        <source>It has no messages (&apos;mapping&apos; is missing or empty) and was left out.</source>
        <translation>No tiene mensajes («mapping» falta o está vacío) y se omitió.</translation>
    </message>
    <message>
        <source>It has no name that can be stored, and was left out.</source>
        <translation>No tiene un nombre que se pueda guardar y se omitió.</translation>
    </message>
    <message>
        <source>It has no text and was left out.</source>
        <translation>No tiene texto y se omitió.</translation>
    </message>
    <message>
        <source>It has no time that can be read and was left out.</source>
        <translation>No tiene una hora legible y se omitió.</translation>
    </message>
    <message>
        <source>It has no two ends with names and was left out.</source>
        <translation>No tiene dos extremos con nombre y se omitió.</translation>
    </message>
    <message>
        <source>It has {count} {things}, none of them a conversation, message or note that this version knows.</source>
        <translation>Tiene {count} {things}, y nada es una conversación, mensaje o nota que esta versión conozca.</translation>
    </message>
    <message>
        <source>It holds no text and was left out.</source>
        <translation>No contiene texto y se omitió.</translation>
    </message>
    <message>
        <source>It holds words and was left out; to have them, unpack the zip.</source>
        <translation>Contiene texto y se omitió; para tenerlo, descomprime el zip.</translation>
    </message>
    <message>
        <source>It holds words in no format that is known and was left out.</source>
        <translation>Contiene texto en un formato desconocido y se omitió.</translation>
    </message>
    <message>
        <source>It holds words {where} that this version does not know; they {end}: {sample}.</source>
        <translation>Contiene {where} texto que esta versión no conoce; {end}: {sample}.</translation>
    </message>
    <message>
        <source>It is a Keepsake vault and was left out. {advice}</source>
        <translation>Es una bóveda de Keepsake y se omitió. {advice}</translation>
    </message>
    <message>
        <source>It is a link that leads nowhere or in a circle and was left out.</source>
        <translation>Es un enlace que no lleva a ninguna parte o da vueltas, y se omitió.</translation>
    </message>
    <message>
        <source>It is a link that leads out of the folder and was not followed.</source>
        <translation>Es un enlace que sale de la carpeta y no se siguió.</translation>
    </message>
    <message>
        <source>It is a link to a folder that it lies in and was not followed; the notes there are read once.</source>
        <translation>Es un enlace a una carpeta en la que está y no se siguió; las notas de allí se leen una vez.</translation>
    </message>
    <message>
        <source>It is a link, which is not followed; it was left out.</source>
        <translation>Es un enlace, que no se sigue; se omitió.</translation>
    </message>
    <message>
        <source>It is a pipe, a socket or a device and was left out.</source>
        <translation>Es una tubería, un socket o un dispositivo y se omitió.</translation>
    </message>
    <message>
        <source>It is an item of a kind that this version does not know, and was left out.</source>
        <translation>Es un elemento de un tipo que esta versión no conoce, y se omitió.</translation>
    </message>
    <message>
        <source>It is cut off and was left out; import the file again when it is complete.</source>
        <translation>Está cortado y se omitió; importa el archivo de nuevo cuando esté completo.</translation>
    </message>
    <message>
        <source>It is damaged and was left out.</source>
        <translation>Está dañado y se omitió.</translation>
    </message>
    <message>
        <source>It is damaged or cannot be read, and was left out.</source>
        <translation>Está dañado o no se puede leer, y se omitió.</translation>
    </message>
    <message>
        <source>It is damaged, or larger than {most} MB, and was left out.</source>
        <translation>Está dañado o supera {most} MB, y se omitió.</translation>
    </message>
    <message>
        <source>It is damaged, or no database at all.</source>
        <translation>El archivo está dañado o no es una base de datos.</translation>
    </message>
    <message>
        <source>It is damaged, or something other than its name says.</source>
        <translation>Está dañado o es algo distinto de lo que dice su nombre.</translation>
    </message>
    <message>
        <source>It is damaged: {lines}.</source>
        <translation>Está dañada: {lines}.</translation>
    </message>
    <message>
        <source>It is empty and was left out.</source>
        <translation>Está vacío y se omitió.</translation>
    </message>
    <message>
        <source>It is encrypted and was left out. Export it from a Joplin that can decrypt it.</source>
        <translation>Está cifrada y se omitió. Expórtala desde un Joplin que pueda descifrarla.</translation>
    </message>
    <message>
        <source>It is from a newer Keepsake (schema {schema}; this one knows {known}).</source>
        <translation>Es de un Keepsake más reciente (esquema {schema}; este conoce {known}).</translation>
    </message>
    <message>
        <source>It is hidden, holds words and was left out; to have them, import this file.</source>
        <translation>Está oculto, contiene texto y se omitió; para tenerlo, importa este archivo.</translation>
    </message>
    <message>
        <source>It is joined to no other message by its &apos;parent&apos; and was left out; the format &apos;{name}&apos; takes it.</source>
        <translation>Su «parent» no lo une a ningún otro mensaje y se omitió; el formato «{name}» lo toma.</translation>
    </message>
    <message>
        <source>It is larger than an archive within an archive may be.</source>
        <translation>Es mayor de lo que puede ser un paquete dentro de otro.</translation>
    </message>
    <message>
        <source>It is larger than an attachment may be.</source>
        <translation>Supera el tamaño que puede tener un adjunto.</translation>
    </message>
    <message>
        <source>It is larger than {most} MB and was left out.</source>
        <translation>Supera {most} MB y se omitió.</translation>
    </message>
    <message>
        <source>It is larger than {most} MB, so only its text was taken.</source>
        <translation>Supera {most} MB, por eso solo se tomó su texto.</translation>
    </message>
    <message>
        <source>It is larger than {most} million characters and was left out.</source>
        <translation>Supera {most} millones de caracteres y se omitió.</translation>
    </message>
    <message>
        <source>It is longer than {most} MB and was left out.</source>
        <translation>Es más largo de {most} MB y se omitió.</translation>
    </message>
    <message>
        <source>It is missing.</source>
        <translation>Falta.</translation>
    </message>
    <message>
        <source>It is nested beyond reason.</source>
        <translation>El anidamiento es excesivo.</translation>
    </message>
    <message>
        <source>It is no canvas of the JSON Canvas format, or damaged; it was left out.</source>
        <translation>No es un lienzo del formato JSON Canvas, o está dañado; se omitió.</translation>
    </message>
    <message>
        <source>It is no database of Keepsake.</source>
        <translation>No es una base de datos de Keepsake.</translation>
    </message>
    <message>
        <source>It is no database that Keepsake can read ({kind}).</source>
        <translation>El archivo no es una base de datos que Keepsake pueda leer ({kind}).</translation>
    </message>
    <message>
        <source>It is no item of Joplin: the fields at its end are missing or damaged. It was left out.</source>
        <translation>No es un elemento de Joplin: los campos del final faltan o están dañados. Se omitió.</translation>
    </message>
    <message>
        <source>It is no line of JSON that a memory server writes and was left out.</source>
        <translation>No es una línea de JSON de un servidor de memoria y se omitió.</translation>
    </message>
    <message>
        <source>It is not JSON and was left out: {text}.</source>
        <translation>No es JSON y se omitió: {text}.</translation>
    </message>
    <message>
        <source>It is not UTF-8 and was read as {encoding}; check its special letters.</source>
        <translation>No es UTF-8 y se leyó como {encoding}; revisa sus letras especiales.</translation>
    </message>
    <message>
        <source>It is not UTF-8; check its special letters.</source>
        <translation>No es UTF-8; revisa sus letras especiales.</translation>
    </message>
    <message>
        <source>It is not a JSON object and was left out.</source>
        <translation>No es un objeto JSON y se omitió.</translation>
    </message>
    <message>
        <source>It is not a complete zip file, so its notes were left out.</source>
        <translation>No es un archivo zip completo, por eso se omitieron sus notas.</translation>
    </message>
    <message>
        <source>It is not a conversation of Cursor and was left out.</source>
        <translation>No es una conversación de Cursor y se omitió.</translation>
    </message>
    <message>
        <source>It is not a message of Signal and was left out.</source>
        <translation>No es un mensaje de Signal y se omitió.</translation>
    </message>
    <message>
        <source>It is not an object and was left out.</source>
        <translation>No es un objeto y se omitió.</translation>
    </message>
    <message>
        <source>It is not complete JSON, or has no messages, and was left out.</source>
        <translation>No es JSON completo, o no tiene mensajes, y se omitió.</translation>
    </message>
    <message>
        <source>It is not complete JSON, or too large, and was left out.</source>
        <translation>No es JSON completo, o es demasiado grande, y se omitió.</translation>
    </message>
    <message>
        <source>It is not in the file, and was left out.</source>
        <translation>No está en el archivo y se omitió.</translation>
    </message>
    <message>
        <source>It is not read. Move it out of the folder.</source>
        <translation>No se lee. Sácalo de la carpeta.</translation>
    </message>
    <message>
        <source>It is not text and was left out.</source>
        <translation>No es texto y se omitió.</translation>
    </message>
    <message>
        <source>It is not text, in spite of its name, and was left out.</source>
        <translation>A pesar de su nombre, no es texto y se omitió.</translation>
    </message>
    <message>
        <source>It is not text, in spite of its name; it was left out.</source>
        <translation>A pesar de su nombre, no es texto; se omitió.</translation>
    </message>
    <message>
        <source>It is not valid JSON and was left out: {error}.</source>
        <translation>No es JSON válido y se omitió: {error}.</translation>
    </message>
    <message>
        <source>It is not valid JSON: line {line} cannot be read.</source>
        <translation>No es JSON válido: la línea {line} no se puede leer.</translation>
    </message>
    <message>
        <source>It is not valid TOML: {reason}.</source>
        <translation>No es TOML válido: {reason}.</translation>
    </message>
    <message>
        <source>It is switched off in the settings.</source>
        <translation>Está desactivado en los ajustes.</translation>
    </message>
    <message>
        <source>It leads out of the attachments folder, so it is not shown.</source>
        <translation>Conduce fuera de la carpeta de adjuntos, así que no se muestra.</translation>
    </message>
    <message>
        <source>It needs its passphrase or key and was left out; import it alone.</source>
        <translation>Necesita su frase de contraseña o clave y se omitió; impórtalo por separado.</translation>
    </message>
    <message>
        <source>It ran already.</source>
        <translation>Ya se ejecutaba.</translation>
    </message>
    <message>
        <source>It ran on {machine}.</source>
        <translation>Se ejecutó en {machine}.</translation>
    </message>
    <message>
        <source>It stopped because of a fault in Keepsake ({kind}).</source>
        <translation>Se detuvo por un fallo de Keepsake ({kind}).</translation>
    </message>
    <message>
        <source>It takes the vault&apos;s place when Keepsake is started again; until then nothing changes.</source>
        <translation>Ocupará el lugar de la bóveda cuando Keepsake se inicie de nuevo; hasta entonces nada cambia.</translation>
    </message>
    <message>
        <source>It takes {values}.</source>
        <translation>Admite {values}.</translation>
    </message>
    <message>
        <source>It waited after a failure.</source>
        <translation>Esperó tras un fallo.</translation>
    </message>
    <message>
        <source>It waited because incognito was on.</source>
        <translation>Esperó porque el modo incógnito estaba activo.</translation>
    </message>
    <message>
        <source>It waited because {agent}, who made it, was paused.</source>
        <translation>Esperó porque {agent}, que lo creó, estaba en pausa.</translation>
    </message>
    <message>
        <source>It waited for a language model or an agent.</source>
        <translation>Esperó a un modelo de lenguaje o a un agente.</translation>
    </message>
    <message>
        <source>It waited: {why}</source>
        <translation>Esperó: {why}</translation>
    </message>
    <message>
        <source>It waited: {why}.</source>
        <translation>Esperó: {why}.</translation>
    </message>
    <message>
        <source>It waits already.</source>
        <translation>Ya está en espera.</translation>
    </message>
    <message>
        <source>It was accepted already.</source>
        <translation>Ya se aceptó.</translation>
    </message>
    <message>
        <source>It was checked and is sound.</source>
        <translation>Se comprobó y está en orden.</translation>
    </message>
    <message>
        <source>It was left out.</source>
        <translation>Se omitió.</translation>
    </message>
    <message>
        <source>It was left out: {error}.</source>
        <translation>Se omitió: {error}.</translation>
    </message>
    <message>
        <source>It was left out: {reason}.</source>
        <translation>Se omitió: {reason}.</translation>
    </message>
    <message>
        <source>It was missed.</source>
        <translation>Se perdió.</translation>
    </message>
    <message>
        <source>It was not finished: {why}</source>
        <translation>No se terminó: {why}</translation>
    </message>
    <message>
        <source>It was rejected already.</source>
        <translation>Ya se rechazó.</translation>
    </message>
    <message>
        <source>It was stopped after 1 turn.</source>
        <translation>Se detuvo tras 1 turno.</translation>
    </message>
    <message>
        <source>It was stopped after {count} turns.</source>
        <translation>Se detuvo tras {count} turnos.</translation>
    </message>
    <message>
        <source>It was stopped after {seconds} seconds.</source>
        <translation>Se detuvo tras {seconds} segundos.</translation>
    </message>
    <message>
        <source>It was stopped because it cost {cost}; {most} is allowed.</source>
        <translation>Se detuvo porque costó {cost}; se permite {most}.</translation>
    </message>
    <message>
        <source>It was stopped because the conversation with the model became too long.</source>
        <translation>Se detuvo porque la conversación con el modelo se hizo demasiado larga.</translation>
    </message>
    <message>
        <source>It was stopped on request.</source>
        <translation>Se detuvo a petición.</translation>
    </message>
    <message>
        <source>It was stopped.</source>
        <translation>Se detuvo.</translation>
    </message>
    <message>
        <source>It was the turn of another of your machines.</source>
        <translation>Le tocaba a otro de tus equipos.</translation>
    </message>
    <message>
        <source>It was the turn of {machine}.</source>
        <translation>Le tocaba a {machine}.</translation>
    </message>
    <message>
        <source>It went in without {names}, whose value cannot be read; it is kept in &apos;meta&apos;.</source>
        <translation>Se incorporó sin {names}, cuyo valor no se puede leer; se conserva en «meta».</translation>
    </message>
    <message>
        <source>Item {place} has {count} characters; at most {max_item_characters} are allowed.</source>
        <translation>El elemento {place} tiene {count} caracteres; se permiten {max_item_characters} como máximo.</translation>
    </message>
    <message>
        <source>Its XML is damaged ({why}).</source>
        <translation>Su XML está dañado ({why}).</translation>
    </message>
    <message>
        <source>Its dates are of the {name} calendar and were converted.</source>
        <translation>Sus fechas son del calendario {name} y se convirtieron.</translation>
    </message>
    <message>
        <source>Its dates may mean day or month first; they were read with the day first.</source>
        <translation>Sus fechas pueden empezar por el día o por el mes; se leyeron con el día primero.</translation>
    </message>
    <message>
        <source>Its dates may mean day or month first; they were read with the month first.</source>
        <translation>Sus fechas pueden empezar por el día o por el mes; se leyeron con el mes primero.</translation>
    </message>
    <message>
        <source>Its documents (&apos;docs&apos;) are no list and were left out.</source>
        <translation>Sus documentos («docs») no son una lista y se omitieron.</translation>
    </message>
    <message>
        <source>Its entity has no name that can be stored and was left out.</source>
        <translation>Su entidad no tiene un nombre que se pueda guardar y se omitió.</translation>
    </message>
    <message>
        <source>Its folder</source>
        <translation>Su carpeta</translation>
    </message>
    <message>
        <source>Its front matter is nested or repeated beyond reason; it stays part of the text.</source>
        <translation>El encabezado está anidado o repetido en exceso; sigue siendo parte del texto.</translation>
    </message>
    <message>
        <source>Its front matter is not YAML ({reason}); it stays part of the text.</source>
        <translation>El encabezado no es YAML ({reason}); sigue siendo parte del texto.</translation>
    </message>
    <message>
        <source>Its front matter is not YAML, line {line} ({reason}); it stays part of the text.</source>
        <translation>El encabezado no es YAML, línea {line} ({reason}); sigue siendo parte del texto.</translation>
    </message>
    <message>
        <source>Its inline table cannot be told from others, so nothing can be added to it.</source>
        <translation>Su tabla en línea no se distingue de otras, así que no se le puede añadir nada.</translation>
    </message>
    <message>
        <source>Its message is not JSON and was left out.</source>
        <translation>Su mensaje no es JSON y se omitió.</translation>
    </message>
    <message>
        <source>Its number is not greater than the last one stored of session {session_id}, and its text is another.</source>
        <translation>Su número no es mayor que el último guardado de la conversación {session_id}, y su texto es otro.</translation>
    </message>
    <message>
        <source>Its number {seq} does not follow {key}; it was kept in the order of the file.</source>
        <translation>Su número {seq} no sigue a {key}; se mantuvo en el orden del archivo.</translation>
    </message>
    <message>
        <source>Its path leads out of the archive; it was left out.</source>
        <translation>Su ruta sale del paquete; se omitió.</translation>
    </message>
    <message>
        <source>Its relation has no two ends with names and was left out.</source>
        <translation>Su relación no tiene dos extremos con nombre y se omitió.</translation>
    </message>
    <message>
        <source>Its role {shown} is none of {roles}; it was left out.</source>
        <translation>Su rol {shown} no es ninguno de {roles}; se omitió.</translation>
    </message>
    <message>
        <source>Its role {shown} is unknown; it went in as &apos;system&apos;.</source>
        <translation>Su rol {shown} es desconocido; se incorporó como «system».</translation>
    </message>
    <message>
        <source>Its sender {text} is unknown; it went in as &apos;system&apos;.</source>
        <translation>Su remitente {text} es desconocido; se incorporó como «system».</translation>
    </message>
    <message>
        <source>Its text has no end.</source>
        <translation>A su texto le falta el final.</translation>
    </message>
    <message>
        <source>Its text is encrypted and was left out. Decrypt the mail, and export it again.</source>
        <translation>Su texto está cifrado y se omitió. Descifra el correo y expórtalo de nuevo.</translation>
    </message>
    <message>
        <source>Its text is longer than {most} million characters; the rest was left out.</source>
        <translation>Su texto supera {most} millones de caracteres; el resto se omitió.</translation>
    </message>
    <message>
        <source>Its text is not in the agent file.</source>
        <translation>Su texto no está en el archivo del agente.</translation>
    </message>
    <message>
        <source>Its text is not {charset}, as it says; it was read as {encoding}.</source>
        <translation>Su texto no es {charset}, como dice; se leyó como {encoding}.</translation>
    </message>
    <message>
        <source>Its text was read as far as it goes.</source>
        <translation>Su texto se leyó hasta donde llega.</translation>
    </message>
    <message>
        <source>Its time has passed. Give it a new one.</source>
        <translation>Su hora ha pasado. Dale una nueva.</translation>
    </message>
    <message>
        <source>Job {key} is running already.</source>
        <translation>La tarea {key} ya está en marcha.</translation>
    </message>
    <message>
        <source>Join 1 short name of a person to the full name near it.</source>
        <translation>Unir 1 nombre corto de una persona con el nombre completo cercano.</translation>
    </message>
    <message>
        <source>Join {count} short names of people to the full names near them.</source>
        <translation>Unir {count} nombres cortos de personas con los nombres completos cercanos.</translation>
    </message>
    <message>
        <source>Joined 1 short name of a person to the full name near it.</source>
        <translation>1 nombre corto de una persona unido al nombre completo cercano.</translation>
    </message>
    <message>
        <source>Joined {count} short names of people to the full names near them.</source>
        <translation>{count} nombres cortos de personas unidos a los nombres completos cercanos.</translation>
    </message>
    <message>
        <source>Joplin export</source>
        <translation>Exportación de Joplin</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Conservar</translation>
    </message>
    <message>
        <source>Keep a log of what the engine does, never of content.</source>
        <translation>Llevar un registro de lo que hace el motor, nunca del contenido.</translation>
    </message>
    <message>
        <source>Keep runs</source>
        <translation>Ejecuciones que se conservan</translation>
    </message>
    <message>
        <source>Keep the database quick, small and sound, and verify the latest backup.</source>
        <translation>Mantener la base de datos rápida, pequeña y sana, y verificar la última copia.</translation>
    </message>
    <message>
        <source>Keep the text of agents&apos; searches in the ledger. When off, only a keyed hash of it, which nobody can read.</source>
        <translation>Guardar el texto de las búsquedas de los agentes en el registro de accesos. Si no, solo un resumen cifrado que nadie puede leer.</translation>
    </message>
    <message>
        <source>Keepsake does not know how long the vectors of this model are; set embedding.dimensions to a number from 1 to {most}.</source>
        <translation>Keepsake no sabe qué longitud tienen los vectores de este modelo; pon en embedding.dimensions un número de 1 a {most}.</translation>
    </message>
    <message>
        <source>Keepsake does not know this program, or its token was replaced by a newer one. Use the newest token, or call &apos;agent.request_access&apos; and have the person allow &apos;{agent}&apos; in Keepsake&apos;s window or with &apos;keepsake agent allow&apos;.</source>
        <translation>Keepsake no conoce este programa, o su token fue sustituido por otro más nuevo. Usa el token más nuevo, o llama a «agent.request_access» y pide a la persona que permita «{agent}» en la ventana de Keepsake o con «keepsake agent allow».</translation>
    </message>
    <message>
        <source>Keepsake export</source>
        <translation>Exportación de Keepsake</translation>
    </message>
    <message>
        <source>Keepsake has too many files and connections open. Close some clients, or allow more (ulimit -n).</source>
        <translation>Keepsake tiene demasiados archivos y conexiones abiertos. Cierra algunos clientes o permite más (ulimit -n).</translation>
    </message>
    <message>
        <source>Keepsake is closing; the keyring is not asked any more.</source>
        <translation>Keepsake se está cerrando; ya no se consulta el llavero.</translation>
    </message>
    <message>
        <source>Keepsake is not running for {vault}. Open its window or run &apos;keepsake serve&apos;.</source>
        <translation>No hay ningún Keepsake en marcha para {vault}. Abre su ventana o ejecuta «keepsake serve».</translation>
    </message>
    <message>
        <source>Keepsake runs but is too busy to take another program now. Try again shortly.</source>
        <translation>Keepsake está en marcha, pero demasiado ocupado para atender ahora a otro programa. Inténtalo dentro de un momento.</translation>
    </message>
    <message>
        <source>Keepsake runs its own schedules itself.</source>
        <translation>Keepsake ejecuta él mismo sus propias programaciones.</translation>
    </message>
    <message>
        <source>Keepsake shows only files of the vault&apos;s attachments folder.</source>
        <translation>Keepsake solo muestra archivos de la carpeta de adjuntos de la bóveda.</translation>
    </message>
    <message>
        <source>Keepsake was closed meanwhile.</source>
        <translation>Keepsake se cerró mientras tanto.</translation>
    </message>
    <message>
        <source>Keepsake was closed while it was asked. Start it again and repeat this.</source>
        <translation>Keepsake se cerró mientras se le consultaba. Ábrelo de nuevo y repite la acción.</translation>
    </message>
    <message>
        <source>Keepsake&apos;s own work has no trust to change.</source>
        <translation>El trabajo propio de Keepsake no tiene confianza que cambiar.</translation>
    </message>
    <message>
        <source>Keys that differ from the usual ones, as a JSON object of actions and keys.</source>
        <translation>Teclas distintas de las habituales, como objeto JSON de acciones y teclas.</translation>
    </message>
    <message>
        <source>Language of the window; &apos;system&apos; is that of the computer, where Keepsake speaks it, else English.</source>
        <translation>Idioma de la ventana; «system» es el del equipo si Keepsake lo habla, y si no inglés.</translation>
    </message>
    <message>
        <source>Late interaction has not read {waiting} of the first {hits} results yet; until then they count by words and meaning alone.</source>
        <translation>La interacción tardía aún no ha leído {waiting} de los primeros {hits} resultados; hasta entonces solo cuentan para ellos las palabras y el significado.</translation>
    </message>
    <message>
        <source>Latest messages in an agent&apos;s context.</source>
        <translation>Últimos mensajes en el contexto de un agente.</translation>
    </message>
    <message>
        <source>Latest messages that the recipe &apos;tri&apos; takes.</source>
        <translation>Últimos mensajes que toma la receta «tri».</translation>
    </message>
    <message>
        <source>Latest turns of this conversation</source>
        <translation>Últimos turnos de esta conversación</translation>
    </message>
    <message>
        <source>Learned</source>
        <translation>Aprendida</translation>
    </message>
    <message>
        <source>Length of the vectors a remote model is asked for; 0 for its own.</source>
        <translation>Longitud de los vectores que se pide a un modelo remoto; 0 para la suya.</translation>
    </message>
    <message>
        <source>Let 1 fact fade.</source>
        <translation>1 hecho se desvaneció.</translation>
    </message>
    <message>
        <source>Let facts that are not used lose confidence, and set aside those that faded.</source>
        <translation>Dejar que los hechos sin uso pierdan confianza y apartar los que se desvanecieron.</translation>
    </message>
    <message>
        <source>Let facts that are not used lose confidence.</source>
        <translation>Dejar que los hechos sin uso pierdan confianza.</translation>
    </message>
    <message>
        <source>Let reads go on while something is written; off, for file systems that cannot share memory, is far slower.</source>
        <translation>Dejar leer mientras se escribe; desactivado, para sistemas de archivos sin memoria compartida, es mucho más lento.</translation>
    </message>
    <message>
        <source>Let {count} facts fade.</source>
        <translation>{count} hechos se desvanecieron.</translation>
    </message>
    <message>
        <source>Letta</source>
        <translation>Letta</translation>
    </message>
    <message>
        <source>Lexical weight</source>
        <translation>Peso de las palabras</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Claro</translation>
    </message>
    <message>
        <source>Lines of the memory index.</source>
        <translation>Líneas del índice de recuerdos.</translation>
    </message>
    <message>
        <source>Linked 1 name.</source>
        <translation>1 nombre vinculado.</translation>
    </message>
    <message>
        <source>Linked {count} names.</source>
        <translation>{count} nombres vinculados.</translation>
    </message>
    <message>
        <source>Look into it with &apos;keepsake --vault&apos; in a folder of its own, then move it away; and keep the vault out of synchronised folders.</source>
        <translation>Míralo con «keepsake --vault» en una carpeta aparte y luego llévalo a otro lugar; y mantén la bóveda fuera de carpetas sincronizadas.</translation>
    </message>
    <message>
        <source>Look whether anything is missing, then delete the file.</source>
        <translation>Mira si falta algo y luego elimina el archivo.</translation>
    </message>
    <message>
        <source>Looked after the vault</source>
        <translation>Cuidó la bóveda</translation>
    </message>
    <message>
        <source>Looked at conversations</source>
        <translation>Consultó conversaciones</translation>
    </message>
    <message>
        <source>Looked at its proposals</source>
        <translation>Consultó sus propuestas</translation>
    </message>
    <message>
        <source>Looked at notes</source>
        <translation>Consultó notas</translation>
    </message>
    <message>
        <source>Looked at reflections</source>
        <translation>Consultó reflexiones</translation>
    </message>
    <message>
        <source>Looked at saved searches</source>
        <translation>Consultó las búsquedas guardadas</translation>
    </message>
    <message>
        <source>Looked at settings</source>
        <translation>Consultó los ajustes</translation>
    </message>
    <message>
        <source>Looked at tags</source>
        <translation>Consultó etiquetas</translation>
    </message>
    <message>
        <source>Looked at the archive</source>
        <translation>Consultó el archivo</translation>
    </message>
    <message>
        <source>Looked at the timeline</source>
        <translation>Consultó la cronología</translation>
    </message>
    <message>
        <source>Looked at transcripts</source>
        <translation>Consultó las transcripciones</translation>
    </message>
    <message>
        <source>Looked at upkeep</source>
        <translation>Consultó el mantenimiento</translation>
    </message>
    <message>
        <source>Looked up people and things</source>
        <translation>Consultó personas y cosas</translation>
    </message>
    <message>
        <source>Lower {parts}, or raise sessions.budget.</source>
        <translation>Baja {parts} o sube sessions.budget.</translation>
    </message>
    <message>
        <source>Lowered the confidence of {items}</source>
        <translation>Confianza reducida: {items}</translation>
    </message>
    <message>
        <source>MCP memory server</source>
        <translation>Servidor de memoria MCP</translation>
    </message>
    <message>
        <source>MCP memory service</source>
        <translation>Servicio de memoria MCP</translation>
    </message>
    <message>
        <source>Made 1 conversation for messages that had none.</source>
        <translation>Se creó 1 conversación para mensajes que no la tenían.</translation>
    </message>
    <message>
        <source>Made the index {name} anew.</source>
        <translation>Se rehízo el índice {name}.</translation>
    </message>
    <message>
        <source>Made the search index of 1 message or memory anew.</source>
        <translation>Se rehízo el índice de búsqueda de 1 mensaje o recuerdo.</translation>
    </message>
    <message>
        <source>Made the search index of {count} messages and memories anew.</source>
        <translation>Se rehízo el índice de búsqueda de {count} mensajes y recuerdos.</translation>
    </message>
    <message>
        <source>Made {count} conversations for messages that had none.</source>
        <translation>Se crearon {count} conversaciones para mensajes que no las tenían.</translation>
    </message>
    <message>
        <source>Made {name} readable for you only.</source>
        <translation>Ahora solo tú puedes leer {name}.</translation>
    </message>
    <message>
        <source>Mails</source>
        <translation>Correos</translation>
    </message>
    <message>
        <source>Make vectors in the background, for search by meaning.</source>
        <translation>Hacer vectores en segundo plano, para buscar por significado.</translation>
    </message>
    <message>
        <source>Making a backup</source>
        <translation>Haciendo una copia</translation>
    </message>
    <message>
        <source>Markdown notes</source>
        <translation>Notas Markdown</translation>
    </message>
    <message>
        <source>Max history</source>
        <translation>Historial máximo</translation>
    </message>
    <message>
        <source>Max output tokens</source>
        <translation>Tokens máximos de salida</translation>
    </message>
    <message>
        <source>Megabytes</source>
        <translation>Megabytes</translation>
    </message>
    <message>
        <source>Memories and messages searched in one run.</source>
        <translation>Recuerdos y mensajes que examina una ejecución.</translation>
    </message>
    <message>
        <source>Memories candidate similarity</source>
        <translation>Similitud de candidatos</translation>
    </message>
    <message>
        <source>Memories conflict confidence</source>
        <translation>Confianza tras contradicción</translation>
    </message>
    <message>
        <source>Memories decay rate</source>
        <translation>Ritmo de desvanecimiento</translation>
    </message>
    <message>
        <source>Memories duplicate similarity</source>
        <translation>Similitud de duplicados</translation>
    </message>
    <message>
        <source>Memories it looks at.</source>
        <translation>Recuerdos que mira.</translation>
    </message>
    <message>
        <source>Memories of an agent</source>
        <translation>Recuerdos de un agente</translation>
    </message>
    <message>
        <source>Memories reconcile seconds</source>
        <translation>Segundos para conciliar</translation>
    </message>
    <message>
        <source>Memory index</source>
        <translation>Índice de recuerdos</translation>
    </message>
    <message>
        <source>Mentioned {items} again</source>
        <translation>Mencionado de nuevo: {items}</translation>
    </message>
    <message>
        <source>Merged {items}</source>
        <translation>Fusionado: {items}</translation>
    </message>
    <message>
        <source>Message number {seq} is not greater than {previous}, the last of session {session}.</source>
        <translation>El mensaje número {seq} no es mayor que {previous}, el último de la conversación {session}.</translation>
    </message>
    <message>
        <source>Messages consolidated in one step.</source>
        <translation>Mensajes que se consolidan en un paso.</translation>
    </message>
    <message>
        <source>Messages of a conversation that agents are given.</source>
        <translation>Mensajes de una conversación que reciben los agentes.</translation>
    </message>
    <message>
        <source>Messages of an agent</source>
        <translation>Mensajes de un agente</translation>
    </message>
    <message>
        <source>Messages of each conversation in use that are held in memory.</source>
        <translation>Mensajes de cada conversación en uso que se guardan en memoria.</translation>
    </message>
    <message>
        <source>Messages that a compaction leaves as they are.</source>
        <translation>Mensajes que una condensación deja como están.</translation>
    </message>
    <message>
        <source>Messages that a turn must have for that.</source>
        <translation>Mensajes que un turno debe tener para ello.</translation>
    </message>
    <message>
        <source>Messages that an emergency leaves.</source>
        <translation>Mensajes que deja una emergencia.</translation>
    </message>
    <message>
        <source>Messages without which nothing is condensed.</source>
        <translation>Mensajes mínimos para condensar algo.</translation>
    </message>
    <message>
        <source>Messenger or Instagram</source>
        <translation>Messenger o Instagram</translation>
    </message>
    <message>
        <source>Milliseconds to wait while another program holds the database.</source>
        <translation>Milisegundos de espera mientras otro programa ocupa la base de datos.</translation>
    </message>
    <message>
        <source>Min interval</source>
        <translation>Intervalo mínimo</translation>
    </message>
    <message>
        <source>Minimum seconds between two runs of a schedule.</source>
        <translation>Segundos mínimos entre dos ejecuciones de una programación.</translation>
    </message>
    <message>
        <source>Minutes without use after which the window locks an encrypted vault; 0 for never.</source>
        <translation>Minutos sin uso tras los que la ventana bloquea una bóveda cifrada; 0 para nunca.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modelo</translation>
    </message>
    <message>
        <source>Model of fastembed that adds its judgement to the order of the first 50 results; empty for none. A cross-encoder reads them again at each search, a late interaction model reads all texts once in the background.</source>
        <translation>Modelo de fastembed que suma su juicio al orden de los primeros 50 resultados; vacío para ninguno. Un cross-encoder vuelve a leerlos en cada búsqueda; un modelo de interacción tardía lee todos los textos una sola vez en segundo plano.</translation>
    </message>
    <message>
        <source>Monday</source>
        <translation>Lunes</translation>
    </message>
    <message>
        <source>Monthly backups that are kept.</source>
        <translation>Copias mensuales que se conservan.</translation>
    </message>
    <message>
        <source>More than one item has an id that ends as {short} does: {candidates}. Give the whole id.</source>
        <translation>Más de un elemento tiene un identificador que termina como {short}: {candidates}. Indica el identificador completo.</translation>
    </message>
    <message>
        <source>Move it away; it cannot be restored.</source>
        <translation>Llévala a otro lugar; no se puede restaurar.</translation>
    </message>
    <message>
        <source>Name a file or a folder: &apos;path&apos; is empty or has a character no path can have.</source>
        <translation>Indica un archivo o una carpeta: «path» está vacío o tiene un carácter que ninguna ruta puede tener.</translation>
    </message>
    <message>
        <source>Name a schedule of yours.</source>
        <translation>Indica una de tus programaciones.</translation>
    </message>
    <message>
        <source>Name a session or a channel to restore.</source>
        <translation>Indica una conversación o un canal que restaurar.</translation>
    </message>
    <message>
        <source>Name an agent; what the person did is undone with &apos;memory.undo&apos;.</source>
        <translation>Indica un agente; lo que hiciste se deshace con «memory.undo».</translation>
    </message>
    <message>
        <source>Name another --vault.</source>
        <translation>Indica otra --vault.</translation>
    </message>
    <message>
        <source>Name at least one other entity to merge into this one.</source>
        <translation>Indica al menos otro nombre que fusionar con este.</translation>
    </message>
    <message>
        <source>Name of a quicker model for small work; the other one when empty.</source>
        <translation>Nombre de un modelo más rápido para trabajos pequeños; el otro si está vacío.</translation>
    </message>
    <message>
        <source>Name of the model as the service calls it.</source>
        <translation>Nombre del modelo tal como lo llama el servicio.</translation>
    </message>
    <message>
        <source>Name or folder of the spaCy pipeline; empty for the best installed one.</source>
        <translation>Nombre o carpeta del pipeline de spaCy; vacío para el mejor instalado.</translation>
    </message>
    <message>
        <source>Name the file or folder by its whole path, from the top or from &apos;~&apos;.</source>
        <translation>Indica el archivo o la carpeta con su ruta completa, desde la raíz o desde «~».</translation>
    </message>
    <message>
        <source>Name the items: &apos;id&apos; for one, &apos;ids&apos; for several.</source>
        <translation>Indica los elementos: «id» para uno, «ids» para varios.</translation>
    </message>
    <message>
        <source>Name the proposals: &apos;id&apos; for one, &apos;ids&apos; for several.</source>
        <translation>Indica las propuestas: «id» para una, «ids» para varias.</translation>
    </message>
    <message>
        <source>Name what to undo: either &apos;history_ids&apos; or a &apos;run_id&apos;.</source>
        <translation>Indica qué deshacer: «history_ids» o un «run_id».</translation>
    </message>
    <message>
        <source>Names from it stay with people or things you changed, protected or connected yourself.</source>
        <translation>Los nombres que contenía permanecen en personas o cosas que tú cambiaste, protegiste o relacionaste.</translation>
    </message>
    <message>
        <source>Names up to which a memory or message has few.</source>
        <translation>Nombres hasta los que se considera que un recuerdo o mensaje tiene pocos.</translation>
    </message>
    <message>
        <source>Neither spaCy nor a language model is there to find names with.</source>
        <translation>No hay ni spaCy ni un modelo de lenguaje para buscar nombres.</translation>
    </message>
    <message>
        <source>Ner batch</source>
        <translation>Lote de reconocimiento de nombres</translation>
    </message>
    <message>
        <source>Ner spacy pipeline</source>
        <translation>Pipeline de spaCy para nombres</translation>
    </message>
    <message>
        <source>No agent named &apos;{name}&apos; has a vault of its own. See &apos;agent.vaults&apos;.</source>
        <translation>Ningún agente llamado «{name}» tiene bóveda propia. Ver «agent.vaults».</translation>
    </message>
    <message>
        <source>No conversation waits.</source>
        <translation>No espera ninguna conversación.</translation>
    </message>
    <message>
        <source>No daily backups are made, while old observations are archived and in time deleted.</source>
        <translation>No se hacen copias de seguridad diarias, mientras que las observaciones antiguas se archivan y con el tiempo se eliminan.</translation>
    </message>
    <message>
        <source>No fact faded.</source>
        <translation>Ningún hecho se desvaneció.</translation>
    </message>
    <message>
        <source>No fact has to fade.</source>
        <translation>Ningún hecho tiene que desvanecerse.</translation>
    </message>
    <message>
        <source>No item has such a tag.</source>
        <translation>Ningún elemento tiene esa etiqueta.</translation>
    </message>
    <message>
        <source>No keyring is used here; name an environment variable.</source>
        <translation>Aquí no se usa ningún llavero; indica una variable de entorno.</translation>
    </message>
    <message>
        <source>No language model is configured; see the settings llm.*.</source>
        <translation>No hay ningún modelo de lenguaje configurado; consulta los ajustes llm.*.</translation>
    </message>
    <message>
        <source>No line of it begins with a date and a time as in a chat of WhatsApp, so nothing was taken from it. Export the chat again, or import the file as a note with the format &apos;markdown&apos;.</source>
        <translation>Ninguna línea empieza con fecha y hora como en un chat de WhatsApp, así que no se tomó nada. Exporta el chat de nuevo o importa el archivo como nota con el formato «markdown».</translation>
    </message>
    <message>
        <source>No memory was chosen, so there is nothing to put into a capsule.</source>
        <translation>No se eligió ningún recuerdo, así que no hay nada que poner en una cápsula.</translation>
    </message>
    <message>
        <source>No model could be asked: {why}</source>
        <translation>No se pudo preguntar a ningún modelo: {why}</translation>
    </message>
    <message>
        <source>No observation is old enough.</source>
        <translation>Ninguna observación es lo bastante antigua.</translation>
    </message>
    <message>
        <source>No observation was old enough.</source>
        <translation>Ninguna observación era lo bastante antigua.</translation>
    </message>
    <message>
        <source>No other text of that id is kept for this memory.</source>
        <translation>No se guarda ningún otro texto con ese identificador para este recuerdo.</translation>
    </message>
    <message>
        <source>No other vectors are being made; choose a model with &apos;embedding.change&apos; first.</source>
        <translation>No se están creando otros vectores; elige antes un modelo con «embedding.change».</translation>
    </message>
    <message>
        <source>No reflection was written.</source>
        <translation>No se escribió ninguna reflexión.</translation>
    </message>
    <message>
        <source>No reflection was written: the last one is {age} old, and reflection.min_days asks for {days} days between two.</source>
        <translation>No se escribió ninguna reflexión: la última tiene {age} y reflection.min_days pide {days} días entre dos.</translation>
    </message>
    <message>
        <source>No reflection was written: the last {days} have {facts}, and reflection.min_facts asks for {least}.</source>
        <translation>No se escribió ninguna reflexión: el último periodo ({days}) tiene {facts} y reflection.min_facts pide {least}.</translation>
    </message>
    <message>
        <source>No schedule runs, because the vault cannot be written: {why}</source>
        <translation>No se ejecuta ninguna programación, porque no se puede escribir en la bóveda: {why}</translation>
    </message>
    <message>
        <source>No space left on device</source>
        <translation>No queda espacio en el disco</translation>
    </message>
    <message>
        <source>No such file or directory</source>
        <translation>No existe el archivo o la carpeta</translation>
    </message>
    <message>
        <source>No such request for access waits. See &apos;keepsake agent requests&apos;.</source>
        <translation>No hay ninguna solicitud de acceso así en espera. Ver «keepsake agent requests».</translation>
    </message>
    <message>
        <source>No text has any of the words {words}.</source>
        <translation>Ningún texto tiene ninguna de las palabras {words}.</translation>
    </message>
    <message>
        <source>No text has the word {words}.</source>
        <translation>Ningún texto tiene la palabra {words}.</translation>
    </message>
    <message>
        <source>No text was searched again.</source>
        <translation>No se volvió a examinar ningún texto.</translation>
    </message>
    <message>
        <source>No time is both after and before what you asked, so nothing can match.</source>
        <translation>Ningún momento es a la vez posterior y anterior a lo pedido, así que nada puede coincidir.</translation>
    </message>
    <message>
        <source>Nobody let this machine in within ten minutes. Make a new invitation, and confirm it on the other machine.</source>
        <translation>Nadie admitió este equipo en diez minutos. Crea una invitación nueva y confirma la solicitud en el otro equipo.</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Ninguno</translation>
    </message>
    <message>
        <source>None of these messages and memories mentions it.</source>
        <translation>Ninguno de estos mensajes y recuerdos lo menciona.</translation>
    </message>
    <message>
        <source>Not a directory</source>
        <translation>No es una carpeta</translation>
    </message>
    <message>
        <source>Not everything of your other machines is here yet. {reason}</source>
        <translation>Aún no está aquí todo lo de tus otros equipos. {reason}</translation>
    </message>
    <message>
        <source>Not forgotten yet on: {machines}. Each forgets it when it next meets the others.</source>
        <translation>Aún no se ha olvidado en: {machines}. Cada equipo lo olvidará cuando vuelva a sincronizarse con los demás.</translation>
    </message>
    <message>
        <source>Not heard of for half a year: {machines}. The place keeps no changes for such a machine one by one; it takes them from the snapshot there when it comes back, and nothing that it wrote is lost.</source>
        <translation>Sin noticias desde hace medio año: {machines}. El lugar ya no guarda los cambios uno a uno para un equipo así; cuando vuelva los tomará de la instantánea que hay allí, y no se pierde nada de lo que escribió.</translation>
    </message>
    <message>
        <source>Nothing could be read after line {line}: {error}.</source>
        <translation>No se pudo leer nada después de la línea {line}: {error}.</translation>
    </message>
    <message>
        <source>Nothing could be read from here on, because it is broken ({line}).</source>
        <translation>A partir de aquí no se pudo leer nada, porque está dañado ({line}).</translation>
    </message>
    <message>
        <source>Nothing could be read from here on, because the file is cut off ({line}).</source>
        <translation>A partir de aquí no se pudo leer nada, porque el archivo está cortado ({line}).</translation>
    </message>
    <message>
        <source>Nothing here seems to answer this: what fits best was not said by whom you name.</source>
        <translation>Nada de aquí parece responder a esto: lo que mejor encaja no lo dijo quien nombras.</translation>
    </message>
    <message>
        <source>Nothing in it is a conversation or a note that this version knows.</source>
        <translation>Nada en él es una conversación o nota que esta versión conozca.</translation>
    </message>
    <message>
        <source>Nothing is left to undo of that run.</source>
        <translation>No queda nada por deshacer de esa ejecución.</translation>
    </message>
    <message>
        <source>Nothing is sent: no language model is configured.</source>
        <translation>No se envía nada: no hay modelo de lenguaje configurado.</translation>
    </message>
    <message>
        <source>Nothing is shared there yet. Look whether it is the address of the invitation.</source>
        <translation>Allí todavía no se comparte nada. Comprueba que sea la dirección de la invitación.</translation>
    </message>
    <message>
        <source>Nothing matches that.</source>
        <translation>Nada coincide con eso.</translation>
    </message>
    <message>
        <source>Nothing of that machine waits for you up to that change.</source>
        <translation>Hasta ese cambio, nada de ese equipo te espera.</translation>
    </message>
    <message>
        <source>Nothing of what was written can be read. Restore a backup: &apos;keepsake backup list&apos; shows them.</source>
        <translation>No se puede leer nada de lo escrito. Restaura una copia de seguridad: «keepsake backup list» las muestra.</translation>
    </message>
    <message>
        <source>Nothing old is taken away from the place until Keepsake is updated on: {machines}.</source>
        <translation>No se retira nada antiguo del lugar hasta que se actualice Keepsake en: {machines}.</translation>
    </message>
    <message>
        <source>Nothing says “{phrase}” word for word, so its words were searched.</source>
        <translation>Nada dice «{phrase}» palabra por palabra, así que se buscaron sus palabras.</translation>
    </message>
    <message>
        <source>Nothing that {agent} wrote is in quarantine.</source>
        <translation>Nada de lo que escribió {agent} está en cuarentena.</translation>
    </message>
    <message>
        <source>Nothing was changed. &apos;keepsake backup list&apos; shows what can be restored, and &apos;keepsake salvage&apos; saves what is readable.</source>
        <translation>No se cambió nada. «keepsake backup list» muestra qué se puede restaurar y «keepsake salvage» salva lo legible.</translation>
    </message>
    <message>
        <source>Notion export</source>
        <translation>Exportación de Notion</translation>
    </message>
    <message>
        <source>Number of similar observations that make a digest.</source>
        <translation>Número de observaciones parecidas que forman un extracto.</translation>
    </message>
    <message>
        <source>Old proposals could not be set aside: {why}</source>
        <translation>No se pudieron apartar las propuestas antiguas: {why}</translation>
    </message>
    <message>
        <source>Older files of the trace that are kept.</source>
        <translation>Archivos de registro antiguos que se conservan.</translation>
    </message>
    <message>
        <source>On switch</source>
        <translation>Al cambiar</translation>
    </message>
    <message>
        <source>One of these entities is not there. Create it first.</source>
        <translation>Uno de estos nombres no existe. Créalo primero.</translation>
    </message>
    <message>
        <source>Only a remote service has a key: {choices}.</source>
        <translation>Solo tiene clave un servicio remoto: {choices}.</translation>
    </message>
    <message>
        <source>Only facts can be confirmed, and this is of the kind {kind}. Remember what is certain as a fact.</source>
        <translation>Solo se pueden confirmar hechos, y esto es de otro tipo ({kind}). Recuerda lo seguro como hecho.</translation>
    </message>
    <message>
        <source>Only notes can be merged; leave facts and other memories out.</source>
        <translation>Solo se pueden fusionar notas; deja fuera los hechos y otros recuerdos.</translation>
    </message>
    <message>
        <source>Only one proposal at a time can be changed.</source>
        <translation>Solo se puede cambiar una propuesta cada vez.</translation>
    </message>
    <message>
        <source>Only programs with full trust choose ids. Leave &apos;id&apos; out to get one.</source>
        <translation>Solo los programas con plena confianza eligen identificadores. Omite «id» para recibir uno.</translation>
    </message>
    <message>
        <source>Only the first {count} are listed.</source>
        <translation>Solo se enumeran las primeras {count}.</translation>
    </message>
    <message>
        <source>Only the first {most} characters were searched.</source>
        <translation>Solo se buscaron los primeros {most} caracteres.</translation>
    </message>
    <message>
        <source>Only the first {most} words were searched.</source>
        <translation>Solo se buscaron las primeras {most} palabras.</translation>
    </message>
    <message>
        <source>Only the format &apos;encrypted&apos; takes a passphrase; a {format_name} export is not encrypted.</source>
        <translation>Solo el formato «encrypted» admite una frase de contraseña; una exportación como {format_name} no se cifra.</translation>
    </message>
    <message>
        <source>Only the {most} most recently archived memories were searched.</source>
        <translation>Solo se buscó en los {most} recuerdos archivados más recientemente.</translation>
    </message>
    <message>
        <source>Only the {most} most recently superseded memories were searched.</source>
        <translation>Solo se buscó en los {most} recuerdos reemplazados más recientemente.</translation>
    </message>
    <message>
        <source>Open it with --vault, or export it there and import the file.</source>
        <translation>Ábrela con --vault, o expórtala allí e importa el archivo.</translation>
    </message>
    <message>
        <source>Open quick capture from anywhere, with a shortcut that the desktop grants.</source>
        <translation>Abrir la captura rápida desde cualquier lugar, con un atajo que concede el escritorio.</translation>
    </message>
    <message>
        <source>Operation not permitted</source>
        <translation>Operación no permitida</translation>
    </message>
    <message>
        <source>Other machines change the list of your machines at this moment. Try again.</source>
        <translation>Otros equipos están cambiando ahora mismo la lista de tus equipos. Inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>Other machines share their memory there. Make an invitation on one of them, and join with its words.</source>
        <translation>Otros equipos ya comparten su memoria allí. Crea una invitación en uno de ellos y únete con sus palabras.</translation>
    </message>
    <message>
        <source>Others on this machine may read {name}.</source>
        <translation>Otros en este equipo pueden leer {name}.</translation>
    </message>
    <message>
        <source>PDF document</source>
        <translation>Documento PDF</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>Página</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>Permiso denegado</translation>
    </message>
    <message>
        <source>Pinned {items}</source>
        <translation>Fijado: {items}</translation>
    </message>
    <message>
        <source>Poll</source>
        <translation>Sondeo</translation>
    </message>
    <message>
        <source>Positions must be finite numbers.</source>
        <translation>Las posiciones deben ser números finitos.</translation>
    </message>
    <message>
        <source>Preparing search</source>
        <translation>Preparando la búsqueda</translation>
    </message>
    <message>
        <source>Preparing search by meaning with {name}</source>
        <translation>Preparando la búsqueda por significado con {name}</translation>
    </message>
    <message>
        <source>Price of a million tokens that the model reads, in your currency.</source>
        <translation>Precio de un millón de tokens que lee el modelo, en tu moneda.</translation>
    </message>
    <message>
        <source>Price of a million tokens that the model writes, in your currency.</source>
        <translation>Precio de un millón de tokens que escribe el modelo, en tu moneda.</translation>
    </message>
    <message>
        <source>Private texts are kept from the language model, so rules wrote it.</source>
        <translation>Los textos privados no llegan al modelo de lenguaje, así que la escribieron reglas.</translation>
    </message>
    <message>
        <source>Private texts are not sent to {host}; the setting llm.send_private would allow it.</source>
        <translation>Los textos privados no se envían a {host}; el ajuste llm.send_private lo permitiría.</translation>
    </message>
    <message>
        <source>Private texts were left out, for the settings keep them from the language model.</source>
        <translation>Los textos privados se omitieron, porque los ajustes los apartan del modelo de lenguaje.</translation>
    </message>
    <message>
        <source>Propose 1 merge.</source>
        <translation>Proponer 1 fusión.</translation>
    </message>
    <message>
        <source>Propose {count} merges.</source>
        <translation>Proponer {count} fusiones.</translation>
    </message>
    <message>
        <source>Proposed 1 merge of entities that may be one; see the inbox.</source>
        <translation>Se propuso 1 fusión de entradas que pueden ser la misma; mira la bandeja de entrada.</translation>
    </message>
    <message>
        <source>Proposed {count} merges of entities that may be one; see the inbox.</source>
        <translation>Se propusieron {count} fusiones de entradas que pueden ser la misma; mira la bandeja de entrada.</translation>
    </message>
    <message>
        <source>Put the key into its place, or choose a service that needs none.</source>
        <translation>Pon la clave en su lugar o elige un servicio que no la necesite.</translation>
    </message>
    <message>
        <source>Questions made from the vault were left out: private texts are not sent to {model}.</source>
        <translation>Se omitieron las preguntas formadas a partir de la bóveda: los textos privados no se envían a {model}.</translation>
    </message>
    <message>
        <source>Quiet seconds</source>
        <translation>Segundos de calma</translation>
    </message>
    <message>
        <source>RRF k</source>
        <translation>RRF k</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Frecuencia</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Leer</translation>
    </message>
    <message>
        <source>Read 1 conversation for lasting facts.</source>
        <translation>Leer 1 conversación en busca de hechos duraderos.</translation>
    </message>
    <message>
        <source>Read a memory</source>
        <translation>Leyó un recuerdo</translation>
    </message>
    <message>
        <source>Read {count} conversations for lasting facts.</source>
        <translation>Leer {count} conversaciones en busca de hechos duraderos.</translation>
    </message>
    <message>
        <source>Read {messages} of 1 conversation: {outcomes}.</source>
        <translation>Leídos {messages} de 1 conversación: {outcomes}.</translation>
    </message>
    <message>
        <source>Read {messages} of {count} conversations: {outcomes}.</source>
        <translation>Leídos {messages} de {count} conversaciones: {outcomes}.</translation>
    </message>
    <message>
        <source>Read-only file system</source>
        <translation>Sistema de archivos de solo lectura</translation>
    </message>
    <message>
        <source>Reading for names stopped after an error inside Keepsake ({error}). Restart it.</source>
        <translation>La lectura de nombres se detuvo por un error de Keepsake ({error}). Reinícialo.</translation>
    </message>
    <message>
        <source>Reading texts for late interaction</source>
        <translation>Lectura de los textos para la interacción tardía</translation>
    </message>
    <message>
        <source>Reads that run side by side.</source>
        <translation>Lecturas que van a la vez.</translation>
    </message>
    <message>
        <source>Recent conversations</source>
        <translation>Conversaciones recientes</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>Receta</translation>
    </message>
    <message>
        <source>Recognising names</source>
        <translation>Reconociendo nombres</translation>
    </message>
    <message>
        <source>Record the calls of your own programs too, such as the window&apos;s.</source>
        <translation>Registrar también las llamadas de tus propios programas, como las de la ventana.</translation>
    </message>
    <message>
        <source>Reflection day</source>
        <translation>Día de la reflexión</translation>
    </message>
    <message>
        <source>Reflection days</source>
        <translation>Días de la reflexión</translation>
    </message>
    <message>
        <source>Reflection limit</source>
        <translation>Límite de la reflexión</translation>
    </message>
    <message>
        <source>Reflection min days</source>
        <translation>Días mínimos de la reflexión</translation>
    </message>
    <message>
        <source>Reflection min facts</source>
        <translation>Hechos mínimos de la reflexión</translation>
    </message>
    <message>
        <source>Reflection time</source>
        <translation>Hora de la reflexión</translation>
    </message>
    <message>
        <source>Rejected {items}</source>
        <translation>Rechazado: {items}</translation>
    </message>
    <message>
        <source>Rejected {items}, proposed by {agent}</source>
        <translation>Rechazado: {items}, propuesto por {agent}</translation>
    </message>
    <message>
        <source>Related turns of other conversations</source>
        <translation>Turnos relacionados de otras conversaciones</translation>
    </message>
    <message>
        <source>Releasing what {name} wrote</source>
        <translation>Liberando lo que escribió {name}</translation>
    </message>
    <message>
        <source>Relevant memory</source>
        <translation>Recuerdo relevante</translation>
    </message>
    <message>
        <source>Relevant messages in an agent&apos;s context.</source>
        <translation>Mensajes relevantes en el contexto de un agente.</translation>
    </message>
    <message>
        <source>Relevant messages that the recipe &apos;tri&apos; takes at most.</source>
        <translation>Mensajes relevantes que la receta «tri» toma como máximo.</translation>
    </message>
    <message>
        <source>Remembered a fact</source>
        <translation>Recordó un hecho</translation>
    </message>
    <message>
        <source>Renamed {items}</source>
        <translation>Renombrado: {items}</translation>
    </message>
    <message>
        <source>Requested access</source>
        <translation>Pidió acceso</translation>
    </message>
    <message>
        <source>Reranker</source>
        <translation>Reordenador</translation>
    </message>
    <message>
        <source>Reranker folder</source>
        <translation>Carpeta del reordenador</translation>
    </message>
    <message>
        <source>Restore a backup (&apos;keepsake backup list&apos;), or save what is readable with &apos;keepsake salvage&apos;; until then nothing is lost that is readable now.</source>
        <translation>Restaura una copia de seguridad («keepsake backup list») o salva lo legible con «keepsake salvage»; hasta entonces no se pierde nada de lo que ahora se puede leer.</translation>
    </message>
    <message>
        <source>Restore another backup; delete this file if it is of no use.</source>
        <translation>Restaura otra copia de seguridad; elimina este archivo si no sirve.</translation>
    </message>
    <message>
        <source>Results shown at once.</source>
        <translation>Resultados que se muestran a la vez.</translation>
    </message>
    <message>
        <source>Retain recent</source>
        <translation>Retener lo reciente</translation>
    </message>
    <message>
        <source>Retention</source>
        <translation>Retención</translation>
    </message>
    <message>
        <source>Retention archive after days</source>
        <translation>Archivar tras días</translation>
    </message>
    <message>
        <source>Retention compress after days</source>
        <translation>Condensar tras días</translation>
    </message>
    <message>
        <source>Retention compression min cluster size</source>
        <translation>Grupo mínimo para condensar</translation>
    </message>
    <message>
        <source>Retention delete archive after days</source>
        <translation>Eliminar del archivo tras días</translation>
    </message>
    <message>
        <source>Retention max rows per run</source>
        <translation>Filas máximas por ejecución</translation>
    </message>
    <message>
        <source>Retention time</source>
        <translation>Hora de la retención</translation>
    </message>
    <message>
        <source>Row {row} of {table} points to nothing in {parent}.</source>
        <translation>La fila {row} de {table} no apunta a nada en {parent}.</translation>
    </message>
    <message>
        <source>Rows that each stage of one run changes at most.</source>
        <translation>Filas que cada fase de una ejecución cambia como máximo.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Ejecutar</translation>
    </message>
    <message>
        <source>Run &apos;keepsake backup&apos;; &apos;keepsake config set backup.daily true&apos; has one made every day.</source>
        <translation>Ejecuta «keepsake backup»; con «keepsake config set backup.daily true» se hace una cada día.</translation>
    </message>
    <message>
        <source>Run &apos;keepsake check --repair&apos;; only what can be made anew from the rest is.</source>
        <translation>Ejecuta «keepsake check --repair»; solo se rehace lo que puede rehacerse a partir del resto.</translation>
    </message>
    <message>
        <source>Run: chmod go-rwx {path}</source>
        <translation>Ejecuta: chmod go-rwx {path}</translation>
    </message>
    <message>
        <source>Runs of a schedule that are kept.</source>
        <translation>Ejecuciones de una programación que se conservan.</translation>
    </message>
    <message>
        <source>SQLite reports: {what}.</source>
        <translation>SQLite informa: {what}.</translation>
    </message>
    <message>
        <source>Salient messages that the recipe &apos;tri&apos; takes at most.</source>
        <translation>Mensajes destacados que la receta «tri» toma como máximo.</translation>
    </message>
    <message>
        <source>Saturday</source>
        <translation>Sábado</translation>
    </message>
    <message>
        <source>Say what to archive: &apos;ids&apos;, or an age in &apos;older_than_days&apos;.</source>
        <translation>Di qué archivar: «ids», o una antigüedad en «older_than_days».</translation>
    </message>
    <message>
        <source>Say what to forget: &apos;ids&apos; of memories and the like, or &apos;sessions&apos;.</source>
        <translation>Di qué olvidar: «ids» de recuerdos y similares, o «sessions».</translation>
    </message>
    <message>
        <source>Say which names, or which messages and memories, the second entity gets.</source>
        <translation>Di qué nombres, o qué mensajes y recuerdos, recibe la segunda entrada.</translation>
    </message>
    <message>
        <source>Schedules cannot run: {why}</source>
        <translation>Las programaciones no pueden ejecutarse: {why}</translation>
    </message>
    <message>
        <source>Search 1 text for names.</source>
        <translation>Buscar nombres en 1 texto.</translation>
    </message>
    <message>
        <source>Search by meaning covers only the present, so the past was searched by words.</source>
        <translation>La búsqueda por significado solo abarca el presente, así que el pasado se buscó por palabras.</translation>
    </message>
    <message>
        <source>Search by meaning is switched off. Set index.vectors to true and start Keepsake again.</source>
        <translation>La búsqueda por significado está desactivada. Pon index.vectors en true y vuelve a iniciar Keepsake.</translation>
    </message>
    <message>
        <source>Search by meaning was left out: {why}</source>
        <translation>Se omitió la búsqueda por significado: {why}</translation>
    </message>
    <message>
        <source>Search for names</source>
        <translation>Buscar nombres</translation>
    </message>
    <message>
        <source>Search memories and messages with few names again, and propose merges of entities.</source>
        <translation>Examinar de nuevo recuerdos y mensajes con pocos nombres y proponer fusionar nombres.</translation>
    </message>
    <message>
        <source>Search texts with few names again, join names of one person, and propose to merge entities that may be one.</source>
        <translation>Buscar de nuevo en los textos con pocos nombres, unir los nombres de una misma persona y proponer fusionar nombres que pueden ser uno.</translation>
    </message>
    <message>
        <source>Search {count} texts for names.</source>
        <translation>Buscar nombres en {count} textos.</translation>
    </message>
    <message>
        <source>Searched 1 text again.</source>
        <translation>Se volvió a examinar 1 texto.</translation>
    </message>
    <message>
        <source>Searched your memory</source>
        <translation>Buscó en tu memoria</translation>
    </message>
    <message>
        <source>Searched {count} texts again.</source>
        <translation>Se volvieron a examinar {count} textos.</translation>
    </message>
    <message>
        <source>Seconds after which a read is stopped.</source>
        <translation>Segundos tras los que se detiene una lectura.</translation>
    </message>
    <message>
        <source>Seconds between two checks for due schedules.</source>
        <translation>Segundos entre dos comprobaciones de programaciones pendientes.</translation>
    </message>
    <message>
        <source>Seconds between two looks at the transcripts.</source>
        <translation>Segundos entre dos miradas a las transcripciones.</translation>
    </message>
    <message>
        <source>Seconds that a model may take to judge a new memory.</source>
        <translation>Segundos que un modelo puede tardar en juzgar un recuerdo nuevo.</translation>
    </message>
    <message>
        <source>Seconds that one answer may take.</source>
        <translation>Segundos que puede tardar una respuesta.</translation>
    </message>
    <message>
        <source>Seconds that one run of a goal takes at most.</source>
        <translation>Segundos que dura como máximo una ejecución de un objetivo.</translation>
    </message>
    <message>
        <source>Seconds without a turn after which a conversation counts as quiet.</source>
        <translation>Segundos sin turno tras los que una conversación cuenta como en calma.</translation>
    </message>
    <message>
        <source>Send conversations and private notes too to a remote embedding service; else they are found by words only.</source>
        <translation>Enviar también conversaciones y notas privadas a un servicio remoto de embeddings; si no, solo se encuentran por palabras.</translation>
    </message>
    <message>
        <source>Send private texts to a service that is not on this computer.</source>
        <translation>Enviar textos privados a un servicio que no está en este equipo.</translation>
    </message>
    <message>
        <source>Session of an agent</source>
        <translation>Sesión de un agente</translation>
    </message>
    <message>
        <source>Session {known} was forgotten. Undo that, or use another id.</source>
        <translation>La conversación {known} se eliminó. Deshazlo o usa otro identificador.</translation>
    </message>
    <message>
        <source>Session {landed} was forgotten. Undo that, or use another key.</source>
        <translation>La conversación {landed} se eliminó. Deshazlo o usa otra clave.</translation>
    </message>
    <message>
        <source>Set it before the start, or leave {name} empty for the key in the keyring.</source>
        <translation>Defínela antes del inicio, o deja {name} vacío para usar la clave del llavero.</translation>
    </message>
    <message>
        <source>Set one of them above 0.</source>
        <translation>Pon uno de ellos por encima de 0.</translation>
    </message>
    <message>
        <source>Set {name} above {other}.</source>
        <translation>Pon {name} por encima de {other}.</translation>
    </message>
    <message>
        <source>Set {name} below {other}.</source>
        <translation>Pon {name} por debajo de {other}.</translation>
    </message>
    <message>
        <source>Set {name} to true, or retention.enabled to false.</source>
        <translation>Pon {name} en true o retention.enabled en false.</translation>
    </message>
    <message>
        <source>Set {name} to {other} or less.</source>
        <translation>Pon {name} en {other} o menos.</translation>
    </message>
    <message>
        <source>Set {name} to {other} or more.</source>
        <translation>Pon {name} en {other} o más.</translation>
    </message>
    <message>
        <source>Set {name}, for example to &quot;{example}&quot;, or llm.provider to &quot;none&quot;.</source>
        <translation>Define {name}, por ejemplo como &quot;{example}&quot;, o pon llm.provider en &quot;none&quot;.</translation>
    </message>
    <message>
        <source>Set {name}.</source>
        <translation>Define {name}.</translation>
    </message>
    <message>
        <source>Set {other} to {name}.</source>
        <translation>Pon {other} en {name}.</translation>
    </message>
    <message>
        <source>Set {section}.api_key_env to the name of the environment variable that holds the key.</source>
        <translation>Pon en {section}.api_key_env el nombre de la variable de entorno que contiene la clave.</translation>
    </message>
    <message>
        <source>Share of its confidence a new fact loses in a day without use.</source>
        <translation>Parte de la confianza que un hecho nuevo pierde en un día sin uso.</translation>
    </message>
    <message>
        <source>Share of meaning in the recipe &apos;weighted&apos;.</source>
        <translation>Parte del significado en la receta «weighted».</translation>
    </message>
    <message>
        <source>Share of the budget above which older messages are condensed.</source>
        <translation>Parte del presupuesto por encima de la cual se condensan los mensajes antiguos.</translation>
    </message>
    <message>
        <source>Share of the budget that messages take at most once older ones are condensed.</source>
        <translation>Parte del presupuesto que ocupan como máximo los mensajes una vez condensados los antiguos.</translation>
    </message>
    <message>
        <source>Share of the facts that one run sets aside at most.</source>
        <translation>Parte de los hechos que una ejecución aparta como máximo.</translation>
    </message>
    <message>
        <source>Share of the facts that the runs of 30 days set aside at most.</source>
        <translation>Parte de los hechos que las ejecuciones de 30 días apartan como máximo.</translation>
    </message>
    <message>
        <source>Share of words in common from which a model judges two memories.</source>
        <translation>Parte de palabras comunes desde la que un modelo juzga dos recuerdos.</translation>
    </message>
    <message>
        <source>Share of words in common from which two facts count as the same.</source>
        <translation>Parte de palabras comunes desde la que dos hechos cuentan como el mismo.</translation>
    </message>
    <message>
        <source>Share of words in the recipe &apos;weighted&apos;.</source>
        <translation>Parte de las palabras en la receta «weighted».</translation>
    </message>
    <message>
        <source>Show changes at once, without movement or flashes.</source>
        <translation>Mostrar los cambios al momento, sin movimiento ni destellos.</translation>
    </message>
    <message>
        <source>Signal</source>
        <translation>Signal</translation>
    </message>
    <message>
        <source>Similarity above which a message is relevant.</source>
        <translation>Similitud por encima de la cual un mensaje es relevante.</translation>
    </message>
    <message>
        <source>Similarity above which the recipe &apos;tri&apos; takes a message as relevant.</source>
        <translation>Similitud por encima de la cual la receta «tri» toma un mensaje como relevante.</translation>
    </message>
    <message>
        <source>Size at which a file of the trace is set aside for a new one.</source>
        <translation>Tamaño con el que un archivo de registro deja paso a uno nuevo.</translation>
    </message>
    <message>
        <source>Size of text and controls, in percent.</source>
        <translation>Tamaño del texto y los controles, en porcentaje.</translation>
    </message>
    <message>
        <source>Skipped at {first}. {why}</source>
        <translation>Omitido a las {first}. {why}</translation>
    </message>
    <message>
        <source>Skipped {count} times from {first} to {last}. {why}</source>
        <translation>Omitido {count} veces desde {first} hasta {last}. {why}</translation>
    </message>
    <message>
        <source>Slack</source>
        <translation>Slack</translation>
    </message>
    <message>
        <source>So much has changed since then that not all of it was searched.</source>
        <translation>Ha cambiado tanto desde entonces que no se buscó en todo.</translation>
    </message>
    <message>
        <source>Some bytes were not UTF-8 text and were replaced with �.</source>
        <translation>Algunos bytes no eran texto UTF-8 y se sustituyeron por �.</translation>
    </message>
    <message>
        <source>Some of it was not valid {encoding} and was replaced with �.</source>
        <translation>Parte no era {encoding} válido y se sustituyó por �.</translation>
    </message>
    <message>
        <source>Something went wrong inside Keepsake ({kind}).</source>
        <translation>Algo falló dentro de Keepsake ({kind}).</translation>
    </message>
    <message>
        <source>Stopped on request.</source>
        <translation>Detenido a petición.</translation>
    </message>
    <message>
        <source>Store busy timeout</source>
        <translation>Espera de la base de datos</translation>
    </message>
    <message>
        <source>Store keys and passwords in transcripts and agents&apos; writes as they are; otherwise a mark replaces them.</source>
        <translation>Guardar tal cual las claves y contraseñas de las transcripciones y de lo que escriben los agentes; si no, una marca las sustituye.</translation>
    </message>
    <message>
        <source>Store read limit</source>
        <translation>Límite de lectura</translation>
    </message>
    <message>
        <source>Store readers</source>
        <translation>Lectores a la vez</translation>
    </message>
    <message>
        <source>Store wal</source>
        <translation>WAL de la base de datos</translation>
    </message>
    <message>
        <source>Summaries of recent conversations in a fully trusted agent&apos;s context.</source>
        <translation>Resúmenes de conversaciones recientes en el contexto de un agente de plena confianza.</translation>
    </message>
    <message>
        <source>Summary characters</source>
        <translation>Caracteres del resumen</translation>
    </message>
    <message>
        <source>Summary min turns</source>
        <translation>Turnos mínimos del resumen</translation>
    </message>
    <message>
        <source>Summary target</source>
        <translation>Meta del resumen</translation>
    </message>
    <message>
        <source>Summary trigger</source>
        <translation>Umbral del resumen</translation>
    </message>
    <message>
        <source>Sunday</source>
        <translation>Domingo</translation>
    </message>
    <message>
        <source>Superseded memories are searched by words alone; entity: finds nothing there.</source>
        <translation>Los recuerdos reemplazados solo se buscan por palabras; entity: no encuentra nada ahí.</translation>
    </message>
    <message>
        <source>Supported are exports of {conversations}; Markdown notes of {notes}; transcripts of {transcripts}; chats and mails of {chats}; notes of {notebooks}; documents as {documents}; memories of {memories}.</source>
        <translation>Se admiten exportaciones de {conversations}; notas Markdown de {notes}; transcripciones de {transcripts}; chats y correos de {chats}; notas de {notebooks}; documentos como {documents}; recuerdos de {memories}.</translation>
    </message>
    <message>
        <source>Switched off {items}</source>
        <translation>Desactivado: {items}</translation>
    </message>
    <message>
        <source>Switched on {items}</source>
        <translation>Activado: {items}</translation>
    </message>
    <message>
        <source>System</source>
        <translation>Sistema</translation>
    </message>
    <message>
        <source>Tables of these names belong to another role of the database. Name another schema.</source>
        <translation>Las tablas con estos nombres pertenecen a otro rol de la base de datos. Indica otro esquema.</translation>
    </message>
    <message>
        <source>Take it out of the environment.</source>
        <translation>Quítala del entorno.</translation>
    </message>
    <message>
        <source>Take it out, unless another version of Keepsake uses it.</source>
        <translation>Quítalo, salvo que lo use otra versión de Keepsake.</translation>
    </message>
    <message>
        <source>Take it out.</source>
        <translation>Quítalo.</translation>
    </message>
    <message>
        <source>Take it out: &apos;keepsake secret set&apos; puts a key into the system&apos;s keyring, or it stays in the environment and embedding.api_key_env names the variable.</source>
        <translation>Quítalo: «keepsake secret set» pone una clave en el llavero del sistema, o se queda en el entorno y embedding.api_key_env indica la variable.</translation>
    </message>
    <message>
        <source>Take memories from conversations after each turn, where there is a language model.</source>
        <translation>Tomar recuerdos de las conversaciones tras cada turno, donde hay un modelo de lenguaje.</translation>
    </message>
    <message>
        <source>Take {name} out.</source>
        <translation>Quita {name}.</translation>
    </message>
    <message>
        <source>Telegram export</source>
        <translation>Exportación de Telegram</translation>
    </message>
    <message>
        <source>Testing the search</source>
        <translation>Probando la búsqueda</translation>
    </message>
    <message>
        <source>Text before the first message was left out.</source>
        <translation>Se omitió el texto anterior al primer mensaje.</translation>
    </message>
    <message>
        <source>Text that is no conversation was left out: {text}.</source>
        <translation>Se omitió texto que no es una conversación: {text}.</translation>
    </message>
    <message>
        <source>Texts and the key would travel to the embedding service unencrypted.</source>
        <translation>Los textos y la clave viajarían sin cifrar al servicio de incrustación.</translation>
    </message>
    <message>
        <source>Texts and the key would travel to the language model unencrypted.</source>
        <translation>Los textos y la clave viajarían sin cifrar al modelo de lenguaje.</translation>
    </message>
    <message>
        <source>Texts of every store may be sent to {name}, private ones too (llm.send_private).</source>
        <translation>Los textos de todos los ámbitos se pueden enviar a {name}, también los privados (llm.send_private).</translation>
    </message>
    <message>
        <source>Texts of every store may be sent, to this machine only.</source>
        <translation>Los textos de todos los ámbitos se pueden enviar, solo a este equipo.</translation>
    </message>
    <message>
        <source>Texts of the stores shared and social may be sent to {name}; private ones are not.</source>
        <translation>Los textos de los ámbitos compartido y social se pueden enviar a {name}; los privados, no.</translation>
    </message>
    <message>
        <source>Texts searched for names in one step at most.</source>
        <translation>Textos que se examinan como máximo en un paso en busca de nombres.</translation>
    </message>
    <message>
        <source>Texts turned into vectors at once.</source>
        <translation>Textos que se convierten en vectores a la vez.</translation>
    </message>
    <message>
        <source>That cannot be a path on this machine. Check how it is written.</source>
        <translation>Eso no puede ser una ruta en este equipo. Revisa cómo está escrita.</translation>
    </message>
    <message>
        <source>That change is undone already.</source>
        <translation>Ese cambio ya está deshecho.</translation>
    </message>
    <message>
        <source>That client was not connected from this vault, so there is nothing to take back.</source>
        <translation>Ese programa no se conectó desde esta bóveda, así que no hay nada que deshacer.</translation>
    </message>
    <message>
        <source>That is no key: it is empty, longer than {most} characters, or has characters no key has. Copy it again.</source>
        <translation>Eso no es una clave: está vacía, tiene más de {most} caracteres o contiene caracteres que ninguna clave tiene. Cópiala de nuevo.</translation>
    </message>
    <message>
        <source>That is the tag&apos;s name already, or no tag was named.</source>
        <translation>La etiqueta ya se llama así, o no se nombró ninguna.</translation>
    </message>
    <message>
        <source>That is undone already.</source>
        <translation>Eso ya está deshecho.</translation>
    </message>
    <message>
        <source>That is what Keepsake told you: it is stored already. Write what is new, in words of your own.</source>
        <translation>Eso es lo que Keepsake te dijo: ya está guardado. Escribe lo nuevo con tus propias palabras.</translation>
    </message>
    <message>
        <source>That took too long and was stopped. Ask for less at once.</source>
        <translation>Eso tardó demasiado y se detuvo. Pide menos de una vez.</translation>
    </message>
    <message>
        <source>The access of {agent} has ended. Only the person can give it again.</source>
        <translation>El acceso de {agent} ha terminado. Solo la persona puede darlo de nuevo.</translation>
    </message>
    <message>
        <source>The address of the database is not on this machine. End the projection here with &apos;keep_rows&apos;, and begin it again where it is wanted.</source>
        <translation>La dirección de la base de datos no está en este equipo. Termina aquí la proyección con «keep_rows» y vuelve a empezarla donde la quieras.</translation>
    </message>
    <message>
        <source>The archive has more than {most} files; it was left out.</source>
        <translation>El paquete tiene más de {most} archivos; se omitió.</translation>
    </message>
    <message>
        <source>The archive has no memory with the id {memory_id}.</source>
        <translation>El archivo no tiene ningún recuerdo con el identificador {memory_id}.</translation>
    </message>
    <message>
        <source>The archive is cut short or damaged there, so it was left out.</source>
        <translation>El paquete está cortado o dañado ahí, por eso se omitió.</translation>
    </message>
    <message>
        <source>The archive is cut short or damaged, so only the notes before that place were read.</source>
        <translation>El paquete está cortado o dañado, por eso solo se leyeron las notas anteriores a ese punto.</translation>
    </message>
    <message>
        <source>The archive is searched by words alone; entity: finds nothing there.</source>
        <translation>El archivo solo se busca por palabras; entity: no encuentra nada ahí.</translation>
    </message>
    <message>
        <source>The arguments are not a JSON object.</source>
        <translation>Los argumentos no son un objeto JSON.</translation>
    </message>
    <message>
        <source>The arguments are too long.</source>
        <translation>Los argumentos son demasiado largos.</translation>
    </message>
    <message>
        <source>The attachment {place} of the folder {root} was left out: {reason}</source>
        <translation>Se omitió el adjunto {place} de la carpeta {root}: {reason}</translation>
    </message>
    <message>
        <source>The backup is now {name} in the same folder. Start Keepsake again; &apos;keepsake backup list&apos; shows the other backups.</source>
        <translation>La copia de seguridad está ahora en {name}, en la misma carpeta. Vuelve a iniciar Keepsake; «keepsake backup list» muestra las demás copias.</translation>
    </message>
    <message>
        <source>The backup {latest} was verified.</source>
        <translation>Se verificó la copia {latest}.</translation>
    </message>
    <message>
        <source>The beginning of {name} is damaged, which holds its key: nothing of it can be read. Copy the file again, or use another copy.</source>
        <translation>El comienzo de {name} está dañado, y ahí está la clave: no se puede leer nada. Copia el archivo de nuevo o usa otra copia.</translation>
    </message>
    <message>
        <source>The beginning of {path} is damaged, and without it nothing in the file can be told apart. Restore a backup: &apos;keepsake backup list&apos; shows them.</source>
        <translation>El comienzo de {path} está dañado, y sin él no se distingue nada en el archivo. Restaura una copia de seguridad: «keepsake backup list» las muestra.</translation>
    </message>
    <message>
        <source>The bucket is in the region {region}. Write region={region} into the address.</source>
        <translation>El bucket está en la región {region}. Escribe region={region} en la dirección.</translation>
    </message>
    <message>
        <source>The cache is plain, and its vault is encrypted.</source>
        <translation>La caché no está cifrada, y su bóveda sí.</translation>
    </message>
    <message>
        <source>The clock of another machine is more than a hundred years ahead; what it wrote is not taken in.</source>
        <translation>El reloj de otro equipo está adelantado más de cien años; lo que escribió no se incorpora.</translation>
    </message>
    <message>
        <source>The clock of this machine and that of {server} are too far apart. Set this one right; nothing is lost meanwhile.</source>
        <translation>El reloj de este equipo y el de {server} difieren demasiado. Pon en hora el de este equipo; mientras tanto no se pierde nada.</translation>
    </message>
    <message>
        <source>The column {column} has two classes.</source>
        <translation>La columna {column} tiene dos clases.</translation>
    </message>
    <message>
        <source>The configuration was changed by another program since it was shown. Look at the change again; nothing was written.</source>
        <translation>Otro programa cambió la configuración desde que se mostró. Revisa de nuevo el cambio; no se escribió nada.</translation>
    </message>
    <message>
        <source>The connection to the place where your machines meet was closed.</source>
        <translation>Se cerró la conexión con el lugar donde se encuentran tus equipos.</translation>
    </message>
    <message>
        <source>The connection to {host} was closed.</source>
        <translation>Se cerró la conexión con {host}.</translation>
    </message>
    <message>
        <source>The conversation</source>
        <translation>La conversación</translation>
    </message>
    <message>
        <source>The cost of a run is above 0 and at most {max_cost}.</source>
        <translation>El coste de una ejecución es mayor que 0 y como máximo {max_cost}.</translation>
    </message>
    <message>
        <source>The cursor is none that an earlier page gave. Leave it out.</source>
        <translation>El cursor no procede de ninguna página anterior. Omítelo.</translation>
    </message>
    <message>
        <source>The daily backup failed: {why}</source>
        <translation>La copia de seguridad diaria falló: {why}</translation>
    </message>
    <message>
        <source>The damage goes deeper than a repair of derived data reaches. Restore a backup (&apos;keepsake backup list&apos;), or save what is readable with &apos;keepsake salvage&apos;. Nothing was changed.</source>
        <translation>El daño es más profundo de lo que alcanza una reparación de los datos derivados. Restaura una copia de seguridad («keepsake backup list») o salva lo legible con «keepsake salvage». No se cambió nada.</translation>
    </message>
    <message>
        <source>The database cannot be reached: it does not answer.</source>
        <translation>No se puede acceder a la base de datos: no responde.</translation>
    </message>
    <message>
        <source>The database cannot be reached: {reason}.</source>
        <translation>No se puede acceder a la base de datos: {reason}.</translation>
    </message>
    <message>
        <source>The database does not hold what your machines share: it is another one, or was emptied.</source>
        <translation>La base de datos no contiene lo que comparten tus equipos: es otra, o se vació.</translation>
    </message>
    <message>
        <source>The database is damaged, so no sound copy of it can be made.</source>
        <translation>La base de datos está dañada, así que no se puede hacer una copia sana.</translation>
    </message>
    <message>
        <source>The database is full. Make room there; nothing is lost meanwhile.</source>
        <translation>La base de datos está llena. Libera espacio allí; mientras tanto no se pierde nada.</translation>
    </message>
    <message>
        <source>The database is shared by more than one vault. Name another database.</source>
        <translation>Más de una bóveda usa esta base de datos. Indica otra.</translation>
    </message>
    <message>
        <source>The database refused a statement ({error}).</source>
        <translation>La base de datos rechazó una instrucción ({error}).</translation>
    </message>
    <message>
        <source>The database refused what was asked: {reason}.</source>
        <translation>La base de datos rechazó la petición: {reason}.</translation>
    </message>
    <message>
        <source>The database takes no changes at the moment: it is read-only.</source>
        <translation>La base de datos no admite cambios ahora: es de solo lectura.</translation>
    </message>
    <message>
        <source>The database was optimized.</source>
        <translation>Se optimizó la base de datos.</translation>
    </message>
    <message>
        <source>The database&apos;s log was damaged and was set aside as {name}; what was written last may be missing.</source>
        <translation>El registro de la base de datos estaba dañado y se apartó como {name}; puede faltar lo último que se escribió.</translation>
    </message>
    <message>
        <source>The day it is written.</source>
        <translation>El día en que se escribe.</translation>
    </message>
    <message>
        <source>The digest</source>
        <translation>El resumen</translation>
    </message>
    <message>
        <source>The disk can only be read. Make it writable, then try again.</source>
        <translation>El disco es de solo lectura. Permite la escritura e inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>The disk cannot hold so large a file. Move the vault to a disk of another format.</source>
        <translation>El disco no admite un archivo tan grande. Mueve la bóveda a un disco con otro formato.</translation>
    </message>
    <message>
        <source>The disk is full, so this vault is open for reading only. Free some space and restart Keepsake; nothing already saved was lost.</source>
        <translation>El disco está lleno, por eso esta bóveda está abierta solo para lectura. Libera espacio y reinicia Keepsake; no se perdió nada de lo ya guardado.</translation>
    </message>
    <message>
        <source>The disk is full.</source>
        <translation>El disco está lleno.</translation>
    </message>
    <message>
        <source>The disk is full. Free some space and try again.</source>
        <translation>El disco está lleno. Libera algo de espacio e inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>The disk is full. Free some space; nothing already saved was lost.</source>
        <translation>El disco está lleno. Libera espacio; no se perdió nada ya guardado.</translation>
    </message>
    <message>
        <source>The disk is full; {name} was not written.</source>
        <translation>El disco está lleno; {name} no se escribió.</translation>
    </message>
    <message>
        <source>The disk reported an error. Check its cable and its state; what is not confirmed was not saved.</source>
        <translation>El disco informó de un error. Comprueba su cable y su estado; lo no confirmado no se guardó.</translation>
    </message>
    <message>
        <source>The disk that holds {path} is full. Free some space and try again.</source>
        <translation>El disco que contiene {path} está lleno. Libera espacio e inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>The download of {model} was cancelled but does not end.</source>
        <translation>La descarga de {model} se canceló, pero no termina.</translation>
    </message>
    <message>
        <source>The embedder {family} takes no option {option}.</source>
        <translation>El codificador {family} no admite la opción {option}.</translation>
    </message>
    <message>
        <source>The embedding model in {folder} cannot be read ({reason}); reinstall Keepsake or choose another.</source>
        <translation>El modelo de incrustación de {folder} no se puede leer ({reason}); reinstala Keepsake o elige otro.</translation>
    </message>
    <message>
        <source>The embedding model in {folder} is damaged; reinstall Keepsake or choose another.</source>
        <translation>El modelo de incrustación de {folder} está dañado; reinstala Keepsake o elige otro.</translation>
    </message>
    <message>
        <source>The embedding model is still being opened.</source>
        <translation>El modelo de incrustación aún se está abriendo.</translation>
    </message>
    <message>
        <source>The embedding model was closed; open it again to embed.</source>
        <translation>El modelo de incrustación se cerró; ábrelo de nuevo para continuar.</translation>
    </message>
    <message>
        <source>The embedding model {name} failed; see that the machine has memory left, get the model&apos;s files again, or choose the embedder static.</source>
        <translation>El modelo de incrustación {name} falló; comprueba que quede memoria libre, vuelve a obtener sus archivos o elige el codificador static.</translation>
    </message>
    <message>
        <source>The encryption has begun, so it cannot be called off any more. Open Keepsake with the passphrase; when everything is encrypted, it can be decrypted.</source>
        <translation>El cifrado ha comenzado y ya no se puede anular. Abre Keepsake con la frase de contraseña; cuando todo esté cifrado, se podrá descifrar.</translation>
    </message>
    <message>
        <source>The entity {missing}, which it names, is not in this vault.</source>
        <translation>El nombre {missing}, al que se refiere, no está en esta bóveda.</translation>
    </message>
    <message>
        <source>The entry &apos;{entry_name}&apos; in {path} was changed since, so it was left as it is.</source>
        <translation>La entrada «{entry_name}» de {path} se cambió desde entonces, así que se dejó como está.</translation>
    </message>
    <message>
        <source>The environment variable named in &apos;{name}&apos; holds no key for &apos;{provider}&apos;.</source>
        <translation>La variable de entorno indicada en «{name}» no contiene ninguna clave para «{provider}».</translation>
    </message>
    <message>
        <source>The environment variable named in &apos;{name}&apos; holds no key for the language model.</source>
        <translation>La variable de entorno indicada en «{name}» no contiene ninguna clave para el modelo de lenguaje.</translation>
    </message>
    <message>
        <source>The environment variable that {section}.api_key_env names holds no key for {service}; set it before Keepsake starts.</source>
        <translation>La variable de entorno que nombra {section}.api_key_env no contiene ninguna clave de {service}; defínela antes de que Keepsake se inicie.</translation>
    </message>
    <message>
        <source>The environment variable {name} holds no key for {service}; set it before Keepsake starts.</source>
        <translation>La variable de entorno {name} no contiene ninguna clave de {service}; defínela antes de que Keepsake se inicie.</translation>
    </message>
    <message>
        <source>The environment variable {variable} holds no key for &apos;{provider}&apos;.</source>
        <translation>La variable de entorno {variable} no contiene ninguna clave para «{provider}».</translation>
    </message>
    <message>
        <source>The exchange is paused.</source>
        <translation>El intercambio está en pausa.</translation>
    </message>
    <message>
        <source>The exchange with this database has ended.</source>
        <translation>El intercambio con esta base de datos ha terminado.</translation>
    </message>
    <message>
        <source>The export was stopped; nothing was written.</source>
        <translation>La exportación se detuvo; no se escribió nada.</translation>
    </message>
    <message>
        <source>The fact</source>
        <translation>El hecho</translation>
    </message>
    <message>
        <source>The fact says that already.</source>
        <translation>El hecho ya dice eso.</translation>
    </message>
    <message>
        <source>The file declares entities of XML, which no real document does, so it was not read any further.</source>
        <translation>El archivo declara entidades XML, cosa que no hace ningún documento real, así que no se leyó más.</translation>
    </message>
    <message>
        <source>The file declares entities of XML, which no real export does, so it was not read any further.</source>
        <translation>El archivo declara entidades XML, cosa que no hace ninguna exportación real, así que no se leyó más.</translation>
    </message>
    <message>
        <source>The file ends in the middle of this conversation: it was cut off. Everything before it went in.</source>
        <translation>El archivo termina en medio de esta conversación: quedó cortado. Todo lo anterior se incorporó.</translation>
    </message>
    <message>
        <source>The file ends without its closing bracket: it was cut off here.</source>
        <translation>El archivo termina sin su corchete de cierre: quedó cortado aquí.</translation>
    </message>
    <message>
        <source>The file is cut short or damaged there. Everything before it went in.</source>
        <translation>El archivo está cortado o dañado ahí. Todo lo anterior se incorporó.</translation>
    </message>
    <message>
        <source>The file is damaged or cut off here. {words}</source>
        <translation>El archivo está dañado o cortado aquí. {words}</translation>
    </message>
    <message>
        <source>The file is damaged there; what stands between this note and the next one was left out.</source>
        <translation>El archivo está dañado ahí; se omitió lo que hay entre esta nota y la siguiente.</translation>
    </message>
    <message>
        <source>The file is damaged, so only its beginning was read.</source>
        <translation>El archivo está dañado, por eso solo se leyó su comienzo.</translation>
    </message>
    <message>
        <source>The file is not as Keepsake writes it. {words}</source>
        <translation>El archivo no es como lo escribe Keepsake. {words}</translation>
    </message>
    <message>
        <source>The file itself was not attached: {why}</source>
        <translation>El archivo en sí no se adjuntó: {why}</translation>
    </message>
    <message>
        <source>The file says nothing of this session before its &apos;{type}&apos;, which was left out.</source>
        <translation>El archivo no dice nada de esta conversación antes de su «{type}», que se omitió.</translation>
    </message>
    <message>
        <source>The file {place} of the folder {root} cannot be read.</source>
        <translation>No se puede leer el archivo {place} de la carpeta {root}.</translation>
    </message>
    <message>
        <source>The files are not those of the model {name}, but another one&apos;s or damaged; get that model&apos;s files, or choose the embedder static.</source>
        <translation>Los archivos no son del modelo {name}, sino de otro, o están dañados; obtén los correctos o elige el codificador static.</translation>
    </message>
    <message>
        <source>The files of the model {name} are damaged; get them again, or {instead}.</source>
        <translation>Los archivos del modelo {name} están dañados; vuelve a obtenerlos o {instead}.</translation>
    </message>
    <message>
        <source>The first line was read, and nothing after that.</source>
        <translation>Se leyó la primera línea y nada más.</translation>
    </message>
    <message>
        <source>The first {count} lines were read, and nothing after that.</source>
        <translation>Se leyeron las primeras {count} líneas y nada más.</translation>
    </message>
    <message>
        <source>The folder of notes {folder} could not be read: {why}</source>
        <translation>No se pudo leer la carpeta de notas {folder}: {why}</translation>
    </message>
    <message>
        <source>The folder on {server} is shared by more than one vault. Name another folder, or remove one of them.</source>
        <translation>La carpeta en {server} la comparten varias bóvedas. Indica otra carpeta o elimina una de ellas.</translation>
    </message>
    <message>
        <source>The folder {place} cannot be read.</source>
        <translation>No se puede leer la carpeta {place}.</translation>
    </message>
    <message>
        <source>The format &apos;{name}&apos; takes it too.</source>
        <translation>El formato «{name}» también lo toma.</translation>
    </message>
    <message>
        <source>The history has no entry {history_id}.</source>
        <translation>El historial no tiene la entrada {history_id}.</translation>
    </message>
    <message>
        <source>The history has no such entry. See &apos;history.list&apos;.</source>
        <translation>El historial no tiene esa entrada. Ver «history.list».</translation>
    </message>
    <message>
        <source>The hook for {event} was changed since, so it was left as it is.</source>
        <translation>El gancho de {event} se cambió desde entonces, así que se dejó como está.</translation>
    </message>
    <message>
        <source>The inbox rule</source>
        <translation>La regla de la bandeja</translation>
    </message>
    <message>
        <source>The key in {place} is not usable; copy it again.</source>
        <translation>La clave de este origen no sirve: {place}. Cópiala de nuevo.</translation>
    </message>
    <message>
        <source>The key of your capsules, {path}, cannot be read. Move it away to get a new one.</source>
        <translation>La clave de tus cápsulas, {path}, no se puede leer. Mueve el archivo a otro sitio para obtener una nueva.</translation>
    </message>
    <message>
        <source>The key was used before, for other messages. Give every append a key of its own.</source>
        <translation>La clave ya se usó para otros mensajes. Da a cada adición una clave propia.</translation>
    </message>
    <message>
        <source>The key was used before, for session {landed}.</source>
        <translation>La clave ya se usó para la conversación {landed}.</translation>
    </message>
    <message>
        <source>The key was used before: for another write that waits for the person, or for this one, which they have edited since. Give every write a key of its own.</source>
        <translation>La clave ya se usó: para otra escritura que espera a la persona, o para esta, que ella editó después. Da a cada escritura su propia clave.</translation>
    </message>
    <message>
        <source>The key was used before: for another write, or for this one, which the person edited before accepting it. Give every write a key of its own.</source>
        <translation>La clave ya se usó: para otra escritura, o para esta, que la persona editó antes de aceptarla. Da a cada escritura su propia clave.</translation>
    </message>
    <message>
        <source>The keyring does not hold the key of these memories any more. Open them with the passphrase first.</source>
        <translation>El llavero ya no contiene la clave de estos recuerdos. Ábrelos antes con la frase de contraseña.</translation>
    </message>
    <message>
        <source>The keyring does not hold the key of these memories; there is nothing to forget.</source>
        <translation>El llavero no contiene la clave de estos recuerdos; no hay nada que olvidar.</translation>
    </message>
    <message>
        <source>The keyring of this machine did not keep the key. {instead}</source>
        <translation>El llavero de este equipo no guardó la clave. {instead}</translation>
    </message>
    <message>
        <source>The keyring of this machine does not answer within {seconds} seconds; it may wait for its password. Unlock it and try again.</source>
        <translation>El llavero de este equipo no responde en {seconds} segundos; quizá espera su contraseña. Desbloquéalo e inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>The keyring of this machine gave no answer ({kind}). Try again, or: {instead}</source>
        <translation>El llavero de este equipo no respondió ({kind}). Inténtalo de nuevo, o bien: {instead}</translation>
    </message>
    <message>
        <source>The keyring of this machine stayed locked; unlock it and try again.</source>
        <translation>El llavero de este equipo siguió bloqueado; desbloquéalo e inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>The keys by which this machine shares its memory are damaged. Leave, and join again with the words of an invitation.</source>
        <translation>Las claves con las que este equipo comparte su memoria están dañadas. Deja de compartir y vuelve a unirte con las palabras de una invitación.</translation>
    </message>
    <message>
        <source>The keys by which this machine shares its memory are gone.</source>
        <translation>Las claves con las que este equipo comparte su memoria ya no están.</translation>
    </message>
    <message>
        <source>The keys by which this vault is shared are not on this machine. Make an invitation on another of your machines, and join with its words.</source>
        <translation>Las claves con las que se comparte esta bóveda no están en este equipo. Crea una invitación en otro de tus equipos y únete con sus palabras.</translation>
    </message>
    <message>
        <source>The keys of this machine are too old for what the others share now. Make an invitation on another of your machines, and join with its words.</source>
        <translation>Las claves de este equipo son demasiado antiguas para lo que los demás comparten ahora. Crea una invitación en otro de tus equipos y únete con sus palabras.</translation>
    </message>
    <message>
        <source>The language model</source>
        <translation>El modelo de lenguaje</translation>
    </message>
    <message>
        <source>The language model answered nothing.</source>
        <translation>El modelo de lenguaje no respondió nada.</translation>
    </message>
    <message>
        <source>The language model cannot be asked now.</source>
        <translation>Ahora no se puede preguntar al modelo de lenguaje.</translation>
    </message>
    <message>
        <source>The language model cost {spent} this month; the setting llm.monthly_cap allows {cap}.</source>
        <translation>El modelo de lenguaje ha costado {spent} este mes; el ajuste llm.monthly_cap permite {cap}.</translation>
    </message>
    <message>
        <source>The language model failed, so it was stored by the rules. {said}</source>
        <translation>El modelo de lenguaje falló; se guardó según las reglas. {said}</translation>
    </message>
    <message>
        <source>The language model is not used: {why}</source>
        <translation>El modelo de lenguaje no se usa: {why}</translation>
    </message>
    <message>
        <source>The language model took too long, so it was stored by the rules.</source>
        <translation>El modelo de lenguaje tardó demasiado; se guardó según las reglas.</translation>
    </message>
    <message>
        <source>The language model was not always there: {why}</source>
        <translation>El modelo de lenguaje no siempre estuvo disponible: {why}</translation>
    </message>
    <message>
        <source>The language model was not used: {why}</source>
        <translation>No se usó el modelo de lenguaje: {why}</translation>
    </message>
    <message>
        <source>The language model&apos;s account is empty or too long.</source>
        <translation>El relato del modelo de lenguaje está vacío o es demasiado largo.</translation>
    </message>
    <message>
        <source>The language model&apos;s answer is not a JSON object of the agreed form.</source>
        <translation>La respuesta del modelo de lenguaje no es un objeto JSON de la forma acordada.</translation>
    </message>
    <message>
        <source>The language model&apos;s sentences cited too few sources, so rules wrote it.</source>
        <translation>Las frases del modelo de lenguaje citaban muy pocas fuentes, así que la escribieron reglas.</translation>
    </message>
    <message>
        <source>The language model&apos;s summary is empty or too long.</source>
        <translation>El resumen del modelo de lenguaje está vacío o es demasiado largo.</translation>
    </message>
    <message>
        <source>The last message of session {session} has the number {last}.</source>
        <translation>El último mensaje de la conversación {session} tiene el número {last}.</translation>
    </message>
    <message>
        <source>The late interaction model is still being opened.</source>
        <translation>El modelo de interacción tardía todavía se está abriendo.</translation>
    </message>
    <message>
        <source>The latest backup, {latest}, cannot be restored: {problem} Make another with &apos;keepsake backup&apos;.</source>
        <translation>La última copia de seguridad, {latest}, no se puede restaurar: {problem} Haz otra con «keepsake backup».</translation>
    </message>
    <message>
        <source>The line is too long and was left out.</source>
        <translation>La línea es demasiado larga y se omitió.</translation>
    </message>
    <message>
        <source>The list of machines at the place is not that of the machine which let this one in. Nothing was taken in.</source>
        <translation>La lista de equipos de ese lugar no es la del equipo que admitió a este. No se ha incorporado nada.</translation>
    </message>
    <message>
        <source>The list of your machines at the place was changed by somebody else, or its files were mixed up. Nothing is taken in before it is put right: put the files back, or share anew in an empty place.</source>
        <translation>Otra persona cambió la lista de tus equipos en ese lugar, o sus archivos se mezclaron. No se incorpora nada hasta que se arregle: recupera los archivos o comparte de nuevo en un lugar vacío.</translation>
    </message>
    <message>
        <source>The list of your machines did not arrive within ten minutes. Try again.</source>
        <translation>La lista de tus equipos no llegó en diez minutos. Inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>The list of your machines in this vault is not the one that its keys belong to.</source>
        <translation>La lista de tus equipos en esta bóveda no es la que corresponde a sus claves.</translation>
    </message>
    <message>
        <source>The list of your machines is still being copied. Wait until the place is complete.</source>
        <translation>La lista de tus equipos todavía se está copiando. Espera a que el lugar esté completo.</translation>
    </message>
    <message>
        <source>The log of the database could not be taken into it.</source>
        <translation>El registro de la base de datos no se pudo incorporar a ella.</translation>
    </message>
    <message>
        <source>The machine slept or its clock was set.</source>
        <translation>El equipo estuvo en reposo o se cambió su reloj.</translation>
    </message>
    <message>
        <source>The memory</source>
        <translation>El recuerdo</translation>
    </message>
    <message>
        <source>The message is too long; this line was left out.</source>
        <translation>El mensaje es demasiado largo; esta línea se omitió.</translation>
    </message>
    <message>
        <source>The migrations in {folder} are not numbered 1, 2, 3…</source>
        <translation>Las migraciones de {folder} no están numeradas 1, 2, 3…</translation>
    </message>
    <message>
        <source>The model &apos;{model}&apos; refused to answer.</source>
        <translation>El modelo «{model}» se negó a responder.</translation>
    </message>
    <message>
        <source>The model &apos;{model}&apos; wrote nothing within its tokens; the setting llm.max_output_tokens allows more.</source>
        <translation>El modelo «{model}» no escribió nada dentro de sus tokens; el ajuste llm.max_output_tokens permite más.</translation>
    </message>
    <message>
        <source>The model that made the vectors so far is no longer available.</source>
        <translation>El modelo que hizo los vectores hasta ahora ya no está disponible.</translation>
    </message>
    <message>
        <source>The model that made this vault&apos;s vectors is no longer available.</source>
        <translation>El modelo que hizo los vectores de esta bóveda ya no está disponible.</translation>
    </message>
    <message>
        <source>The model {name} could not be fetched. See whether this machine is online, or put the model&apos;s files into a folder and name the folder.</source>
        <translation>No se pudo descargar el modelo {name}. Comprueba si este equipo tiene conexión, o pon los archivos del modelo en una carpeta e indícala.</translation>
    </message>
    <message>
        <source>The model {name} is not on this machine or is damaged. Put its files into a folder and name the folder, set embedding.allow_download to true to have it fetched, or {instead}.</source>
        <translation>El modelo {name} no está en este equipo o está dañado. Pon sus archivos en una carpeta e indícala, pon embedding.allow_download en true para descargarlo o {instead}.</translation>
    </message>
    <message>
        <source>The model {name} should lie in {folder}, which is not there.</source>
        <translation>El modelo {name} debería estar en {folder}, que no existe.</translation>
    </message>
    <message>
        <source>The months of this year are not known.</source>
        <translation>No se conocen los meses de ese año.</translation>
    </message>
    <message>
        <source>The name</source>
        <translation>El nombre</translation>
    </message>
    <message>
        <source>The name of a machine is one line of at most {most} characters.</source>
        <translation>El nombre de un equipo es una línea de {most} caracteres como máximo.</translation>
    </message>
    <message>
        <source>The names of sender and receiver may have 200 characters each.</source>
        <translation>Los nombres del remitente y del destinatario pueden tener 200 caracteres cada uno.</translation>
    </message>
    <message>
        <source>The newest backup is {days} days old.</source>
        <translation>La copia de seguridad más reciente tiene {days} días.</translation>
    </message>
    <message>
        <source>The note</source>
        <translation>La nota</translation>
    </message>
    <message>
        <source>The note no longer names that title without a link.</source>
        <translation>La nota ya no nombra ese título sin enlace.</translation>
    </message>
    <message>
        <source>The note {place} of the folder {root} could not be mirrored: {reason}</source>
        <translation>No se pudo reflejar la nota {place} de la carpeta {root}: {reason}</translation>
    </message>
    <message>
        <source>The number of lines in {file} is {found} instead of {total}. Nothing was replaced. Export again.</source>
        <translation>El número de líneas de {file} es {found} en lugar de {total}. No se reemplazó nada. Exporta de nuevo.</translation>
    </message>
    <message>
        <source>The numbers of its session begin at 0; each message got the number one higher.</source>
        <translation>Los números de su conversación empiezan en 0; cada mensaje recibió el número siguiente.</translation>
    </message>
    <message>
        <source>The observation</source>
        <translation>La observación</translation>
    </message>
    <message>
        <source>The only keyring of this machine is a file that anyone with access to it can read. {instead}</source>
        <translation>El único llavero de este equipo es un archivo que puede leer cualquiera con acceso a él. {instead}</translation>
    </message>
    <message>
        <source>The other machine refused to let this one in.</source>
        <translation>El otro equipo rechazó a este.</translation>
    </message>
    <message>
        <source>The passphrase in {variable} is not that of these memories.</source>
        <translation>La frase de contraseña de {variable} no es la de estos recuerdos.</translation>
    </message>
    <message>
        <source>The person has paused {agent}. Try again later.</source>
        <translation>La persona ha puesto en pausa a {agent}. Vuelve a intentarlo más tarde.</translation>
    </message>
    <message>
        <source>The person has turned on incognito{end}: agents can neither read nor record. Try again later.</source>
        <translation>El modo incógnito está activado{end}: los agentes no pueden leer ni registrar. Inténtalo más tarde.</translation>
    </message>
    <message>
        <source>The person put this into quarantine, and only the person can release it.</source>
        <translation>La persona puso esto en cuarentena, y solo ella puede liberarlo.</translation>
    </message>
    <message>
        <source>The person rejected the write with this key (proposal {id}).</source>
        <translation>La persona rechazó la escritura con esta clave (propuesta {id}).</translation>
    </message>
    <message>
        <source>The person takes no such changes from {agent} ({kind}).</source>
        <translation>La persona no acepta cambios de este tipo de {agent} ({kind}).</translation>
    </message>
    <message>
        <source>The picture is damaged and was left out.</source>
        <translation>La imagen está dañada y se omitió.</translation>
    </message>
    <message>
        <source>The picture is too large or protected, and was left out.</source>
        <translation>La imagen es demasiado grande o está protegida, y se omitió.</translation>
    </message>
    <message>
        <source>The place keeps every change until {date} for: {machines}. After that such a machine takes them from a snapshot when it comes back, and nothing that it wrote is lost.</source>
        <translation>El lugar guarda cada cambio hasta el {date} para: {machines}. Después, un equipo así los tomará de una instantánea cuando vuelva, y no se pierde nada de lo que escribió.</translation>
    </message>
    <message>
        <source>The place shows another list of your machines than this machine knows: somebody changed it, or put back an older state. Nothing is taken in from there. If your other machines still meet there, make an invitation on one of them, and join with its words.</source>
        <translation>El lugar muestra una lista de tus equipos distinta de la que conoce este equipo: alguien la cambió o repuso un estado anterior. No se incorpora nada de allí. Si tus otros equipos siguen sincronizándose allí, crea una invitación en uno de ellos y únete con sus palabras.</translation>
    </message>
    <message>
        <source>The prompt &apos;{name}&apos; has no version.</source>
        <translation>La plantilla «{name}» no tiene versión.</translation>
    </message>
    <message>
        <source>The prompt &apos;{name}&apos; is missing in this installation.</source>
        <translation>La plantilla «{name}» falta en esta instalación.</translation>
    </message>
    <message>
        <source>The proposal</source>
        <translation>La propuesta</translation>
    </message>
    <message>
        <source>The recipe {recipe} has no weights of words and meaning. Choose weighted, balanced or boosted.</source>
        <translation>La receta {recipe} no tiene pesos de palabras y significado. Elige weighted, balanced o boosted.</translation>
    </message>
    <message>
        <source>The reconciler named candidate {index}, which is none of the {count} it was shown, from 0 on.</source>
        <translation>El conciliador nombró el candidato {index}, que no es ninguno de los {count} mostrados, contando desde 0.</translation>
    </message>
    <message>
        <source>The reconciler named none of the candidates that it was shown.</source>
        <translation>El conciliador no nombró a ninguno de los candidatos mostrados.</translation>
    </message>
    <message>
        <source>The reconciler&apos;s answer is not a JSON object of the agreed form.</source>
        <translation>La respuesta del conciliador no es un objeto JSON con la forma acordada.</translation>
    </message>
    <message>
        <source>The reflection</source>
        <translation>La reflexión</translation>
    </message>
    <message>
        <source>The registry cannot be written: {strerror}.</source>
        <translation>No se puede escribir en el registro: {strerror}.</translation>
    </message>
    <message>
        <source>The reranking model {name} failed</source>
        <translation>El modelo de reordenación {name} falló</translation>
    </message>
    <message>
        <source>The reranking model {name} needs fastembed, which is not installed; results keep their original order.</source>
        <translation>El modelo de reordenación {name} necesita fastembed, que no está instalado; los resultados conservan su orden.</translation>
    </message>
    <message>
        <source>The reranking model {name} returned something other than a list of numbers</source>
        <translation>El modelo de reordenación {name} devolvió algo que no es una lista de números</translation>
    </message>
    <message>
        <source>The reranking model {name} returned something other than vectors</source>
        <translation>El modelo de reordenación {name} devolvió algo que no son vectores</translation>
    </message>
    <message>
        <source>The reranking model {name} was closed</source>
        <translation>El modelo de reordenación {name} se cerró</translation>
    </message>
    <message>
        <source>The rest of it cannot be read: {error}.</source>
        <translation>El resto no se puede leer: {error}.</translation>
    </message>
    <message>
        <source>The rest of it touches what the person pinned or confirmed, or Keepsake&apos;s own work; what was done before stays. Do those one by one.</source>
        <translation>El resto afecta a lo que la persona fijó o confirmó, o al trabajo propio de Keepsake; lo ya hecho se queda. Haz eso uno por uno.</translation>
    </message>
    <message>
        <source>The restore was called off: the backup is a link, or no file of its own.</source>
        <translation>La restauración se anuló: la copia de seguridad es un enlace o no es un archivo propio.</translation>
    </message>
    <message>
        <source>The restore was called off: the backup is damaged.</source>
        <translation>La restauración se anuló: la copia de seguridad está dañada.</translation>
    </message>
    <message>
        <source>The restore was called off: the backup is from a newer Keepsake.</source>
        <translation>La restauración se anuló: la copia de seguridad es de un Keepsake más reciente.</translation>
    </message>
    <message>
        <source>The restore was called off: the backup is no database of Keepsake.</source>
        <translation>La restauración se anuló: la copia de seguridad no es una base de datos de Keepsake.</translation>
    </message>
    <message>
        <source>The results could not be reranked: {why}</source>
        <translation>No se pudieron reordenar los resultados: {why}</translation>
    </message>
    <message>
        <source>The saved search</source>
        <translation>La búsqueda guardada</translation>
    </message>
    <message>
        <source>The schedule</source>
        <translation>La programación</translation>
    </message>
    <message>
        <source>The schedule of this run was deleted. Nobody waits for what it does.</source>
        <translation>La programación de esta ejecución se eliminó. Nadie espera su resultado.</translation>
    </message>
    <message>
        <source>The schema &apos;{schema}&apos; holds what another vault shares. Name another schema, or end it there.</source>
        <translation>El esquema «{schema}» contiene lo que comparte otra bóveda. Indica otro esquema o termínalo allí.</translation>
    </message>
    <message>
        <source>The schema cannot be read.</source>
        <translation>No se puede leer el esquema.</translation>
    </message>
    <message>
        <source>The search for notes was stopped; nothing was imported.</source>
        <translation>Se detuvo la búsqueda de notas; no se importó nada.</translation>
    </message>
    <message>
        <source>The search index could not be made anew: {why}</source>
        <translation>No se pudo rehacer el índice de búsqueda: {why}</translation>
    </message>
    <message>
        <source>The search index is being made anew and does not hold everything yet.</source>
        <translation>El índice de búsqueda se está rehaciendo y aún no lo contiene todo.</translation>
    </message>
    <message>
        <source>The search weights in {path} are missing or damaged; reinstall Keepsake or choose another search recipe.</source>
        <translation>Los pesos de búsqueda de {path} faltan o están dañados; reinstala Keepsake o elige otra receta de búsqueda.</translation>
    </message>
    <message>
        <source>The server could read your shared memories: they go there as plain text. Say &apos;in_plain_text&apos; if you want that.</source>
        <translation>El servidor podría leer tus recuerdos compartidos: llegan allí como texto sin cifrar. Indica «in_plain_text» si lo quieres así.</translation>
    </message>
    <message>
        <source>The settings of the language model were changed meanwhile.</source>
        <translation>Los ajustes del modelo de lenguaje cambiaron mientras tanto.</translation>
    </message>
    <message>
        <source>The shared store is not projected.</source>
        <translation>El espacio compartido no se proyecta.</translation>
    </message>
    <message>
        <source>The shared store is projected already. End that first.</source>
        <translation>El espacio compartido ya se proyecta. Termina eso primero.</translation>
    </message>
    <message>
        <source>The shared store on a server is not up to date. {reason}</source>
        <translation>El espacio compartido en un servidor no está al día. {reason}</translation>
    </message>
    <message>
        <source>The size of a piece must be above 0, and the overlap at most half of it.</source>
        <translation>El tamaño de un fragmento debe ser mayor que 0, y el solapamiento como máximo la mitad.</translation>
    </message>
    <message>
        <source>The snapshot at the place is damaged. Another of your machines writes it anew.</source>
        <translation>La instantánea del lugar está dañada. Otro de tus equipos la escribirá de nuevo.</translation>
    </message>
    <message>
        <source>The system refuses access to a file or folder that this needs. Check the permissions of what is in the vault&apos;s folder, and of files that the request names.</source>
        <translation>El sistema niega el acceso a un archivo o carpeta necesario. Revisa los permisos de lo que hay en la carpeta de la memoria y de los archivos que nombra la petición.</translation>
    </message>
    <message>
        <source>The system refuses access to {path}.</source>
        <translation>El sistema niega el acceso a {path}.</translation>
    </message>
    <message>
        <source>The system refuses access to {path}: {strerror}. Check its permissions and those of its folder.</source>
        <translation>El sistema niega el acceso a {path}: {strerror}. Revisa sus permisos y los de su carpeta.</translation>
    </message>
    <message>
        <source>The table of vectors is gone.</source>
        <translation>La tabla de vectores ha desaparecido.</translation>
    </message>
    <message>
        <source>The tables of Keepsake are not in the database.</source>
        <translation>Las tablas de Keepsake no están en la base de datos.</translation>
    </message>
    <message>
        <source>The tables of Keepsake in the database are not those that Keepsake made.</source>
        <translation>Las tablas de Keepsake en la base de datos no son las que creó Keepsake.</translation>
    </message>
    <message>
        <source>The tables of the shared store are gone, or another vault has taken them.</source>
        <translation>Las tablas del espacio compartido ya no están, o las ha tomado otra bóveda.</translation>
    </message>
    <message>
        <source>The ten minutes of this invitation are over. Make a new one.</source>
        <translation>Los diez minutos de esta invitación han pasado. Crea una nueva.</translation>
    </message>
    <message>
        <source>The time of a schedule that runs once must be in the future.</source>
        <translation>La hora de una programación que se ejecuta una vez debe estar en el futuro.</translation>
    </message>
    <message>
        <source>The time until which no schedule runs must be in the future.</source>
        <translation>La hora hasta la que no se ejecuta nada debe estar en el futuro.</translation>
    </message>
    <message>
        <source>The time until which this is to be kept has passed.</source>
        <translation>Ya pasó la fecha hasta la que se debía conservar.</translation>
    </message>
    <message>
        <source>The token could not be kept in {path}: {reason}.</source>
        <translation>No se pudo guardar el token en {path}: {reason}.</translation>
    </message>
    <message>
        <source>The token of {agent} was replaced by a newer one. Ask the person for it, and connect again with it.</source>
        <translation>El token de {agent} fue sustituido por otro más nuevo. Pídeselo a la persona y conéctate de nuevo con él.</translation>
    </message>
    <message>
        <source>The transcript {name} could not be read: {why}</source>
        <translation>No se pudo leer la transcripción {name}: {why}</translation>
    </message>
    <message>
        <source>The variable {name} is no setting and has no effect.</source>
        <translation>La variable {name} no es un ajuste y no tiene efecto.</translation>
    </message>
    <message>
        <source>The vault cannot be written. Check its permissions, or choose another with --vault.</source>
        <translation>No se puede escribir en la bóveda. Comprueba sus permisos o elige otra con --vault.</translation>
    </message>
    <message>
        <source>The vault could not be opened: {error}</source>
        <translation>No se pudo abrir la bóveda: {error}</translation>
    </message>
    <message>
        <source>The vault has another attachment of this name, which stays.</source>
        <translation>La bóveda tiene otro adjunto con ese nombre, que se queda.</translation>
    </message>
    <message>
        <source>The vault in {folder} cannot be opened: {why}</source>
        <translation>No se puede abrir la bóveda de {folder}: {why}</translation>
    </message>
    <message>
        <source>The vault is closed.</source>
        <translation>La bóveda está cerrada.</translation>
    </message>
    <message>
        <source>The vault is closing.</source>
        <translation>La bóveda se está cerrando.</translation>
    </message>
    <message>
        <source>The vault is not open.</source>
        <translation>La bóveda no está abierta.</translation>
    </message>
    <message>
        <source>The vault of an isolated agent stays on this machine.</source>
        <translation>La bóveda de un agente aislado se queda en este equipo.</translation>
    </message>
    <message>
        <source>The vault was backed up, but not every isolated agent&apos;s. {notes}</source>
        <translation>Se hizo una copia de seguridad de la bóveda, pero no de la de todos los agentes aislados. {notes}</translation>
    </message>
    <message>
        <source>The vault was closed before they were written.</source>
        <translation>La bóveda se cerró antes de escribirlos.</translation>
    </message>
    <message>
        <source>The vault was closed before this was done.</source>
        <translation>La bóveda se cerró antes de que esto se hiciera.</translation>
    </message>
    <message>
        <source>The vault&apos;s database cannot be opened. Check that its folder exists and is yours.</source>
        <translation>No se puede abrir la base de datos de la bóveda. Comprueba que su carpeta existe y es tuya.</translation>
    </message>
    <message>
        <source>The vault&apos;s database is damaged. Run &apos;keepsake check&apos;, or restore a backup.</source>
        <translation>La base de datos de la bóveda está dañada. Ejecuta «keepsake check» o restaura una copia de seguridad.</translation>
    </message>
    <message>
        <source>The vault&apos;s database is damaged. {advice}</source>
        <translation>La base de datos de la bóveda está dañada. {advice}</translation>
    </message>
    <message>
        <source>The vault&apos;s lock file was taken away, and another Keepsake has opened the vault since. Nothing is written from here any more: close one of the two.</source>
        <translation>Se quitó el archivo de bloqueo de la bóveda, y otro Keepsake la ha abierto desde entonces. Desde aquí ya no se escribe nada: cierra uno de los dos.</translation>
    </message>
    <message>
        <source>The vault&apos;s path holds a NUL character. Name a folder with --vault.</source>
        <translation>La ruta de la bóveda contiene un carácter NUL. Indica una carpeta con --vault.</translation>
    </message>
    <message>
        <source>The vault&apos;s path leads through {place}, which is no folder.</source>
        <translation>La ruta de la bóveda pasa por {place}, que no es una carpeta.</translation>
    </message>
    <message>
        <source>The vault&apos;s path {vault} is not UTF-8. Name another folder with --vault, or set LC_ALL=C.UTF-8.</source>
        <translation>La ruta de la bóveda {vault} no es UTF-8. Indica otra carpeta con --vault, o pon LC_ALL=C.UTF-8.</translation>
    </message>
    <message>
        <source>The vectors cannot be read ({error}).</source>
        <translation>No se pueden leer los vectores ({error}).</translation>
    </message>
    <message>
        <source>The vectors of {model} answer searches already; name others.</source>
        <translation>Los vectores de {model} ya responden a las búsquedas; indica otros.</translation>
    </message>
    <message>
        <source>The vectors of {model} are not complete: {vectors} of {wanted} are there.</source>
        <translation>Los vectores de {model} no están completos: hay {vectors} de {wanted}.</translation>
    </message>
    <message>
        <source>The vectors so far cannot be used any more and are made anew: {reason}</source>
        <translation>Los vectores existentes ya no sirven y se crean de nuevo: {reason}</translation>
    </message>
    <message>
        <source>The weights for facts in {path} are missing or damaged; reinstall Keepsake.</source>
        <translation>Los pesos para los hechos de {path} faltan o están dañados; reinstala Keepsake.</translation>
    </message>
    <message>
        <source>The weights of meaning and words must be 0 to {most}, and one of them above 0.</source>
        <translation>Los pesos de significado y palabras deben estar entre 0 y {most}, y uno de ellos debe ser mayor que 0.</translation>
    </message>
    <message>
        <source>The whole of it</source>
        <translation>El conjunto</translation>
    </message>
    <message>
        <source>The word in place {number} is none of an invitation.</source>
        <translation>La palabra número {number} no aparece en ninguna invitación.</translation>
    </message>
    <message>
        <source>The word in place {number} is none of an invitation. Is it {word}?</source>
        <translation>La palabra número {number} no aparece en ninguna invitación. ¿Es {word}?</translation>
    </message>
    <message>
        <source>The word index does not match the texts: {reason}.</source>
        <translation>El índice de palabras no coincide con los textos: {reason}.</translation>
    </message>
    <message>
        <source>The word index is damaged: {what}.</source>
        <translation>El índice de palabras está dañado: {what}.</translation>
    </message>
    <message>
        <source>The words beside its times are not known ({words}); some times may be half a day off.</source>
        <translation>Las palabras junto a sus horas son desconocidas ({words}); algunas horas pueden tener medio día de error.</translation>
    </message>
    <message>
        <source>The words of the search index were not checked: that needs a vault that can be written.</source>
        <translation>No se comprobaron las palabras del índice de búsqueda: eso exige una bóveda en la que se pueda escribir.</translation>
    </message>
    <message>
        <source>The zip file is damaged from here on ({error}). Copy it again.</source>
        <translation>El archivo zip está dañado a partir de aquí ({error}). Cópialo de nuevo.</translation>
    </message>
    <message>
        <source>The zip file is damaged from here on ({error}). Download or copy it again.</source>
        <translation>El archivo zip está dañado a partir de aquí ({error}). Descárgalo o cópialo de nuevo.</translation>
    </message>
    <message>
        <source>The zip file is damaged here ({error}).</source>
        <translation>El archivo zip está dañado aquí ({error}).</translation>
    </message>
    <message>
        <source>The zip file is damaged here ({error}). Download it again.</source>
        <translation>El archivo zip está dañado aquí ({error}). Descárgalo de nuevo.</translation>
    </message>
    <message>
        <source>There already is another {wanted} called {clean}. Merge the two instead.</source>
        <translation>Ya hay otra entrada de este tipo ({wanted}) llamada {clean}. Fusiona las dos en su lugar.</translation>
    </message>
    <message>
        <source>There already is another {wanted} called {name}. Choose another name.</source>
        <translation>Ya hay otra entrada de este tipo ({wanted}) llamada {name}. Elige otro nombre.</translation>
    </message>
    <message>
        <source>There are no earlier vectors to go back to; they are kept for a week.</source>
        <translation>No hay vectores anteriores a los que volver; se conservan una semana.</translation>
    </message>
    <message>
        <source>There are no other vectors to compare with. Prepare a model with &apos;embedding.change&apos; and &apos;waits&apos;.</source>
        <translation>No hay otros vectores con los que comparar. Prepara un modelo con «embedding.change» y «waits».</translation>
    </message>
    <message>
        <source>There are no vectors with the number {number}; &apos;embedding.status&apos; lists them.</source>
        <translation>No hay vectores con el número {number}; «embedding.status» los enumera.</translation>
    </message>
    <message>
        <source>There are too many attachments of this name. Give the file another name.</source>
        <translation>Hay demasiados adjuntos con este nombre. Da otro nombre al archivo.</translation>
    </message>
    <message>
        <source>There are too many backups beside {path}. Remove some.</source>
        <translation>Hay demasiadas copias de seguridad junto a {path}. Quita algunas.</translation>
    </message>
    <message>
        <source>There are {max_schedules} schedules already. Delete some first.</source>
        <translation>Ya hay {max_schedules} programaciones. Elimina algunas primero.</translation>
    </message>
    <message>
        <source>There are {names}.</source>
        <translation>Existen {names}.</translation>
    </message>
    <message>
        <source>There is already a file or folder of this path.</source>
        <translation>Ya hay un archivo o una carpeta con esta ruta.</translation>
    </message>
    <message>
        <source>There is already a memory with the id {id}.</source>
        <translation>Ya hay un recuerdo con el identificador {id}.</translation>
    </message>
    <message>
        <source>There is already a memory with the id {id}; use update to change it.</source>
        <translation>Ya hay un recuerdo con el identificador {id}; cámbialo en su lugar.</translation>
    </message>
    <message>
        <source>There is an active memory with this id, which keeps it in the archive.</source>
        <translation>Hay un recuerdo activo con este identificador, por lo que este sigue en el archivo.</translation>
    </message>
    <message>
        <source>There is an agent named &apos;{name}&apos; already. &apos;keepsake agent rotate&apos; gives it a new token; to let another program in by that name, end its access first with &apos;keepsake agent revoke&apos;.</source>
        <translation>Ya hay un agente llamado «{name}». «keepsake agent rotate» le da un token nuevo; para admitir otro programa con ese nombre, termina antes su acceso con «keepsake agent revoke».</translation>
    </message>
    <message>
        <source>There is no agent named &apos;{agent}&apos;, and nothing was written by one.</source>
        <translation>No hay ningún agente llamado «{agent}», y ninguno ha escrito nada.</translation>
    </message>
    <message>
        <source>There is no agent named &apos;{name}&apos; with access.</source>
        <translation>No hay ningún agente llamado «{name}» con acceso.</translation>
    </message>
    <message>
        <source>There is no backup of that name. &apos;keepsake backup list&apos; shows them.</source>
        <translation>No hay ninguna copia de seguridad con ese nombre. «keepsake backup list» las muestra.</translation>
    </message>
    <message>
        <source>There is no backup to verify yet.</source>
        <translation>Aún no hay ninguna copia que verificar.</translation>
    </message>
    <message>
        <source>There is no backup.</source>
        <translation>No hay ninguna copia de seguridad.</translation>
    </message>
    <message>
        <source>There is no encryption to call off. To decrypt these memories, use the passphrase.</source>
        <translation>No hay ningún cifrado que anular. Para descifrar estos recuerdos, usa la frase de contraseña.</translation>
    </message>
    <message>
        <source>There is no entity with the id {entity_id}.</source>
        <translation>No hay ningún nombre con el identificador {entity_id}.</translation>
    </message>
    <message>
        <source>There is no export format {format}; use {known}.</source>
        <translation>No existe el formato de exportación {format}; usa {known}.</translation>
    </message>
    <message>
        <source>There is no fact of that category and key. &apos;fact.list&apos; shows those there are.</source>
        <translation>No hay ningún hecho de esa categoría y clave. «fact.list» muestra los que hay.</translation>
    </message>
    <message>
        <source>There is no file at {path}.</source>
        <translation>No hay ningún archivo en {path}.</translation>
    </message>
    <message>
        <source>There is no file or folder at {path}.</source>
        <translation>No hay ningún archivo ni carpeta en {path}.</translation>
    </message>
    <message>
        <source>There is no file or folder of this path.</source>
        <translation>No hay ningún archivo ni carpeta con esta ruta.</translation>
    </message>
    <message>
        <source>There is no folder {parent}. Make it first, or choose another place.</source>
        <translation>No existe la carpeta {parent}. Créala primero o elige otro lugar.</translation>
    </message>
    <message>
        <source>There is no folder {path}. Make it first.</source>
        <translation>No existe la carpeta {path}. Créala primero.</translation>
    </message>
    <message>
        <source>There is no format of that name. {supported}</source>
        <translation>No hay ningún formato con ese nombre. {supported}</translation>
    </message>
    <message>
        <source>There is no home folder of that name.</source>
        <translation>No hay ninguna carpeta personal con ese nombre.</translation>
    </message>
    <message>
        <source>There is no invitation with these words: its ten minutes are over, or it is for another place. Make a new one.</source>
        <translation>No hay ninguna invitación con estas palabras: sus diez minutos han pasado o es para otro lugar. Crea una nueva.</translation>
    </message>
    <message>
        <source>There is no key for {service}. Give it in the settings or with &apos;keepsake secret set {service}&apos;, or name the environment variable that holds it in {section}.api_key_env.</source>
        <translation>No hay clave de {service}. Ponla en los ajustes o con «keepsake secret set {service}», o indica en {section}.api_key_env la variable de entorno que la contiene.</translation>
    </message>
    <message>
        <source>There is no language model, and no agent has taken this goal.</source>
        <translation>No hay modelo de lenguaje y ningún agente ha asumido este objetivo.</translation>
    </message>
    <message>
        <source>There is no memory or message with the id {anchor}.</source>
        <translation>No hay ningún recuerdo ni mensaje con el identificador {anchor}.</translation>
    </message>
    <message>
        <source>There is no memory or message with the id {id}.</source>
        <translation>No hay ningún recuerdo ni mensaje con el identificador {id}.</translation>
    </message>
    <message>
        <source>There is no memory with the id {memory_id}.</source>
        <translation>No hay ningún recuerdo con el identificador {memory_id}.</translation>
    </message>
    <message>
        <source>There is no message or memory with the id {target}.</source>
        <translation>No hay ningún mensaje ni recuerdo con el identificador {target}.</translation>
    </message>
    <message>
        <source>There is no operation &apos;{name}&apos;. See &apos;keepsake call --list&apos;.</source>
        <translation>No hay ninguna operación «{name}». Consulta «keepsake call --list».</translation>
    </message>
    <message>
        <source>There is no operation &apos;{operation}&apos;.</source>
        <translation>No existe la operación «{operation}».</translation>
    </message>
    <message>
        <source>There is no proposal {proposal_id}. See &apos;inbox.list&apos;.</source>
        <translation>No hay ninguna propuesta {proposal_id}. Ver «inbox.list».</translation>
    </message>
    <message>
        <source>There is no rule for that agent and kind. See &apos;inbox.rules&apos;.</source>
        <translation>No hay ninguna regla para ese agente y ese tipo. Ver «inbox.rules».</translation>
    </message>
    <message>
        <source>There is no run of a schedule with that id.</source>
        <translation>No hay ninguna ejecución con ese identificador.</translation>
    </message>
    <message>
        <source>There is no schedule with that id. See &apos;schedule.search&apos;.</source>
        <translation>No hay ninguna programación con ese identificador. Ver «schedule.search».</translation>
    </message>
    <message>
        <source>There is no search recipe of that name. Choose one of: {names}.</source>
        <translation>No hay ninguna receta de búsqueda con ese nombre. Elige una de: {names}.</translation>
    </message>
    <message>
        <source>There is no session {session}.</source>
        <translation>No hay ninguna conversación {session}.</translation>
    </message>
    <message>
        <source>There is no setting of that name.{hint} &apos;keepsake config list&apos; shows them.</source>
        <translation>No hay ningún ajuste con ese nombre.{hint} «keepsake config list» los muestra.</translation>
    </message>
    <message>
        <source>There is no such client. Use one of {choices}; &apos;keepsake agent connect --print&apos; serves all others.</source>
        <translation>No existe ese programa. Usa uno de {choices}; «keepsake agent connect --print» sirve para los demás.</translation>
    </message>
    <message>
        <source>There is no such day in the Hijri calendar.</source>
        <translation>Ese día no existe en el calendario islámico.</translation>
    </message>
    <message>
        <source>There is no such day in the Persian calendar.</source>
        <translation>Ese día no existe en el calendario persa.</translation>
    </message>
    <message>
        <source>There is no such embedder; choose one of {choices}.</source>
        <translation>No existe ese codificador; elige uno de {choices}.</translation>
    </message>
    <message>
        <source>There is no such file among the attachments.</source>
        <translation>No hay tal archivo entre los adjuntos.</translation>
    </message>
    <message>
        <source>There is no such job. The jobs are {names}.</source>
        <translation>No hay ninguna tarea así. Las tareas son {names}.</translation>
    </message>
    <message>
        <source>There is no such machine among those that share the memory.</source>
        <translation>Ese equipo no está entre los que comparten la memoria.</translation>
    </message>
    <message>
        <source>There is no such relation.</source>
        <translation>No hay tal relación.</translation>
    </message>
    <message>
        <source>There is no such service; choose one of {names}.</source>
        <translation>No hay ningún servicio así; elige uno de {names}.</translation>
    </message>
    <message>
        <source>There is no such time zone. Use a name such as Europe/Berlin.</source>
        <translation>No existe esa zona horaria. Usa un nombre como Europe/Berlin.</translation>
    </message>
    <message>
        <source>There is no such {kind} as sources[{missing}] names.</source>
        <translation>No existe lo que nombra sources[{missing}] ({kind}).</translation>
    </message>
    <message>
        <source>There is no trust &apos;{trust}&apos;. Use one of {names}.</source>
        <translation>No existe el nivel de confianza «{trust}». Usa uno de estos: {names}.</translation>
    </message>
    <message>
        <source>There is no {database}.</source>
        <translation>No existe {database}.</translation>
    </message>
    <message>
        <source>There is no {kind} with the id {memory_id}.</source>
        <translation>No hay nada de este tipo ({kind}) con el identificador {memory_id}.</translation>
    </message>
    <message>
        <source>There is nothing to append: &apos;messages&apos; is empty.</source>
        <translation>No hay nada que añadir: «messages» está vacío.</translation>
    </message>
    <message>
        <source>There is nothing to do again.</source>
        <translation>No hay nada que rehacer.</translation>
    </message>
    <message>
        <source>There is nothing to search for: type a word, or an operator such as kind:note.</source>
        <translation>No hay nada que buscar: escribe una palabra o un operador como kind:note.</translation>
    </message>
    <message>
        <source>There is nothing to store: the title and the text are both empty.</source>
        <translation>No hay nada que guardar: el título y el texto están vacíos.</translation>
    </message>
    <message>
        <source>There is nothing to undo.</source>
        <translation>No hay nada que deshacer.</translation>
    </message>
    <message>
        <source>There is nothing with the id {id}; nothing was removed.</source>
        <translation>No hay nada con el identificador {id}; no se quitó nada.</translation>
    </message>
    <message>
        <source>There is too little to ask about. Add conversations or notes, or judge search results first.</source>
        <translation>Hay demasiado poco sobre lo que preguntar. Añade conversaciones o notas, o valora antes resultados de búsqueda.</translation>
    </message>
    <message>
        <source>There was no backup to verify.</source>
        <translation>No había ninguna copia que verificar.</translation>
    </message>
    <message>
        <source>There was no entity with the id {entity_id} then.</source>
        <translation>Entonces no había ningún nombre con el identificador {entity_id}.</translation>
    </message>
    <message>
        <source>There was no room on the disk to write the database anew, which would have removed the last traces.</source>
        <translation>No había espacio en el disco para reescribir la base de datos, lo que habría eliminado los últimos rastros.</translation>
    </message>
    <message>
        <source>There was nothing to read.</source>
        <translation>No había nada que leer.</translation>
    </message>
    <message>
        <source>These memories are encrypted already.</source>
        <translation>Estos recuerdos ya están cifrados.</translation>
    </message>
    <message>
        <source>These memories are encrypted, and this export is not. Use the format &apos;encrypted&apos;, or say that it may be plain text (--plain-text). A copy of the whole folder stays encrypted, too.</source>
        <translation>Estos recuerdos están cifrados, y esta exportación no. Usa el formato «encrypted» o di que puede ser texto sin cifrar (--plain-text). Una copia de toda la carpeta también queda cifrada.</translation>
    </message>
    <message>
        <source>These memories are encrypted. Open Keepsake and type the passphrase, or run &apos;keepsake serve&apos;.</source>
        <translation>Estos recuerdos están cifrados. Abre Keepsake y escribe la frase de contraseña, o ejecuta «keepsake serve».</translation>
    </message>
    <message>
        <source>These memories are not encrypted.</source>
        <translation>Estos recuerdos no están cifrados.</translation>
    </message>
    <message>
        <source>These memories were encrypted by a newer Keepsake. Update Keepsake to open them.</source>
        <translation>Un Keepsake más reciente cifró estos recuerdos. Actualiza Keepsake para abrirlos.</translation>
    </message>
    <message>
        <source>These memories will be encrypted now. Open Keepsake and type the passphrase, or run &apos;keepsake serve&apos;. &apos;keepsake encryption cancel&apos; calls it off.</source>
        <translation>Ahora se cifrarán estos recuerdos. Abre Keepsake y escribe la frase de contraseña, o ejecuta «keepsake serve». «keepsake encryption cancel» lo anula.</translation>
    </message>
    <message>
        <source>These words do not belong together: one of them is another word, or two have changed places.</source>
        <translation>Estas palabras no forman una invitación: una es incorrecta o dos están intercambiadas.</translation>
    </message>
    <message>
        <source>They said: {note}</source>
        <translation>Dijo: {note}</translation>
    </message>
    <message>
        <source>This agent has access already.</source>
        <translation>Este agente ya tiene acceso.</translation>
    </message>
    <message>
        <source>This caller stores in {names}, not in {store}.</source>
        <translation>Este programa guarda en {names}, no en {store}.</translation>
    </message>
    <message>
        <source>This computer has too little free memory for that. Close some programs and try again.</source>
        <translation>Este equipo tiene muy poca memoria libre para eso. Cierra algunos programas e inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>This computer has too little free memory for that. Close some programs.</source>
        <translation>Este equipo tiene muy poca memoria libre para eso. Cierra algunos programas.</translation>
    </message>
    <message>
        <source>This computer has too many files open. Close some programs and try again.</source>
        <translation>Este equipo tiene demasiados archivos abiertos. Cierra algunos programas e inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>This end of incognito has passed. Choose a later one.</source>
        <translation>Ese final del modo incógnito ya pasó. Elige uno posterior.</translation>
    </message>
    <message>
        <source>This entity was merged into another. Use that one, or undo the merge.</source>
        <translation>Este nombre se fusionó con otro. Usa aquel o deshaz la fusión.</translation>
    </message>
    <message>
        <source>This expression matches no date, so it would never run.</source>
        <translation>Esta expresión no coincide con ninguna fecha, así que nunca se ejecutaría.</translation>
    </message>
    <message>
        <source>This expression runs more often than every {min_interval_s} seconds.</source>
        <translation>Esta expresión se ejecuta más a menudo que cada {min_interval_s} segundos.</translation>
    </message>
    <message>
        <source>This fact was superseded by {id}, which says “{content}”. Confirm that one instead.</source>
        <translation>Este hecho fue reemplazado por {id}: «{content}». Confirma ese.</translation>
    </message>
    <message>
        <source>This file cannot be read: {reason}.</source>
        <translation>No se puede leer este archivo: {reason}.</translation>
    </message>
    <message>
        <source>This file cannot be read: {strerror}.</source>
        <translation>No se puede leer este archivo: {strerror}.</translation>
    </message>
    <message>
        <source>This file has {size} MB; one of its kind may have {allowed} MB.</source>
        <translation>Este archivo tiene {size} MB; uno de su tipo puede tener {allowed} MB.</translation>
    </message>
    <message>
        <source>This file is empty, so there is nothing to attach.</source>
        <translation>Este archivo está vacío, así que no hay nada que adjuntar.</translation>
    </message>
    <message>
        <source>This file is not there any more.</source>
        <translation>Este archivo ya no está.</translation>
    </message>
    <message>
        <source>This finding has no fix. Those that have one are {names}.</source>
        <translation>Este hallazgo no tiene arreglo. Los que lo tienen son {names}.</translation>
    </message>
    <message>
        <source>This installation of Keepsake cannot encrypt: the package apsw has taken the place of apsw-sqlite3mc. Remove both (pip uninstall apsw apsw-sqlite3mc) and install Keepsake&apos;s wheel again, or use one of its packages.</source>
        <translation>Esta instalación de Keepsake no puede cifrar: el paquete apsw ha ocupado el lugar de apsw-sqlite3mc. Quita ambos (pip uninstall apsw apsw-sqlite3mc) y vuelve a instalar el wheel de Keepsake, o usa uno de sus paquetes.</translation>
    </message>
    <message>
        <source>This invitation belongs to other words, or is not whole. Take the words and the file of one invitation.</source>
        <translation>Esta invitación pertenece a otras palabras o no está completa. Usa las palabras y el archivo de una misma invitación.</translation>
    </message>
    <message>
        <source>This is no address of S3 storage. It looks like s3://KEY:SECRET@bucket/prefix?region=…&amp;endpoint=https://…; write / and + within the secret as %2F and %2B.</source>
        <translation>Esta no es la dirección de un almacenamiento S3. Tiene esta forma: s3://CLAVE:SECRETO@bucket/prefijo?region=…&amp;endpoint=https://…; escribe / y + en el secreto como %2F y %2B.</translation>
    </message>
    <message>
        <source>This is no address of a WebDAV server. It looks like https://name:password@server/path; write @, /, # and ? within the password as %40, %2F, %23 and %3F.</source>
        <translation>Esta no es la dirección de un servidor WebDAV. Tiene esta forma: https://nombre:contraseña@servidor/ruta; escribe @, /, # y ? en la contraseña como %40, %2F, %23 y %3F.</translation>
    </message>
    <message>
        <source>This is no address of a database. It looks like postgresql://name@server/database.</source>
        <translation>Eso no es la dirección de una base de datos. Tiene esta forma: postgresql://name@server/database.</translation>
    </message>
    <message>
        <source>This is not a cron expression. An example: 30 8 * * mon-fri.</source>
        <translation>Esto no es una expresión cron. Un ejemplo: 30 8 * * mon-fri.</translation>
    </message>
    <message>
        <source>This is not the passphrase of these memories. Try again.</source>
        <translation>Esa no es la frase de contraseña de estos recuerdos. Inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>This is not the passphrase of {name}. Try again.</source>
        <translation>Esa no es la frase de contraseña de {name}. Inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>This machine and your others do not hear of each other. {reason}</source>
        <translation>Este equipo y los demás no saben nada unos de otros. {reason}</translation>
    </message>
    <message>
        <source>This machine cannot remove itself. Leave here, and remove it on another one.</source>
        <translation>Este equipo no puede quitarse a sí mismo. Deja de compartir aquí y quítalo en otro.</translation>
    </message>
    <message>
        <source>This machine has no keyring that Keepsake can use. {instead}</source>
        <translation>Este equipo no tiene un llavero que Keepsake pueda usar. {instead}</translation>
    </message>
    <message>
        <source>This machine has no keyring: the keys that open what lies there are in a file that programs of yours can read.</source>
        <translation>Este equipo no tiene llavero: las claves que abren lo que hay allí están en un archivo que tus programas pueden leer.</translation>
    </message>
    <message>
        <source>This machine shares its memory there already.</source>
        <translation>Este equipo ya comparte su memoria allí.</translation>
    </message>
    <message>
        <source>This machine waits no longer: its words were used, or ten minutes are over. Make a new invitation.</source>
        <translation>Este equipo ya no espera: sus palabras se usaron o han pasado los diez minutos. Crea una invitación nueva.</translation>
    </message>
    <message>
        <source>This machine was added before.</source>
        <translation>Este equipo ya se había añadido.</translation>
    </message>
    <message>
        <source>This machine was removed from those that share the memory. What is here stays here. To share again, make an invitation on another machine, and join with its words.</source>
        <translation>Este equipo se quitó de los que comparten la memoria. Lo que hay aquí se queda aquí. Para volver a compartir, crea una invitación en otro equipo y únete con sus palabras.</translation>
    </message>
    <message>
        <source>This memory is not deleted.</source>
        <translation>Este recuerdo no está eliminado.</translation>
    </message>
    <message>
        <source>This memory was changed in the meantime. Read it again and repeat the change.</source>
        <translation>Este recuerdo cambió entretanto. Léelo de nuevo y repite el cambio.</translation>
    </message>
    <message>
        <source>This part does not begin where the last one ended. Ask for the position first.</source>
        <translation>Esta parte no empieza donde acabó la anterior. Pregunta primero por la posición.</translation>
    </message>
    <message>
        <source>This passphrase is one of the first that anyone tries. Choose several words that do not go together.</source>
        <translation>Esta frase de contraseña es de las primeras que prueba cualquiera. Elige varias palabras que no tengan relación.</translation>
    </message>
    <message>
        <source>This proposal is decided already.</source>
        <translation>Esta propuesta ya está decidida.</translation>
    </message>
    <message>
        <source>This reads as a sentence: texts with the quoted words side by side are preferred, others are found too. Search a quotation by itself to demand it.</source>
        <translation>Esto se lee como una frase: se prefieren los textos con las palabras entrecomilladas seguidas, pero también se encuentran otros. Busca una cita sola para exigirla.</translation>
    </message>
    <message>
        <source>This removes {count} for ever; nothing can bring them back. Ask again with confirm=true.</source>
        <translation>Esto borra {count} para siempre; nada puede recuperarlos. Vuelve a pedirlo con confirm=true.</translation>
    </message>
    <message>
        <source>This role may not do that in the database. Let it make tables there, or name another.</source>
        <translation>Este rol no puede hacer eso en la base de datos. Permítele crear tablas allí o indica otro.</translation>
    </message>
    <message>
        <source>This run has ended, or it is not yours.</source>
        <translation>Esta ejecución ha terminado o no es tuya.</translation>
    </message>
    <message>
        <source>This schedule is there no more.</source>
        <translation>Esta programación ya no existe.</translation>
    </message>
    <message>
        <source>This schedule runs already.</source>
        <translation>Esta programación ya se está ejecutando.</translation>
    </message>
    <message>
        <source>This search is no longer saved.</source>
        <translation>Esta búsqueda ya no está guardada.</translation>
    </message>
    <message>
        <source>This server cannot tell two machines apart that write at the same moment: add, rename and remove machines on one machine at a time.</source>
        <translation>Este servidor no distingue dos equipos que escriben en el mismo instante: añade, renombra y quita equipos en un solo equipo cada vez.</translation>
    </message>
    <message>
        <source>This vault could not be brought up to date (step {step}). Nothing was changed. &apos;keepsake salvage --into FOLDER&apos; copies everything readable into a new vault.</source>
        <translation>No se pudo poner al día esta bóveda (paso {step}). No se cambió nada. «keepsake salvage --into FOLDER» copia todo lo legible en una bóveda nueva.</translation>
    </message>
    <message>
        <source>This vault is from an older Keepsake (schema {have}; this one needs {known}) and must be brought up to date before it is read, which needs free space and a folder that can be written.</source>
        <translation>Esta bóveda es de un Keepsake anterior (esquema {have}; este necesita {known}) y debe ponerse al día antes de leerla, lo que exige espacio libre y una carpeta en la que se pueda escribir.</translation>
    </message>
    <message>
        <source>This vault is open for reading only and has no vectors yet.</source>
        <translation>Esta bóveda está abierta solo para lectura y aún no tiene vectores.</translation>
    </message>
    <message>
        <source>This vault is shared nowhere yet. Name a place first.</source>
        <translation>Esta bóveda todavía no se comparte en ningún lugar. Indica primero uno.</translation>
    </message>
    <message>
        <source>This vault shares its changes through another place. If that one was moved, name the place where it is now. If it was lost, say that this one is to be filled anew.</source>
        <translation>Esta bóveda comparte sus cambios a través de otro lugar. Si aquel se movió, indica dónde está ahora. Si se perdió, di que este debe llenarse de nuevo.</translation>
    </message>
    <message>
        <source>This vault shares its changes with no other machine. Name a place first.</source>
        <translation>Esta bóveda no comparte sus cambios con ningún otro equipo. Indica primero un lugar.</translation>
    </message>
    <message>
        <source>This vault was made by an unreleased version of Keepsake, and its tables differ from those of every release. Nothing was changed. &apos;keepsake salvage --into FOLDER&apos; copies everything readable into a new vault.</source>
        <translation>Esta bóveda la creó una versión no publicada de Keepsake, y sus tablas difieren de las de todas las publicadas. No se cambió nada. «keepsake salvage --into FOLDER» copia todo lo legible en una bóveda nueva.</translation>
    </message>
    <message>
        <source>This vault was written by a newer Keepsake (schema {have}; this one knows {known}). Update Keepsake, or open another vault.</source>
        <translation>Esta bóveda la escribió un Keepsake más reciente (esquema {have}; este conoce {known}). Actualiza Keepsake o abre otra bóveda.</translation>
    </message>
    <message>
        <source>This vault was written by a newer Keepsake (schema {schema}; this one knows {known}). Update Keepsake and salvage with that.</source>
        <translation>Esta bóveda la escribió un Keepsake más reciente (esquema {schema}; este conoce {known}). Actualiza Keepsake y sálvala con él.</translation>
    </message>
    <message>
        <source>This version of Keepsake does not know {names}, which was left out.</source>
        <translation>Esta versión de Keepsake no conoce {names}, que se omitió.</translation>
    </message>
    <message>
        <source>This version of Keepsake has no such work.</source>
        <translation>Esta versión de Keepsake no tiene esa tarea.</translation>
    </message>
    <message>
        <source>This was interrupted and finished later; the whole file was written anew.</source>
        <translation>Se interrumpió y se terminó después; se reescribió todo el archivo.</translation>
    </message>
    <message>
        <source>This was stopped before it was done.</source>
        <translation>Esto se detuvo antes de terminar.</translation>
    </message>
    <message>
        <source>This was stopped before it was done: the vault was closed, or you chose otherwise meanwhile.</source>
        <translation>Esto se detuvo antes de terminar: se cerró el almacén, o entretanto elegiste otra cosa.</translation>
    </message>
    <message>
        <source>This {kind} was deleted. Restore it first, or look in its history.</source>
        <translation>Esto ({kind}) se eliminó. Restáuralo primero o mira su historial.</translation>
    </message>
    <message>
        <source>Thursday</source>
        <translation>Jueves</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Hora</translation>
    </message>
    <message>
        <source>Time at which remaining conversations are consolidated.</source>
        <translation>Hora a la que se consolidan las conversaciones restantes.</translation>
    </message>
    <message>
        <source>Timeout</source>
        <translation>Tiempo límite</translation>
    </message>
    <message>
        <source>Tokens of a conversation that agents are given back.</source>
        <translation>Tokens de una conversación que se devuelven a los agentes.</translation>
    </message>
    <message>
        <source>Tokens of an agent&apos;s context, unless it asks for others.</source>
        <translation>Tokens del contexto de un agente, si no pide otros.</translation>
    </message>
    <message>
        <source>Tokens that important messages take at most.</source>
        <translation>Tokens que los mensajes importantes ocupan como máximo.</translation>
    </message>
    <message>
        <source>Tokens that one answer may have.</source>
        <translation>Tokens que puede tener una respuesta.</translation>
    </message>
    <message>
        <source>Tokens that relevant messages take at most.</source>
        <translation>Tokens que los mensajes relevantes ocupan como máximo.</translation>
    </message>
    <message>
        <source>Tokens that the latest messages take at most.</source>
        <translation>Tokens que los últimos mensajes ocupan como máximo.</translation>
    </message>
    <message>
        <source>Tokens that the memory index takes at most.</source>
        <translation>Tokens que el índice de recuerdos ocupa como máximo.</translation>
    </message>
    <message>
        <source>Tokens that the weekly reflection takes at most.</source>
        <translation>Tokens que la reflexión semanal ocupa como máximo.</translation>
    </message>
    <message>
        <source>Tokens that these facts take at most.</source>
        <translation>Tokens que estos hechos ocupan como máximo.</translation>
    </message>
    <message>
        <source>Tokens that these summaries take at most.</source>
        <translation>Tokens que estos resúmenes ocupan como máximo.</translation>
    </message>
    <message>
        <source>Too many levels of symbolic links</source>
        <translation>Demasiados enlaces simbólicos seguidos</translation>
    </message>
    <message>
        <source>Too many messages are waiting to be stored.</source>
        <translation>Hay demasiados mensajes esperando a guardarse.</translation>
    </message>
    <message>
        <source>Too many programs wait to be let in. Ask the person to allow or refuse some first.</source>
        <translation>Demasiados programas esperan acceso. Permite o rechaza algunos primero.</translation>
    </message>
    <message>
        <source>Took 1 short name apart again, which may be of somebody else.</source>
        <translation>Se volvió a separar 1 nombre corto, que puede ser de otra persona.</translation>
    </message>
    <message>
        <source>Took away 1 mention in texts that are gone.</source>
        <translation>Se quitó 1 mención en textos que ya no existen.</translation>
    </message>
    <message>
        <source>Took away 1 row of {table} that belonged to nothing.</source>
        <translation>Se quitó 1 fila de {table} que no pertenecía a nada.</translation>
    </message>
    <message>
        <source>Took away {count} mentions in texts that are gone.</source>
        <translation>Se quitaron {count} menciones en textos que ya no existen.</translation>
    </message>
    <message>
        <source>Took away {count} rows of {table} that belonged to nothing.</source>
        <translation>Se quitaron {count} filas de {table} que no pertenecían a nada.</translation>
    </message>
    <message>
        <source>Took in part of a conversation</source>
        <translation>Recogió parte de una conversación</translation>
    </message>
    <message>
        <source>Took {count} short names apart again, which may be of somebody else.</source>
        <translation>Se volvieron a separar {count} nombres cortos, que pueden ser de otra persona.</translation>
    </message>
    <message>
        <source>Transcripts are not followed for now: {why}</source>
        <translation>Por ahora no se siguen las transcripciones: {why}</translation>
    </message>
    <message>
        <source>Transcripts of Cursor are not sent in lines. Import its state.vscdb.</source>
        <translation>Las transcripciones de Cursor no se envían por líneas. Importa su state.vscdb.</translation>
    </message>
    <message>
        <source>Tri</source>
        <translation>Tri</translation>
    </message>
    <message>
        <source>Tri importance</source>
        <translation>Importancia de tri</translation>
    </message>
    <message>
        <source>Tri recent</source>
        <translation>Recientes de tri</translation>
    </message>
    <message>
        <source>Tri relevant</source>
        <translation>Relevantes de tri</translation>
    </message>
    <message>
        <source>Tri salient</source>
        <translation>Destacados de tri</translation>
    </message>
    <message>
        <source>Tri similarity</source>
        <translation>Similitud de tri</translation>
    </message>
    <message>
        <source>Try {values}.</source>
        <translation>Prueba {values}.</translation>
    </message>
    <message>
        <source>Tuesday</source>
        <translation>Martes</translation>
    </message>
    <message>
        <source>Turns of a language model that one run of a goal takes at most.</source>
        <translation>Turnos de un modelo de lenguaje que una ejecución de un objetivo toma como máximo.</translation>
    </message>
    <message>
        <source>Two copies of one vault wrote as the same machine; what the second one wrote is not taken in.</source>
        <translation>Dos copias de una bóveda escribieron como el mismo equipo; lo que escribió la segunda no se incorpora.</translation>
    </message>
    <message>
        <source>Two copies of this vault wrote to one place at the same time. The next time sets it right.</source>
        <translation>Dos copias de esta bóveda escribieron a la vez en un mismo lugar. La próxima vez se corrige.</translation>
    </message>
    <message>
        <source>Two of your machines changed the list of your machines at the same time, and the change that was made elsewhere counts. Make an invitation on another machine, and join here with its words: nothing that was written here is lost. Then change the list again where it is not as you want it.</source>
        <translation>Dos de tus equipos cambiaron la lista de tus equipos al mismo tiempo, y vale el cambio que se hizo en el otro. Crea una invitación en otro equipo y únete aquí con sus palabras: no se pierde nada de lo escrito aquí. Después vuelve a cambiar la lista donde no esté como quieres.</translation>
    </message>
    <message>
        <source>Undid 1 change of {agent}</source>
        <translation>Se deshizo 1 cambio de {agent}</translation>
    </message>
    <message>
        <source>Undid part of: {what}</source>
        <translation>Deshecho en parte: {what}</translation>
    </message>
    <message>
        <source>Undid {count} changes of {agent}</source>
        <translation>Deshechos {count} cambios de {agent}</translation>
    </message>
    <message>
        <source>Undid: {what}</source>
        <translation>Deshecho: {what}</translation>
    </message>
    <message>
        <source>Undo this first: {what}.</source>
        <translation>Antes hay que deshacer: {what}.</translation>
    </message>
    <message>
        <source>Undoing what {name} wrote</source>
        <translation>Deshaciendo lo que escribió {name}</translation>
    </message>
    <message>
        <source>Unpack it, and import what is in it.</source>
        <translation>Descomprímelo e importa lo que contiene.</translation>
    </message>
    <message>
        <source>Unpinned {items}</source>
        <translation>Ya no fijado: {items}</translation>
    </message>
    <message>
        <source>Use a language model or spaCy to find names, if available.</source>
        <translation>Usar un modelo de lenguaje o spaCy para encontrar nombres, si lo hay.</translation>
    </message>
    <message>
        <source>Use or close that one; if it does not answer, end its process.</source>
        <translation>Usa o cierra ese; si no responde, termina su proceso.</translation>
    </message>
    <message>
        <source>Used schedules</source>
        <translation>Usó programaciones</translation>
    </message>
    <message>
        <source>Used your facts</source>
        <translation>Usó tus hechos</translation>
    </message>
    <message>
        <source>Used your memories</source>
        <translation>Usó tus recuerdos</translation>
    </message>
    <message>
        <source>Vector</source>
        <translation>Vector</translation>
    </message>
    <message>
        <source>Vector weight</source>
        <translation>Peso de los vectores</translation>
    </message>
    <message>
        <source>Wait</source>
        <translation>Esperar</translation>
    </message>
    <message>
        <source>Waited 1 minute: {why}.</source>
        <translation>Esperó 1 minuto: {why}.</translation>
    </message>
    <message>
        <source>Waited {count} hours: {why}.</source>
        <translation>Esperó {count} horas: {why}.</translation>
    </message>
    <message>
        <source>Waited {count} minutes: {why}.</source>
        <translation>Esperó {count} minutos: {why}.</translation>
    </message>
    <message>
        <source>Waits because incognito is on.</source>
        <translation>Espera porque el modo incógnito está activado.</translation>
    </message>
    <message>
        <source>Waits because {agent}, who made it, is paused.</source>
        <translation>Espera porque {agent}, que la creó, está en pausa.</translation>
    </message>
    <message>
        <source>Waits for a language model or an agent.</source>
        <translation>Espera a un modelo de lenguaje o a un agente.</translation>
    </message>
    <message>
        <source>Waits until your other machines can be asked.</source>
        <translation>Espera hasta que se pueda preguntar a tus otros equipos.</translation>
    </message>
    <message>
        <source>Waits until your other machines can be asked. {reason}</source>
        <translation>Espera hasta que se pueda preguntar a tus otros equipos. {reason}</translation>
    </message>
    <message>
        <source>Waits: it is the turn of another of your machines.</source>
        <translation>Espera: le toca a otro de tus equipos.</translation>
    </message>
    <message>
        <source>Waits: it is the turn of {machine}.</source>
        <translation>Espera: le toca a {machine}.</translation>
    </message>
    <message>
        <source>Waits: it runs already.</source>
        <translation>Espera: ya se está ejecutando.</translation>
    </message>
    <message>
        <source>Waits: {why}</source>
        <translation>En espera: {why}</translation>
    </message>
    <message>
        <source>Waits: {why}.</source>
        <translation>En espera: {why}.</translation>
    </message>
    <message>
        <source>Wednesday</source>
        <translation>Miércoles</translation>
    </message>
    <message>
        <source>Weekly backups that are kept.</source>
        <translation>Copias semanales que se conservan.</translation>
    </message>
    <message>
        <source>Weekly insight</source>
        <translation>Visión semanal</translation>
    </message>
    <message>
        <source>Weekly reflection</source>
        <translation>Reflexión semanal</translation>
    </message>
    <message>
        <source>Weighted</source>
        <translation>Ponderada</translation>
    </message>
    <message>
        <source>What a built-in schedule does cannot be changed.</source>
        <translation>Lo que hace una programación integrada no se puede cambiar.</translation>
    </message>
    <message>
        <source>What a machine wrote after it was removed is not taken in.</source>
        <translation>Lo que un equipo escribió después de que se quitara no se incorpora.</translation>
    </message>
    <message>
        <source>What agents do is not recorded at the moment.</source>
        <translation>Por ahora no se registra lo que hacen los agentes.</translation>
    </message>
    <message>
        <source>What an edit or a retry replaced was left out.</source>
        <translation>Se omitió lo que una edición o un nuevo intento reemplazó.</translation>
    </message>
    <message>
        <source>What has expired could not be set aside: {why}</source>
        <translation>No se pudo apartar lo caducado: {why}</translation>
    </message>
    <message>
        <source>What is deleted leaves the archive; only the history keeps it, by which an undo brings it back.</source>
        <translation>Lo que se elimina deja el archivo; solo lo guarda el historial, con el que deshacer lo recupera.</translation>
    </message>
    <message>
        <source>What is done with that folder: &apos;read&apos; takes its edits in and never writes to it; &apos;both&apos; also writes edits, new notes and deletions back, and keeps a note that is edited on both sides twice.</source>
        <translation>Qué se hace con esa carpeta: «read» incorpora sus cambios y nunca escribe en ella; «both» escribe además los cambios, las notas nuevas y las eliminaciones, y conserva dos veces una nota cambiada en ambos lados.</translation>
    </message>
    <message>
        <source>What one of your machines wrote after {time} UTC is lost: neither the place nor a machine has it.</source>
        <translation>Lo que uno de tus equipos escribió después de {time} UTC se ha perdido: no lo tienen ni el lugar ni ningún equipo.</translation>
    </message>
    <message>
        <source>What one of your machines wrote is lost: neither the place nor a machine has it.</source>
        <translation>Lo que uno de tus equipos escribió se ha perdido: no lo tienen ni el lugar ni ningún equipo.</translation>
    </message>
    <message>
        <source>What stands for the older messages of a long conversation: a list of them, one sentence each; a summary by the language model, or the list where there is none; or nothing.</source>
        <translation>Lo que ocupa el lugar de los mensajes antiguos de una conversación larga: una lista de ellos, una frase cada uno; un resumen del modelo de lenguaje, o la lista donde no lo hay; o nada.</translation>
    </message>
    <message>
        <source>What this name means there was decided already. Undo that first.</source>
        <translation>Ya se decidió qué significa este nombre ahí. Deshaz eso primero.</translation>
    </message>
    <message>
        <source>What turns text into vectors: &apos;static&apos; (built in), &apos;hashed&apos; (for tests), &apos;fastembed:&lt;model name&gt;&apos;, or a remote service: &apos;openai:&apos;, &apos;voyage:&apos;, &apos;cohere:&apos; or &apos;openai-compatible:&apos; with a model name. What is searched for is sent to a remote service too.</source>
        <translation>Lo que convierte texto en vectores: «static» (incluido), «hashed» (para pruebas), «fastembed:&lt;model name&gt;», o un servicio remoto: «openai:», «voyage:», «cohere:» u «openai-compatible:» con un nombre de modelo. Lo que se busca también se envía al servicio remoto.</translation>
    </message>
    <message>
        <source>What waits for the person may have at most {max_bytes} characters.</source>
        <translation>Lo que espera tu decisión puede tener como máximo {max_bytes} caracteres.</translation>
    </message>
    <message>
        <source>What was accepted changed nothing that the history keeps, but perhaps a setting or what was said in a conversation, so it cannot be undone here.</source>
        <translation>Lo aceptado no cambió nada que el historial guarde, pero quizá un ajuste o lo dicho en una conversación, así que no se puede deshacer aquí.</translation>
    </message>
    <message>
        <source>What was accepted changed nothing that the history keeps, so it cannot be undone here.</source>
        <translation>Lo aceptado no cambió nada que el historial conserve, así que no se puede deshacer aquí.</translation>
    </message>
    <message>
        <source>What was stored with this key, {id}, has been removed since. Use another key.</source>
        <translation>Lo que se guardó con esta clave, {id}, se ha quitado desde entonces. Usa otra clave.</translation>
    </message>
    <message>
        <source>WhatsApp chat</source>
        <translation>Chat de WhatsApp</translation>
    </message>
    <message>
        <source>When it is written on that day.</source>
        <translation>A qué hora de ese día se escribe.</translation>
    </message>
    <message>
        <source>When that is done each night, unless its schedule was moved.</source>
        <translation>Cuándo se hace cada noche, si no se movió su programación.</translation>
    </message>
    <message>
        <source>When that is done each night.</source>
        <translation>Cuándo se hace cada noche.</translation>
    </message>
    <message>
        <source>When that is done, unless its schedule was moved.</source>
        <translation>Cuándo se hace, si no se movió su programación.</translation>
    </message>
    <message>
        <source>Whether goals wait while the connection is paid by volume, a day at most, or run on it too.</source>
        <translation>Si los objetivos esperan mientras la conexión es de uso medido, un día como máximo, o se ejecutan también así.</translation>
    </message>
    <message>
        <source>Whether heavy work waits for mains power, a day at most, or runs on battery too.</source>
        <translation>Si el trabajo pesado espera a la corriente, un día como máximo, o se hace también con batería.</translation>
    </message>
    <message>
        <source>Whether your other machines have forgotten it is not known here.</source>
        <translation>Aquí no se sabe si tus otros equipos lo han olvidado.</translation>
    </message>
    <message>
        <source>While you write, show quietly what you already know about it, and what a new text may contradict.</source>
        <translation>Mientras escribes, mostrar con calma lo que ya sabes de ello y lo que un texto nuevo puede contradecir.</translation>
    </message>
    <message>
        <source>Who answers where a language model helps: nobody, or a service that speaks OpenAI&apos;s protocol.</source>
        <translation>Quién responde donde ayuda un modelo de lenguaje: nadie, o un servicio que habla el protocolo de OpenAI.</translation>
    </message>
    <message>
        <source>Without encryption, others could read the password on its way. Begin the address with https://.</source>
        <translation>Sin cifrado, otros podrían leer la contraseña por el camino. Empieza la dirección con https://.</translation>
    </message>
    <message>
        <source>Word document</source>
        <translation>Documento de Word</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>Palabras</translation>
    </message>
    <message>
        <source>Working turns</source>
        <translation>Turnos de trabajo</translation>
    </message>
    <message>
        <source>Would archive 1 observation.</source>
        <translation>Archivaría 1 observación.</translation>
    </message>
    <message>
        <source>Would archive {count} observations.</source>
        <translation>Archivaría {count} observaciones.</translation>
    </message>
    <message>
        <source>Would compress 1 observation into {digests}.</source>
        <translation>Condensaría 1 observación en {digests}.</translation>
    </message>
    <message>
        <source>Would compress {count} observations into {digests}.</source>
        <translation>Condensaría {count} observaciones en {digests}.</translation>
    </message>
    <message>
        <source>Would delete 1 observation after its time in the archive.</source>
        <translation>Eliminaría 1 observación tras su tiempo en el archivo.</translation>
    </message>
    <message>
        <source>Would delete {count} observations after their time in the archive.</source>
        <translation>Eliminaría {count} observaciones tras su tiempo en el archivo.</translation>
    </message>
    <message>
        <source>Would let 1 fact fade.</source>
        <translation>Dejaría desvanecerse 1 hecho.</translation>
    </message>
    <message>
        <source>Would let {count} facts fade.</source>
        <translation>Dejaría desvanecerse {count} hechos.</translation>
    </message>
    <message>
        <source>Write [{name}] on a line of its own, and its settings below.</source>
        <translation>Escribe [{name}] en una línea propia y sus ajustes debajo.</translation>
    </message>
    <message>
        <source>Write a reflection on the week.</source>
        <translation>Escribir una reflexión sobre la semana.</translation>
    </message>
    <message>
        <source>Write behind queue</source>
        <translation>Cola de escrituras diferidas</translation>
    </message>
    <message>
        <source>Write it from the top or from &apos;~&apos;.</source>
        <translation>Escríbela desde la raíz o desde «~».</translation>
    </message>
    <message>
        <source>Write the week: people and what changed with them, plans due, open promises, changes of mind, what faded.</source>
        <translation>Escribir la semana: personas y qué cambió con ellas, planes próximos, promesas pendientes, cambios de opinión, lo que se desvaneció.</translation>
    </message>
    <message>
        <source>Write {name} = &quot;{provider}&quot;.</source>
        <translation>Escribe {name} = &quot;{provider}&quot;.</translation>
    </message>
    <message>
        <source>Write {name} = &quot;{provider}:&lt;model name&gt;&quot;.</source>
        <translation>Escribe {name} = &quot;{provider}:&lt;model name&gt;&quot;.</translation>
    </message>
    <message>
        <source>Write {new} instead; the next change of a setting does it too.</source>
        <translation>Escribe {new} en su lugar; el próximo cambio de un ajuste también lo hace.</translation>
    </message>
    <message>
        <source>Write “{title}”.</source>
        <translation>Escribir «{title}».</translation>
    </message>
    <message>
        <source>Wrote a note</source>
        <translation>Escribió una nota</translation>
    </message>
    <message>
        <source>Wrote a reflection</source>
        <translation>Escribió una reflexión</translation>
    </message>
    <message>
        <source>Wrote {items}</source>
        <translation>Escrito: {items}</translation>
    </message>
    <message>
        <source>Wrote “{title}” from 1 source.</source>
        <translation>Se escribió «{title}» a partir de 1 fuente.</translation>
    </message>
    <message>
        <source>Wrote “{title}” from {count} sources.</source>
        <translation>Se escribió «{title}» a partir de {count} fuentes.</translation>
    </message>
    <message>
        <source>Your memory in {database} is as it was before.</source>
        <translation>Tu memoria en {database} está como antes.</translation>
    </message>
    <message>
        <source>Your other machines could not be asked.</source>
        <translation>No se pudo preguntar a tus otros equipos.</translation>
    </message>
    <message>
        <source>Your other machines could not be asked. {reason}</source>
        <translation>No se pudo preguntar a tus otros equipos. {reason}</translation>
    </message>
    <message>
        <source>a change of conversation was not noticed</source>
        <translation>no se advirtió un cambio de conversación</translation>
    </message>
    <message>
        <source>a fact</source>
        <translation>un hecho</translation>
    </message>
    <message>
        <source>a long conversation could not be condensed</source>
        <translation>no se pudo condensar una conversación larga</translation>
    </message>
    <message>
        <source>a name that is no plain word</source>
        <translation>un nombre que no es una palabra simple</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>un número</translation>
    </message>
    <message>
        <source>a text</source>
        <translation>un texto</translation>
    </message>
    <message>
        <source>a text on one line, without control characters</source>
        <translation>un texto en una línea, sin caracteres de control</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>un número entero</translation>
    </message>
    <message>
        <source>an error inside Keepsake ({kind}). Restart it.</source>
        <translation>un error de Keepsake ({kind}). Reinícialo.</translation>
    </message>
    <message>
        <source>another encoding</source>
        <translation>otra codificación</translation>
    </message>
    <message>
        <source>are kept with the message, where no search finds them</source>
        <translation>se conserva con el mensaje, donde ninguna búsqueda lo encuentra</translation>
    </message>
    <message>
        <source>beyond the {most} that are looked at in one folder</source>
        <translation>más allá de los {most} que se miran en una carpeta</translation>
    </message>
    <message>
        <source>category</source>
        <translation>categoría</translation>
    </message>
    <message>
        <source>change</source>
        <translation>cambio</translation>
    </message>
    <message>
        <source>changes</source>
        <translation>cambios</translation>
    </message>
    <message>
        <source>choose the embedder static</source>
        <translation>elige el codificador static</translation>
    </message>
    <message>
        <source>comment</source>
        <translation>comentario</translation>
    </message>
    <message>
        <source>comments</source>
        <translation>comentarios</translation>
    </message>
    <message>
        <source>confidence</source>
        <translation>confianza</translation>
    </message>
    <message>
        <source>confidence {before} to {after}</source>
        <translation>confianza de {before} a {after}</translation>
    </message>
    <message>
        <source>conversation</source>
        <translation>conversación</translation>
    </message>
    <message>
        <source>conversation {key}</source>
        <translation>conversación {key}</translation>
    </message>
    <message>
        <source>conversations</source>
        <translation>conversaciones</translation>
    </message>
    <message>
        <source>copies</source>
        <translation>copias</translation>
    </message>
    <message>
        <source>copy</source>
        <translation>copia</translation>
    </message>
    <message>
        <source>date</source>
        <translation>fecha</translation>
    </message>
    <message>
        <source>decision</source>
        <translation>decisión</translation>
    </message>
    <message>
        <source>digest</source>
        <translation>compendio</translation>
    </message>
    <message>
        <source>document</source>
        <translation>documento</translation>
    </message>
    <message>
        <source>documents</source>
        <translation>documentos</translation>
    </message>
    <message>
        <source>email</source>
        <translation>correo electrónico</translation>
    </message>
    <message>
        <source>entities</source>
        <translation>entradas</translation>
    </message>
    <message>
        <source>entity</source>
        <translation>entrada</translation>
    </message>
    <message>
        <source>entries</source>
        <translation>entradas</translation>
    </message>
    <message>
        <source>entry</source>
        <translation>entrada</translation>
    </message>
    <message>
        <source>fact</source>
        <translation>hecho</translation>
    </message>
    <message>
        <source>facts</source>
        <translation>hechos</translation>
    </message>
    <message>
        <source>fastembed cannot rerank with this model, only with {choices}.</source>
        <translation>fastembed no puede reordenar con este modelo, solo con {choices}.</translation>
    </message>
    <message>
        <source>fastembed does not support this model; it supports {choices}.</source>
        <translation>fastembed no admite este modelo; admite {choices}.</translation>
    </message>
    <message>
        <source>field</source>
        <translation>campo</translation>
    </message>
    <message>
        <source>fields</source>
        <translation>campos</translation>
    </message>
    <message>
        <source>file</source>
        <translation>archivo</translation>
    </message>
    <message>
        <source>file that is attached to a mail</source>
        <translation>archivo adjunto a un correo</translation>
    </message>
    <message>
        <source>files</source>
        <translation>archivos</translation>
    </message>
    <message>
        <source>files that are attached to mails</source>
        <translation>archivos adjuntos a correos</translation>
    </message>
    <message>
        <source>from the archive</source>
        <translation>del archivo</translation>
    </message>
    <message>
        <source>goal</source>
        <translation>objetivo</translation>
    </message>
    <message>
        <source>hashtag</source>
        <translation>etiqueta</translation>
    </message>
    <message>
        <source>head</source>
        <translation>cabecera</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>cabeceras</translation>
    </message>
    <message>
        <source>hidden file</source>
        <translation>archivo oculto</translation>
    </message>
    <message>
        <source>hidden file or folder</source>
        <translation>archivo o carpeta ocultos</translation>
    </message>
    <message>
        <source>hidden files</source>
        <translation>archivos ocultos</translation>
    </message>
    <message>
        <source>hidden files or folders</source>
        <translation>archivos o carpetas ocultos</translation>
    </message>
    <message>
        <source>holds a {file} that is neither ChatGPT&apos;s nor Claude&apos;s</source>
        <translation>contiene un {file} que no es de ChatGPT ni de Claude</translation>
    </message>
    <message>
        <source>holds no Markdown notes, no documents and no conversations.json</source>
        <translation>no contiene notas Markdown, ni documentos, ni un conversations.json</translation>
    </message>
    <message>
        <source>holds other zip files; unpack it, and import the folder</source>
        <translation>contiene otros archivos zip; descomprímelo e importa la carpeta</translation>
    </message>
    <message>
        <source>how fast it fades</source>
        <translation>la rapidez con que se desvanece</translation>
    </message>
    <message>
        <source>iCloud has moved {database} off this computer. Download it in the file manager, then move the vault out of iCloud Drive.</source>
        <translation>iCloud ha sacado {database} de este equipo. Descárgalo en el gestor de archivos y luego saca la bóveda de iCloud Drive.</translation>
    </message>
    <message>
        <source>in &apos;{field}&apos;</source>
        <translation>en «{field}»</translation>
    </message>
    <message>
        <source>in it</source>
        <translation>en él</translation>
    </message>
    <message>
        <source>in no format that is known</source>
        <translation>en un formato desconocido</translation>
    </message>
    <message>
        <source>integrity, repaired where it is derived</source>
        <translation>integridad, reparada donde es derivada</translation>
    </message>
    <message>
        <source>into the trash</source>
        <translation>a la papelera</translation>
    </message>
    <message>
        <source>is a SQLite database without memories in tables that are known</source>
        <translation>es una base de datos SQLite sin recuerdos en tablas conocidas</translation>
    </message>
    <message>
        <source>is a damaged zip file ({reason})</source>
        <translation>es un archivo zip dañado ({reason})</translation>
    </message>
    <message>
        <source>is a tar archive, and not an export of Joplin; unpack it and import the folder</source>
        <translation>es un archivo tar y no una exportación de Joplin; descomprímelo e importa la carpeta</translation>
    </message>
    <message>
        <source>is a zip without a conversations.json in it</source>
        <translation>es un zip sin ningún conversations.json</translation>
    </message>
    <message>
        <source>is compressed, and not Keepsake&apos;s JSONL</source>
        <translation>está comprimido y no es el JSONL de Keepsake</translation>
    </message>
    <message>
        <source>is in no format that is known</source>
        <translation>no está en ningún formato conocido</translation>
    </message>
    <message>
        <source>is larger than 1 MiB, which no settings are</source>
        <translation>ocupa más de 1 MiB, más que ninguna configuración</translation>
    </message>
    <message>
        <source>is not text</source>
        <translation>no es texto</translation>
    </message>
    <message>
        <source>is not valid TOML: a key or section is there twice</source>
        <translation>no es TOML válido: una clave o sección aparece dos veces</translation>
    </message>
    <message>
        <source>is not valid TOML: it is nested too deeply</source>
        <translation>no es TOML válido: está anidado con demasiada profundidad</translation>
    </message>
    <message>
        <source>is not valid TOML: line {line} is not UTF-8 text</source>
        <translation>no es TOML válido: la línea {line} no es texto UTF-8</translation>
    </message>
    <message>
        <source>is not valid TOML: something is wrong at line {line}, column {column}</source>
        <translation>no es TOML válido: hay un fallo en la línea {line}, columna {column}</translation>
    </message>
    <message>
        <source>it is not valid JSON: {error}</source>
        <translation>no es JSON válido: {error}</translation>
    </message>
    <message>
        <source>item</source>
        <translation>elemento</translation>
    </message>
    <message>
        <source>items</source>
        <translation>elementos</translation>
    </message>
    <message>
        <source>its folder</source>
        <translation>su carpeta</translation>
    </message>
    <message>
        <source>its sender</source>
        <translation>su remitente</translation>
    </message>
    <message>
        <source>key</source>
        <translation>clave</translation>
    </message>
    <message>
        <source>leave search.reranker empty</source>
        <translation>deja vacío search.reranker</translation>
    </message>
    <message>
        <source>less than a day</source>
        <translation>menos de un día</translation>
    </message>
    <message>
        <source>line</source>
        <translation>línea</translation>
    </message>
    <message>
        <source>lines</source>
        <translation>líneas</translation>
    </message>
    <message>
        <source>link</source>
        <translation>enlace</translation>
    </message>
    <message>
        <source>links</source>
        <translation>enlaces</translation>
    </message>
    <message>
        <source>llm.base_url is no address that can be used.</source>
        <translation>llm.base_url no es una dirección que se pueda usar.</translation>
    </message>
    <message>
        <source>location</source>
        <translation>lugar</translation>
    </message>
    <message>
        <source>looks like an export of {program}, which is not supported yet</source>
        <translation>parece una exportación de {program}, que aún no se admite</translation>
    </message>
    <message>
        <source>mail</source>
        <translation>correo</translation>
    </message>
    <message>
        <source>mails</source>
        <translation>correos</translation>
    </message>
    <message>
        <source>mem0</source>
        <translation>mem0</translation>
    </message>
    <message>
        <source>memories</source>
        <translation>recuerdos</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>recuerdo</translation>
    </message>
    <message>
        <source>memory with few names</source>
        <translation>recuerdo con pocos nombres</translation>
    </message>
    <message>
        <source>mention</source>
        <translation>mención</translation>
    </message>
    <message>
        <source>mentions</source>
        <translation>menciones</translation>
    </message>
    <message>
        <source>message</source>
        <translation>mensaje</translation>
    </message>
    <message>
        <source>message with few names</source>
        <translation>mensaje con pocos nombres</translation>
    </message>
    <message>
        <source>messages</source>
        <translation>mensajes</translation>
    </message>
    <message>
        <source>name</source>
        <translation>nombre</translation>
    </message>
    <message>
        <source>names</source>
        <translation>nombres</translation>
    </message>
    <message>
        <source>no memories could be taken</source>
        <translation>no se pudo tomar ningún recuerdo</translation>
    </message>
    <message>
        <source>no new facts</source>
        <translation>ningún hecho nuevo</translation>
    </message>
    <message>
        <source>note</source>
        <translation>nota</translation>
    </message>
    <message>
        <source>notes</source>
        <translation>notas</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nada</translation>
    </message>
    <message>
        <source>nothing is done any more</source>
        <translation>ya no se hace nada</translation>
    </message>
    <message>
        <source>nothing is drawn from it</source>
        <translation>no se extrae nada de ella</translation>
    </message>
    <message>
        <source>nothing of use</source>
        <translation>nada útil</translation>
    </message>
    <message>
        <source>notices</source>
        <translation>avisos</translation>
    </message>
    <message>
        <source>observation</source>
        <translation>observación</translation>
    </message>
    <message>
        <source>on battery</source>
        <translation>con batería</translation>
    </message>
    <message>
        <source>on or off</source>
        <translation>activado o no</translation>
    </message>
    <message>
        <source>one name has a middle name or initial more</source>
        <translation>un nombre tiene un segundo nombre o una inicial más</translation>
    </message>
    <message>
        <source>one name has an initial for the first name of the other</source>
        <translation>un nombre tiene una inicial en lugar del nombre de pila del otro</translation>
    </message>
    <message>
        <source>one name is made of the first letters of the other</source>
        <translation>un nombre está formado por las iniciales del otro</translation>
    </message>
    <message>
        <source>one name is part of the other, and both are mentioned in one conversation</source>
        <translation>un nombre es parte del otro y ambos se mencionan en una misma conversación</translation>
    </message>
    <message>
        <source>one of {choices}</source>
        <translation>uno de estos: {choices}</translation>
    </message>
    <message>
        <source>only shows a ChatGPT export in a browser; import its conversations.json or its zip</source>
        <translation>solo muestra una exportación de ChatGPT en el navegador; importa su conversations.json o su zip</translation>
    </message>
    <message>
        <source>organization</source>
        <translation>organización</translation>
    </message>
    <message>
        <source>other</source>
        <translation>otro nombre</translation>
    </message>
    <message>
        <source>other names</source>
        <translation>otros nombres</translation>
    </message>
    <message>
        <source>page</source>
        <translation>página</translation>
    </message>
    <message>
        <source>pages</source>
        <translation>páginas</translation>
    </message>
    <message>
        <source>people</source>
        <translation>personas</translation>
    </message>
    <message>
        <source>person</source>
        <translation>persona</translation>
    </message>
    <message>
        <source>picture or recording</source>
        <translation>imagen o grabación</translation>
    </message>
    <message>
        <source>picture, recording or document</source>
        <translation>imagen, grabación o documento</translation>
    </message>
    <message>
        <source>pictures or recordings</source>
        <translation>imágenes o grabaciones</translation>
    </message>
    <message>
        <source>pictures, recordings or documents</source>
        <translation>imágenes, grabaciones o documentos</translation>
    </message>
    <message>
        <source>pinned or not</source>
        <translation>fijado o no</translation>
    </message>
    <message>
        <source>pipe, socket or device</source>
        <translation>tubería, socket o dispositivo</translation>
    </message>
    <message>
        <source>pipes, sockets or devices</source>
        <translation>tuberías, sockets o dispositivos</translation>
    </message>
    <message>
        <source>project</source>
        <translation>proyecto</translation>
    </message>
    <message>
        <source>projects</source>
        <translation>proyectos</translation>
    </message>
    <message>
        <source>queries</source>
        <translation>consultas</translation>
    </message>
    <message>
        <source>query</source>
        <translation>consulta</translation>
    </message>
    <message>
        <source>question</source>
        <translation>pregunta</translation>
    </message>
    <message>
        <source>questions</source>
        <translation>preguntas</translation>
    </message>
    <message>
        <source>reflection</source>
        <translation>reflexión</translation>
    </message>
    <message>
        <source>relation</source>
        <translation>relación</translation>
    </message>
    <message>
        <source>relation {first} {verb} {second}</source>
        <translation>relación {first} {verb} {second}</translation>
    </message>
    <message>
        <source>relations</source>
        <translation>relaciones</translation>
    </message>
    <message>
        <source>row</source>
        <translation>fila</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>filas</translation>
    </message>
    <message>
        <source>session {key}</source>
        <translation>conversación {key}</translation>
    </message>
    <message>
        <source>something else</source>
        <translation>otra cosa</translation>
    </message>
    <message>
        <source>something that is no chat answer</source>
        <translation>algo que no es una respuesta de chat</translation>
    </message>
    <message>
        <source>statistics for the query planner</source>
        <translation>estadísticas para el planificador de consultas</translation>
    </message>
    <message>
        <source>step</source>
        <translation>paso</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>pasos</translation>
    </message>
    <message>
        <source>summary</source>
        <translation>resumen</translation>
    </message>
    <message>
        <source>table {name}</source>
        <translation>tabla {name}</translation>
    </message>
    <message>
        <source>tags</source>
        <translation>etiquetas</translation>
    </message>
    <message>
        <source>text</source>
        <translation>texto</translation>
    </message>
    <message>
        <source>texts</source>
        <translation>textos</translation>
    </message>
    <message>
        <source>texts for which making vectors failed</source>
        <translation>textos cuyos vectores no se pudieron crear</translation>
    </message>
    <message>
        <source>that lead out of the folder or nowhere</source>
        <translation>que salen de la carpeta o no llevan a ninguna parte</translation>
    </message>
    <message>
        <source>that leads out of it or nowhere</source>
        <translation>que sale de ella o no lleva a ninguna parte</translation>
    </message>
    <message>
        <source>that no import takes</source>
        <translation>que ninguna importación toma</translation>
    </message>
    <message>
        <source>that no message shows</source>
        <translation>que ningún mensaje muestra</translation>
    </message>
    <message>
        <source>that no note shows</source>
        <translation>que ninguna nota muestra</translation>
    </message>
    <message>
        <source>that this version does not know</source>
        <translation>que esta versión no conoce</translation>
    </message>
    <message>
        <source>the battery is low</source>
        <translation>la batería está baja</translation>
    </message>
    <message>
        <source>the connection is metered</source>
        <translation>la conexión es de uso medido</translation>
    </message>
    <message>
        <source>the conversation ‘{title}’</source>
        <translation>la conversación «{title}»</translation>
    </message>
    <message>
        <source>the default</source>
        <translation>el valor predeterminado</translation>
    </message>
    <message>
        <source>the digest ‘{title}’</source>
        <translation>el resumen «{title}»</translation>
    </message>
    <message>
        <source>the environment variable that {section}.api_key_env names</source>
        <translation>la variable de entorno que nombra {section}.api_key_env</translation>
    </message>
    <message>
        <source>the environment variable {name}</source>
        <translation>la variable de entorno {name}</translation>
    </message>
    <message>
        <source>the fact ‘{title}’</source>
        <translation>el hecho «{title}»</translation>
    </message>
    <message>
        <source>the file is cut off in the middle of it</source>
        <translation>el archivo está cortado en medio</translation>
    </message>
    <message>
        <source>the inbox rule ‘{title}’</source>
        <translation>la regla de la bandeja «{title}»</translation>
    </message>
    <message>
        <source>the keyring</source>
        <translation>el llavero</translation>
    </message>
    <message>
        <source>the memory ‘{title}’</source>
        <translation>el recuerdo «{title}»</translation>
    </message>
    <message>
        <source>the name ‘{title}’</source>
        <translation>el nombre «{title}»</translation>
    </message>
    <message>
        <source>the names differ in one letter</source>
        <translation>los nombres se diferencian en una letra</translation>
    </message>
    <message>
        <source>the names differ only in a title</source>
        <translation>los nombres solo se diferencian en un título</translation>
    </message>
    <message>
        <source>the names differ only in accents, dots or hyphens</source>
        <translation>los nombres solo se diferencian en acentos, puntos o guiones</translation>
    </message>
    <message>
        <source>the names differ only in words such as Inc. or The</source>
        <translation>los nombres solo se diferencian en palabras como Inc. o The</translation>
    </message>
    <message>
        <source>the note ‘{title}’</source>
        <translation>la nota «{title}»</translation>
    </message>
    <message>
        <source>the observation ‘{title}’</source>
        <translation>la observación «{title}»</translation>
    </message>
    <message>
        <source>the proposal ‘{title}’</source>
        <translation>la propuesta «{title}»</translation>
    </message>
    <message>
        <source>the reflection ‘{title}’</source>
        <translation>la reflexión «{title}»</translation>
    </message>
    <message>
        <source>the same words in another order</source>
        <translation>las mismas palabras en otro orden</translation>
    </message>
    <message>
        <source>the saved search ‘{title}’</source>
        <translation>la búsqueda guardada «{title}»</translation>
    </message>
    <message>
        <source>the schedule ‘{title}’</source>
        <translation>la programación «{title}»</translation>
    </message>
    <message>
        <source>the text ‘{title}’</source>
        <translation>el texto «{title}»</translation>
    </message>
    <message>
        <source>the value from the command line</source>
        <translation>el valor de la línea de órdenes</translation>
    </message>
    <message>
        <source>the value in config.toml</source>
        <translation>el valor de config.toml</translation>
    </message>
    <message>
        <source>the value in the environment</source>
        <translation>el valor del entorno</translation>
    </message>
    <message>
        <source>time</source>
        <translation>fecha</translation>
    </message>
    <message>
        <source>times</source>
        <translation>horarios</translation>
    </message>
    <message>
        <source>title</source>
        <translation>título</translation>
    </message>
    <message>
        <source>to the archive</source>
        <translation>al archivo</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true o false</translation>
    </message>
    <message>
        <source>trust</source>
        <translation>nivel de confianza</translation>
    </message>
    <message>
        <source>turn</source>
        <translation>turno</translation>
    </message>
    <message>
        <source>turns</source>
        <translation>turnos</translation>
    </message>
    <message>
        <source>type</source>
        <translation>tipo</translation>
    </message>
    <message>
        <source>until when it holds</source>
        <translation>hasta cuándo vale</translation>
    </message>
    <message>
        <source>until when it is kept</source>
        <translation>hasta cuándo se conserva</translation>
    </message>
    <message>
        <source>updated {items}</source>
        <translation>actualizado: {items}</translation>
    </message>
    <message>
        <source>url</source>
        <translation>dirección web</translation>
    </message>
    <message>
        <source>were left out</source>
        <translation>se omitió</translation>
    </message>
    <message>
        <source>what a conversation was about could not be written</source>
        <translation>no se pudo escribir de qué trató una conversación</translation>
    </message>
    <message>
        <source>what is remembered of a conversation could not be looked up</source>
        <translation>no se pudo consultar lo que se recuerda de una conversación</translation>
    </message>
    <message>
        <source>what it was merged into</source>
        <translation>con qué se fusionó</translation>
    </message>
    <message>
        <source>what took its place</source>
        <translation>lo que lo reemplazó</translation>
    </message>
    <message>
        <source>who may see it</source>
        <translation>quién puede verlo</translation>
    </message>
    <message>
        <source>with lists, settings or a copy of the conversations,</source>
        <translation>con listas, ajustes o una copia de las conversaciones</translation>
    </message>
    <message>
        <source>with ratings of answers, and remarks on them,</source>
        <translation>con valoraciones de respuestas y comentarios sobre ellas</translation>
    </message>
    <message>
        <source>within it</source>
        <translation>en su interior</translation>
    </message>
    <message>
        <source>without contents</source>
        <translation>sin contenido</translation>
    </message>
    <message>
        <source>wording</source>
        <translation>redacción</translation>
    </message>
    <message>
        <source>you are typing</source>
        <translation>estás escribiendo</translation>
    </message>
    <message>
        <source>zip file</source>
        <translation>archivo zip</translation>
    </message>
    <message>
        <source>zip files</source>
        <translation>archivos zip</translation>
    </message>
    <message>
        <source>{agent} has not called.</source>
        <translation>{agent} no ha llamado.</translation>
    </message>
    <message>
        <source>{agent} has {trust} trust and stores in {allowed}.</source>
        <translation>{agent} tiene confianza {trust} y guarda en {allowed}.</translation>
    </message>
    <message>
        <source>{agent}, who made this schedule, has no access any more.</source>
        <translation>{agent}, que creó esta programación, ya no tiene acceso.</translation>
    </message>
    <message>
        <source>{client} has an entry named &apos;{entry}&apos; already, in {path}. Remove it first.</source>
        <translation>{client} ya tiene una entrada «{entry}» en {path}. Quítala primero.</translation>
    </message>
    <message>
        <source>{client} has no hooks. Leave out --hooks; its transcripts can be watched instead.</source>
        <translation>{client} no tiene ganchos. Omite --hooks; en su lugar se pueden seguir sus transcripciones.</translation>
    </message>
    <message>
        <source>{client} is connected already. Disconnect it first (&apos;keepsake agent disconnect {client_name}&apos;).</source>
        <translation>{client} ya está conectado. Desconéctalo primero («keepsake agent disconnect {client_name}»).</translation>
    </message>
    <message>
        <source>{count} Markdown files</source>
        <translation>{count} archivos Markdown</translation>
    </message>
    <message>
        <source>{count} agents or conversations store mostly what is deleted or rejected.</source>
        <translation>{count} agentes o conversaciones guardan sobre todo lo que se borra o rechaza.</translation>
    </message>
    <message>
        <source>{count} agents try to store again what they have just recalled.</source>
        <translation>{count} agentes intentan guardar de nuevo lo que acaban de recordar.</translation>
    </message>
    <message>
        <source>{count} attached files that no note shows were left out.</source>
        <translation>Se omitieron {count} archivos adjuntos que ninguna nota muestra.</translation>
    </message>
    <message>
        <source>{count} attachments of the folder {root} were left out.</source>
        <translation>Se omitieron {count} adjuntos de la carpeta {root}.</translation>
    </message>
    <message>
        <source>{count} calls were lost.</source>
        <translation>Se perdieron {count} llamadas.</translation>
    </message>
    <message>
        <source>{count} conversations wait for it.</source>
        <translation>{count} conversaciones lo esperan.</translation>
    </message>
    <message>
        <source>{count} conversations wait for the language model: {why}</source>
        <translation>{count} conversaciones esperan al modelo de lenguaje: {why}</translation>
    </message>
    <message>
        <source>{count} days</source>
        <translation>{count} días</translation>
    </message>
    <message>
        <source>{count} digests</source>
        <translation>{count} resúmenes</translation>
    </message>
    <message>
        <source>{count} encrypted passages were left out. Decrypt the text in Evernote, and export the note again.</source>
        <translation>Se omitieron {count} pasajes cifrados. Descifra el texto en Evernote y exporta la nota de nuevo.</translation>
    </message>
    <message>
        <source>{count} entities are mentioned nowhere.</source>
        <translation>{count} nombres no se mencionan en ninguna parte.</translation>
    </message>
    <message>
        <source>{count} entries of other Google products were left out.</source>
        <translation>Se omitieron {count} entradas de otros productos de Google.</translation>
    </message>
    <message>
        <source>{count} facts</source>
        <translation>{count} hechos</translation>
    </message>
    <message>
        <source>{count} facts are stale.</source>
        <translation>{count} hechos están anticuados.</translation>
    </message>
    <message>
        <source>{count} facts contradict others of the same category and key.</source>
        <translation>{count} hechos contradicen a otros de la misma categoría y clave.</translation>
    </message>
    <message>
        <source>{count} faded facts are kept for now, because a run and a month may set aside only a share of the facts.</source>
        <translation>{count} hechos desvanecidos se conservan por ahora, porque una ejecución y un mes solo pueden apartar una parte de los hechos.</translation>
    </message>
    <message>
        <source>{count} files</source>
        <translation>{count} archivos</translation>
    </message>
    <message>
        <source>{count} files of the archive are none of Joplin&apos;s and were left out.</source>
        <translation>{count} archivos del paquete no son de Joplin y se omitieron.</translation>
    </message>
    <message>
        <source>{count} files of the folder {root} cannot be read.</source>
        <translation>No se pueden leer {count} archivos de la carpeta {root}.</translation>
    </message>
    <message>
        <source>{count} files that are no ENEX were left out.</source>
        <translation>Se omitieron {count} archivos que no son ENEX.</translation>
    </message>
    <message>
        <source>{count} files that are not Markdown were left out ({kinds}).</source>
        <translation>Se omitieron {count} archivos que no son Markdown ({kinds}).</translation>
    </message>
    <message>
        <source>{count} files that belong to no note were left out.</source>
        <translation>Se omitieron {count} archivos que no pertenecen a ninguna nota.</translation>
    </message>
    <message>
        <source>{count} files that no page shows were left out.</source>
        <translation>Se omitieron {count} archivos que ninguna página muestra.</translation>
    </message>
    <message>
        <source>{count} for you to decide in the inbox</source>
        <translation>{count} para que decidas en la bandeja de entrada</translation>
    </message>
    <message>
        <source>{count} hidden folders were left out ({names}).</source>
        <translation>Se omitieron {count} carpetas ocultas ({names}).</translation>
    </message>
    <message>
        <source>{count} known already</source>
        <translation>{count} ya conocidos</translation>
    </message>
    <message>
        <source>{count} later changes were undone before that, the last of them {last}, and can be done again.</source>
        <translation>Antes se deshicieron {count} cambios posteriores, el último de ellos {last}, que se pueden rehacer.</translation>
    </message>
    <message>
        <source>{count} memories and messages have passwords or keys in clear.</source>
        <translation>{count} recuerdos y mensajes tienen contraseñas o claves sin cifrar.</translation>
    </message>
    <message>
        <source>{count} memories say nothing beyond another one.</source>
        <translation>{count} recuerdos no dicen nada que no diga otro.</translation>
    </message>
    <message>
        <source>{count} mentions of people and things stand in texts that are gone.</source>
        <translation>{count} menciones de personas y cosas están en textos que ya no existen.</translation>
    </message>
    <message>
        <source>{count} messages</source>
        <translation>{count} mensajes</translation>
    </message>
    <message>
        <source>{count} messages cannot be found by search.</source>
        <translation>{count} mensajes no se pueden encontrar con la búsqueda.</translation>
    </message>
    <message>
        <source>{count} messages could not be stored in the background. The last reason: {last}</source>
        <translation>No se pudieron guardar {count} mensajes en segundo plano. El último motivo: {last}</translation>
    </message>
    <message>
        <source>{count} messages have no date; the time of the import stands in its place.</source>
        <translation>{count} mensajes no tienen fecha; en su lugar figura la hora de la importación.</translation>
    </message>
    <message>
        <source>{count} more files hold words and were left out.</source>
        <translation>Se omitieron {count} archivos más que contienen texto.</translation>
    </message>
    <message>
        <source>{count} more lines begin with a date and a time and were read as part of a message.</source>
        <translation>{count} líneas más empiezan con fecha y hora y se leyeron como parte de un mensaje.</translation>
    </message>
    <message>
        <source>{count} new facts</source>
        <translation>{count} hechos nuevos</translation>
    </message>
    <message>
        <source>{count} notes are missing from the folder {root} at once, so none was moved to the trash. Put the files back, or delete the notes here.</source>
        <translation>Faltan de golpe {count} notas en la carpeta {root}, así que no se movió ninguna a la papelera. Devuelve los archivos o elimina aquí las notas.</translation>
    </message>
    <message>
        <source>{count} notes cannot be found by search.</source>
        <translation>{count} notas no se pueden encontrar con la búsqueda.</translation>
    </message>
    <message>
        <source>{count} notes of the folder {root} could not be mirrored: {reason}</source>
        <translation>No se pudieron reflejar {count} notas de la carpeta {root}: {reason}</translation>
    </message>
    <message>
        <source>{count} notes of the folder {root} were deleted here at once, so their files were left there. Restore the notes, or delete the files.</source>
        <translation>Aquí se eliminaron de golpe {count} notas de la carpeta {root}, así que sus archivos se dejaron allí. Restaura las notas o elimina los archivos.</translation>
    </message>
    <message>
        <source>{count} observations into one digest</source>
        <translation>{count} observaciones en un resumen</translation>
    </message>
    <message>
        <source>{count} of its observations are no texts and were left out.</source>
        <translation>{count} de sus observaciones no son textos y se omitieron.</translation>
    </message>
    <message>
        <source>{count} of them against an older one</source>
        <translation>{count} de ellos contra uno anterior</translation>
    </message>
    <message>
        <source>{count} pages have no text, such as scanned pages.</source>
        <translation>{count} páginas no tienen texto, como las escaneadas.</translation>
    </message>
    <message>
        <source>{count} pictures were left out.</source>
        <translation>Se omitieron {count} imágenes.</translation>
    </message>
    <message>
        <source>{count} places in it were not valid UTF-8 and were replaced with �.</source>
        <translation>{count} lugares no eran UTF-8 válido y se sustituyeron por �.</translation>
    </message>
    <message>
        <source>{count} private texts are not sent to the embedding service and found by words only; the setting embedding.send_private changes that.</source>
        <translation>{count} textos privados no se envían al servicio de incrustación y solo se encuentran por palabras; el ajuste embedding.send_private lo cambia.</translation>
    </message>
    <message>
        <source>{count} search entries belong to nothing.</source>
        <translation>{count} entradas de búsqueda no pertenecen a nada.</translation>
    </message>
    <message>
        <source>{count} search entries have no vector and wait for none.</source>
        <translation>{count} entradas de búsqueda no tienen vector y no esperan ninguno.</translation>
    </message>
    <message>
        <source>{count} search entries lack their number of words, which search ranks by.</source>
        <translation>A {count} entradas de búsqueda les falta su número de palabras, por el que ordena la búsqueda.</translation>
    </message>
    <message>
        <source>{count} sentences without sources left out.</source>
        <translation>Se omitieron {count} frases sin fuentes.</translation>
    </message>
    <message>
        <source>{count} sessions lack the note of how far they are.</source>
        <translation>A {count} conversaciones les falta la nota de hasta dónde llegan.</translation>
    </message>
    <message>
        <source>{count} texts are not yet indexed for search by meaning.</source>
        <translation>{count} textos aún no están indexados para la búsqueda por significado.</translation>
    </message>
    <message>
        <source>{count} texts that are gone wait to be read for names.</source>
        <translation>{count} textos que ya no existen esperan a que se lean sus nombres.</translation>
    </message>
    <message>
        <source>{count} that newer ones had overtaken</source>
        <translation>{count} superados por otros más nuevos</translation>
    </message>
    <message>
        <source>{count} transcripts</source>
        <translation>{count} transcripciones</translation>
    </message>
    <message>
        <source>{count} vectors belong to nothing.</source>
        <translation>{count} vectores no pertenecen a nada.</translation>
    </message>
    <message>
        <source>{count} views of databases were left out; the whole tables hold their rows.</source>
        <translation>Se omitieron {count} vistas de bases de datos; las tablas completas contienen sus filas.</translation>
    </message>
    <message>
        <source>{count} were set aside.</source>
        <translation>Se apartaron {count}.</translation>
    </message>
    <message>
        <source>{count} would be set aside.</source>
        <translation>Se apartarían {count}.</translation>
    </message>
    <message>
        <source>{count} {things} hold words {where} that this version does not know; they {end}, here: {sample}.</source>
        <translation>{count} {things} contienen {where} texto que esta versión no conoce; {end}, aquí: {sample}.</translation>
    </message>
    <message>
        <source>{count} {things} were left out ({names}).</source>
        <translation>Se omitieron {count} {things} ({names}).</translation>
    </message>
    <message>
        <source>{ended} &apos;{operation}&apos; may or may not have been done. Look before you repeat it.</source>
        <translation>{ended} No se sabe si «{operation}» llegó a hacerse. Compruébalo antes de repetirlo.</translation>
    </message>
    <message>
        <source>{file} does not hold the key of {database}, or the beginning of that file is damaged. Nothing was changed. Bring both back from one copy of the folder.</source>
        <translation>{file} no contiene la clave de {database}, o el comienzo de ese archivo está dañado. No se cambió nada. Recupera ambos de una misma copia de la carpeta.</translation>
    </message>
    <message>
        <source>{file} has &apos;{old}&apos;, which has no effect beside &apos;{new}&apos;, its new name.</source>
        <translation>{file} tiene «{old}», que no tiene efecto junto a «{new}», su nuevo nombre.</translation>
    </message>
    <message>
        <source>{file} has &apos;{old}&apos;, which is now called &apos;{new}&apos;. It still works.</source>
        <translation>{file} tiene «{old}», que ahora se llama «{new}». Aún funciona.</translation>
    </message>
    <message>
        <source>{file} has the section {shown}, which has no effect.</source>
        <translation>{file} tiene la sección {shown}, que no tiene efecto.</translation>
    </message>
    <message>
        <source>{file} has the setting {shown}, which has no effect.</source>
        <translation>{file} tiene el ajuste {shown}, que no tiene efecto.</translation>
    </message>
    <message>
        <source>{file} has {shown}, which looks like a secret.</source>
        <translation>{file} tiene {shown}, que parece un secreto.</translation>
    </message>
    <message>
        <source>{file} is missing, and files of these memories are encrypted: it holds their key. Bring it back from a copy of the folder; another passphrase would not open them.</source>
        <translation>Falta {file}, y hay archivos de estos recuerdos cifrados: contiene su clave. Recupéralo de una copia de la carpeta; otra frase de contraseña no los abriría.</translation>
    </message>
    <message>
        <source>{file} of these encrypted memories is gone, and its copy too. It holds their key: bring it back from a copy of the folder.</source>
        <translation>{file} de estos recuerdos cifrados ha desaparecido, y su copia también. Contiene su clave: recupéralo de una copia de la carpeta.</translation>
    </message>
    <message>
        <source>{folder} holds an earlier export in which {name} was added or changed. Choose another folder.</source>
        <translation>{folder} contiene una exportación anterior en la que se añadió o cambió {name}. Elige otra carpeta.</translation>
    </message>
    <message>
        <source>{folder} holds another file called {name}. Choose another name to export to.</source>
        <translation>{folder} contiene otro archivo llamado {name}. Elige otro nombre para exportar.</translation>
    </message>
    <message>
        <source>{folder} holds no {files}, which the model {name} needs.</source>
        <translation>En {folder} falta lo que necesita el modelo {name}: {files}.</translation>
    </message>
    <message>
        <source>{folder} is not empty and holds no Keepsake export. Choose a new or empty folder.</source>
        <translation>{folder} no está vacía y no contiene una exportación de Keepsake. Elige una carpeta nueva o vacía.</translation>
    </message>
    <message>
        <source>{folder} is not finished: something was being salvaged into it. Run &apos;keepsake salvage&apos; again with the same --into, or delete the folder.</source>
        <translation>{folder} no está terminada: se estaba salvando algo en ella. Ejecuta de nuevo «keepsake salvage» con el mismo --into, o elimina la carpeta.</translation>
    </message>
    <message>
        <source>{host} answered with {detail}.</source>
        <translation>{host} respondió con {detail}.</translation>
    </message>
    <message>
        <source>{host} cannot be reached.</source>
        <translation>No se puede acceder a {host}.</translation>
    </message>
    <message>
        <source>{host} did not answer within {seconds} seconds.</source>
        <translation>{host} no respondió en {seconds} segundos.</translation>
    </message>
    <message>
        <source>{host} is busy (HTTP {status}).</source>
        <translation>{host} está ocupado (HTTP {status}).</translation>
    </message>
    <message>
        <source>{host} knows no model &apos;{model}&apos;, or llm.base_url is not right (HTTP 404).</source>
        <translation>{host} no conoce ningún modelo «{model}», o llm.base_url no es correcto (HTTP 404).</translation>
    </message>
    <message>
        <source>{host} refused the key (HTTP {status}).</source>
        <translation>{host} rechazó la clave (HTTP {status}).</translation>
    </message>
    <message>
        <source>{host} refused the request (HTTP {status}).</source>
        <translation>{host} rechazó la petición (HTTP {status}).</translation>
    </message>
    <message>
        <source>{into} is in use. Name a new or empty folder with --into.</source>
        <translation>{into} está en uso. Indica con --into una carpeta nueva o vacía.</translation>
    </message>
    <message>
        <source>{into} lies inside the damaged vault. Name a folder elsewhere with --into.</source>
        <translation>{into} está dentro de la bóveda dañada. Indica con --into una carpeta en otro lugar.</translation>
    </message>
    <message>
        <source>{key_file} of these memories was changed, and not by Keepsake. Nothing was opened. Put a copy in its place that Keepsake wrote: {copies}/{key_file} in the same folder, or one of an older copy of the folder.</source>
        <translation>Alguien que no es Keepsake cambió {key_file} de estos recuerdos. No se abrió nada. Pon en su lugar una copia que escribió Keepsake: {copies}/{key_file} en la misma carpeta, o la de una copia anterior de la carpeta.</translation>
    </message>
    <message>
        <source>{max_saved} searches are saved already. Delete one first.</source>
        <translation>Ya hay {max_saved} búsquedas guardadas. Elimina una primero.</translation>
    </message>
    <message>
        <source>{max_waiting} of your proposals wait for the person already. Try again when some are decided.</source>
        <translation>Ya hay {max_waiting} propuestas en espera. Inténtalo de nuevo cuando se decidan algunas.</translation>
    </message>
    <message>
        <source>{model} is another model than before; choose it with &apos;embedding.change&apos; to make its vectors anew.</source>
        <translation>{model} es un modelo distinto del de antes; elígelo con «embedding.change» para crear de nuevo sus vectores.</translation>
    </message>
    <message>
        <source>{model} is not the model that made its vectors.</source>
        <translation>{model} no es el modelo que hizo sus vectores.</translation>
    </message>
    <message>
        <source>{model} is not the same model as before.</source>
        <translation>{model} no es el mismo modelo que antes.</translation>
    </message>
    <message>
        <source>{model} is not the same model as before; the vectors are made anew.</source>
        <translation>{model} no es el mismo modelo que antes; los vectores se crean de nuevo.</translation>
    </message>
    <message>
        <source>{model} writes the text.</source>
        <translation>{model} escribe el texto.</translation>
    </message>
    <message>
        <source>{names} and {count} more</source>
        <translation>{names} y {count} más</translation>
    </message>
    <message>
        <source>{name} belongs to a Keepsake vault that is open here, and is not imported.</source>
        <translation>{name} pertenece a una bóveda de Keepsake que está abierta aquí y no se importa.</translation>
    </message>
    <message>
        <source>{name} cannot be compared with the vault. {problem}</source>
        <translation>No se puede comparar {name} con la bóveda. {problem}</translation>
    </message>
    <message>
        <source>{name} cannot be imported. {problem}</source>
        <translation>No se puede importar {name}. {problem}</translation>
    </message>
    <message>
        <source>{name} cannot be restored: {problem} Nothing was changed.</source>
        <translation>{name} no se puede restaurar: {problem} No se cambió nada.</translation>
    </message>
    <message>
        <source>{name} could be imported until {day}. Ask {sender} for a new one.</source>
        <translation>{name} se podía importar hasta el {day}. Pide una nueva a {sender}.</translation>
    </message>
    <message>
        <source>{name} could not be read as a database of Cursor. {problem}</source>
        <translation>No se pudo leer {name} como base de datos de Cursor. {problem}</translation>
    </message>
    <message>
        <source>{name} could not be read: {reason}.</source>
        <translation>No se pudo leer {name}: {reason}.</translation>
    </message>
    <message>
        <source>{name} has no access any more. Reject what it proposed, or let it in again.</source>
        <translation>{name} ya no tiene acceso. Rechaza lo que propuso, o vuelve a dejarlo entrar.</translation>
    </message>
    <message>
        <source>{name} holds a database that a restore replaced.</source>
        <translation>{name} contiene una base de datos que una restauración reemplazó.</translation>
    </message>
    <message>
        <source>{name} holds no text of its own; a program makes what a browser shows. Import its data instead.</source>
        <translation>{name} no contiene texto propio; lo que muestra un navegador lo genera un programa. Importa sus datos en su lugar.</translation>
    </message>
    <message>
        <source>{name} holds no text, as scanned documents do; run it through text recognition (OCR) first.</source>
        <translation>{name} no contiene texto, como los documentos escaneados; pásale antes un reconocimiento de texto (OCR).</translation>
    </message>
    <message>
        <source>{name} holds the files of a damaged database. Save what is readable of it with &apos;keepsake --vault {path} salvage&apos;.</source>
        <translation>{name} contiene los archivos de una base de datos dañada. Salva lo legible con «keepsake --vault {path} salvage».</translation>
    </message>
    <message>
        <source>{name} in the attachments is not encrypted, and these memories are: another program has put it there. It was not read. Move it out of the folder; if you want it, attach it again.</source>
        <translation>{name}, entre los adjuntos, no está cifrado y estos recuerdos sí: otro programa lo ha puesto ahí. No se ha leído. Sácalo de la carpeta; si lo quieres, adjúntalo de nuevo.</translation>
    </message>
    <message>
        <source>{name} in the backups is no database.</source>
        <translation>{name}, entre las copias de seguridad, no es una base de datos.</translation>
    </message>
    <message>
        <source>{name} is a Keepsake vault. {advice}</source>
        <translation>{name} es una bóveda de Keepsake. {advice}</translation>
    </message>
    <message>
        <source>{name} is a backup that could not be restored, so the restore was called off.</source>
        <translation>{name} es una copia de seguridad que no se pudo restaurar, así que la restauración se anuló.</translation>
    </message>
    <message>
        <source>{name} is empty; there is nothing to import.</source>
        <translation>{name} está vacío; no hay nada que importar.</translation>
    </message>
    <message>
        <source>{name} is encrypted: it needs the passphrase of its export.</source>
        <translation>{name} está cifrado: necesita la frase de contraseña de su exportación.</translation>
    </message>
    <message>
        <source>{name} is larger than {most} MB; it was not read.</source>
        <translation>{name} supera los {most} MB; no se leyó.</translation>
    </message>
    <message>
        <source>{name} is no Word document: it has no text part.</source>
        <translation>{name} no es un documento de Word: no tiene parte de texto.</translation>
    </message>
    <message>
        <source>{name} is no complete JEX file; export it again.</source>
        <translation>{name} no es un archivo JEX completo; expórtalo de nuevo.</translation>
    </message>
    <message>
        <source>{name} is no complete PDF: it is cut short or damaged.</source>
        <translation>{name} no es un PDF completo: está cortado o dañado.</translation>
    </message>
    <message>
        <source>{name} is not a complete zip file: it is cut short or damaged. Download or copy it again.</source>
        <translation>{name} no es un archivo zip completo: está cortado o dañado. Descárgalo o cópialo de nuevo.</translation>
    </message>
    <message>
        <source>{name} is not a list, so nothing can be added to it.</source>
        <translation>{name} no es una lista, así que no se le puede añadir nada.</translation>
    </message>
    <message>
        <source>{name} is not an object, so nothing can be added to it.</source>
        <translation>{name} no es un objeto, así que no se le puede añadir nada.</translation>
    </message>
    <message>
        <source>{name} is not encrypted, and these memories are: another program has put it there.</source>
        <translation>{name} no está cifrado, y estos recuerdos sí: otro programa lo puso ahí.</translation>
    </message>
    <message>
        <source>{name} is not text; it was not read.</source>
        <translation>{name} no es texto; no se leyó.</translation>
    </message>
    <message>
        <source>{name} is not valid JSON: {reason}. Nothing was imported.</source>
        <translation>{name} no es JSON válido: {reason}. No se importó nada.</translation>
    </message>
    <message>
        <source>{name} is not what its sender signed: it was changed, or is damaged. Nothing was imported.</source>
        <translation>{name} no es lo que firmó su remitente: se cambió o está dañado. No se importó nada.</translation>
    </message>
    <message>
        <source>{name} is protected with a password. Print or save it as a PDF without one first.</source>
        <translation>{name} está protegido con una contraseña. Imprímelo o guárdalo antes como PDF sin ella.</translation>
    </message>
    <message>
        <source>{name} is protected with a password. Save it without one first.</source>
        <translation>{name} está protegido con una contraseña. Guárdalo antes sin ella.</translation>
    </message>
    <message>
        <source>{name} is protected with a password. Unpack it first, then import the folder.</source>
        <translation>{name} está protegido con una contraseña. Descomprímelo antes e importa la carpeta.</translation>
    </message>
    <message>
        <source>{name} is the database of a Keepsake vault. {advice}</source>
        <translation>{name} es la base de datos de una bóveda de Keepsake. {advice}</translation>
    </message>
    <message>
        <source>{name} looks like a copy that a sync program made. Keepsake does not read it.</source>
        <translation>{name} parece una copia hecha por un programa de sincronización. Keepsake no la lee.</translation>
    </message>
    <message>
        <source>{name} reads back differently from what was written: the disk may be failing. Nothing was replaced. Export to another disk.</source>
        <translation>{name} se lee de forma distinta de como se escribió: el disco puede estar fallando. No se reemplazó nada. Exporta a otro disco.</translation>
    </message>
    <message>
        <source>{name} was made by a newer Keepsake. Update Keepsake to import it.</source>
        <translation>{name} es de un Keepsake más reciente. Actualiza Keepsake para importarlo.</translation>
    </message>
    <message>
        <source>{name} would swell from {packed} to {swollen} bytes, which no real export does. It was not opened.</source>
        <translation>{name} pasaría de {packed} a {swollen} bytes, lo que no hace ninguna exportación real. No se abrió.</translation>
    </message>
    <message>
        <source>{name} would swell to {size} bytes, which is more than Keepsake reads of a document.</source>
        <translation>{name} llegaría a {size} bytes, más de lo que Keepsake lee de un documento.</translation>
    </message>
    <message>
        <source>{name}: does not know the time “{value}”.</source>
        <translation>{name}: no conoce el momento «{value}».</translation>
    </message>
    <message>
        <source>{name}: does not know “{value}”.</source>
        <translation>{name}: no conoce «{value}».</translation>
    </message>
    <message>
        <source>{name}: needs a value right after the colon to match anything.</source>
        <translation>{name}: necesita un valor justo después de los dos puntos para coincidir con algo.</translation>
    </message>
    <message>
        <source>{n} conversations</source>
        <translation>{n} conversaciones</translation>
    </message>
    <message>
        <source>{n} digests</source>
        <translation>{n} resúmenes</translation>
    </message>
    <message>
        <source>{n} facts</source>
        <translation>{n} hechos</translation>
    </message>
    <message>
        <source>{n} inbox rules</source>
        <translation>{n} reglas de la bandeja</translation>
    </message>
    <message>
        <source>{n} memories</source>
        <translation>{n} recuerdos</translation>
    </message>
    <message>
        <source>{n} names</source>
        <translation>{n} nombres</translation>
    </message>
    <message>
        <source>{n} notes</source>
        <translation>{n} notas</translation>
    </message>
    <message>
        <source>{n} observations</source>
        <translation>{n} observaciones</translation>
    </message>
    <message>
        <source>{n} proposals</source>
        <translation>{n} propuestas</translation>
    </message>
    <message>
        <source>{n} reflections</source>
        <translation>{n} reflexiones</translation>
    </message>
    <message>
        <source>{n} saved searches</source>
        <translation>{n} búsquedas guardadas</translation>
    </message>
    <message>
        <source>{n} schedules</source>
        <translation>{n} programaciones</translation>
    </message>
    <message>
        <source>{n} texts</source>
        <translation>{n} textos</translation>
    </message>
    <message>
        <source>{path} cannot be read. {reason}</source>
        <translation>{path} no se puede leer. {reason}</translation>
    </message>
    <message>
        <source>{path} cannot be used: {strerror}.</source>
        <translation>{path} no se puede usar: {strerror}.</translation>
    </message>
    <message>
        <source>{path} cannot be written. Choose another folder.</source>
        <translation>No se puede escribir en {path}. Elige otra carpeta.</translation>
    </message>
    <message>
        <source>{path} cannot be written: {strerror}.</source>
        <translation>{path} no se puede escribir: {strerror}.</translation>
    </message>
    <message>
        <source>{path} could not be read: {reason}.</source>
        <translation>No se pudo leer {path}: {reason}.</translation>
    </message>
    <message>
        <source>{path} could not be written: {reason}.</source>
        <translation>No se pudo escribir {path}: {reason}.</translation>
    </message>
    <message>
        <source>{path} could not be written: {strerror}.</source>
        <translation>No se pudo escribir {path}: {strerror}.</translation>
    </message>
    <message>
        <source>{path} does not hold what your machines share. Connect the disk, or wait until the folder is complete.</source>
        <translation>{path} no contiene lo que comparten tus equipos. Conecta el disco o espera a que la carpeta esté completa.</translation>
    </message>
    <message>
        <source>{path} has {size} bytes, which no configuration has. Nothing was changed.</source>
        <translation>{path} tiene {size} bytes, más que cualquier configuración. No se cambió nada.</translation>
    </message>
    <message>
        <source>{path} holds something else and was not overwritten. Choose another name.</source>
        <translation>{path} contiene otra cosa y no se sobrescribió. Elige otro nombre.</translation>
    </message>
    <message>
        <source>{path} is a file. Name a folder to export to.</source>
        <translation>{path} es un archivo. Indica una carpeta de destino.</translation>
    </message>
    <message>
        <source>{path} is a folder. Name a file to export to, such as keepsake.jsonl.</source>
        <translation>{path} es una carpeta. Indica un archivo de destino, como keepsake.jsonl.</translation>
    </message>
    <message>
        <source>{path} is a link that leads nowhere. Nothing was changed.</source>
        <translation>{path} es un enlace que no lleva a ninguna parte. No se cambió nada.</translation>
    </message>
    <message>
        <source>{path} is damaged. It holds the key of these memories: bring it back from a copy of the folder.</source>
        <translation>{path} está dañado. Contiene la clave de estos recuerdos: recupéralo de una copia de la carpeta.</translation>
    </message>
    <message>
        <source>{path} is damaged. Quit Keepsake if it runs, and start it again.</source>
        <translation>{path} está dañado. Cierra Keepsake si está en marcha y ábrelo de nuevo.</translation>
    </message>
    <message>
        <source>{path} is damaged. Remove it, and the entries named &apos;keepsake&apos; by hand.</source>
        <translation>{path} está dañado. Quita a mano el archivo y las entradas llamadas «keepsake».</translation>
    </message>
    <message>
        <source>{path} is empty</source>
        <translation>{path} está vacío</translation>
    </message>
    <message>
        <source>{path} is encrypted, and its vault is not.</source>
        <translation>{path} está cifrado y su bóveda no.</translation>
    </message>
    <message>
        <source>{path} is gone already.</source>
        <translation>{path} ya no está.</translation>
    </message>
    <message>
        <source>{path} is larger than any file that Keepsake keeps there.</source>
        <translation>{path} es mayor que cualquier archivo que Keepsake guarda allí.</translation>
    </message>
    <message>
        <source>{path} is neither a file nor a folder. Choose one of these.</source>
        <translation>{path} no es ni un archivo ni una carpeta. Elige una de las dos cosas.</translation>
    </message>
    <message>
        <source>{path} is not UTF-8 but {encoding}. Nothing was changed. Add the entry yourself.</source>
        <translation>{path} no es UTF-8, sino {encoding}. No se cambió nada. Añade la entrada tú mismo.</translation>
    </message>
    <message>
        <source>{path} is not a JSON object.</source>
        <translation>{path} no es un objeto JSON.</translation>
    </message>
    <message>
        <source>{path} is not a file. Nothing was changed.</source>
        <translation>{path} no es un archivo. No se cambió nada.</translation>
    </message>
    <message>
        <source>{path} is not encrypted, and these memories are: another program has put it there. Nothing was read from it or written to it. Move it out of the folder and put the encrypted one back; a plain copy that you trust is taken over with &apos;keepsake backup restore&apos; and its path.</source>
        <translation>{path} no está cifrado, y estos recuerdos sí: otro programa lo ha puesto ahí. No se leyó ni se escribió nada en él. Sácalo de la carpeta y devuelve el cifrado; una copia sin cifrar en la que confíes se recupera con «keepsake backup restore» y su ruta.</translation>
    </message>
    <message>
        <source>{path} is not text. Nothing was changed. Add the entry yourself.</source>
        <translation>{path} no es texto. No se cambió nada. Añade la entrada tú mismo.</translation>
    </message>
    <message>
        <source>{path} is not there</source>
        <translation>{path} no está</translation>
    </message>
    <message>
        <source>{path} is read-only. Make it writable, or add the entry yourself.</source>
        <translation>{path} es de solo lectura. Permite la escritura o añade la entrada tú mismo.</translation>
    </message>
    <message>
        <source>{path} is shared by more than one vault. Name another folder, or remove one of them.</source>
        <translation>Más de una bóveda comparte {path}. Indica otra carpeta o quita una de ellas.</translation>
    </message>
    <message>
        <source>{path} is written in a way that cannot be changed safely. Add the entry yourself.</source>
        <translation>{path} está escrito de un modo que no se puede cambiar sin riesgo. Añade la entrada tú mismo.</translation>
    </message>
    <message>
        <source>{path} was changed by another program meanwhile. Try again.</source>
        <translation>Otro programa cambió {path} mientras tanto. Inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>{path} {what}. Correct it or move it away.</source>
        <translation>{path} {what}. Corrígelo o muévelo a otro sitio.</translation>
    </message>
    <message>
        <source>{place} cannot be written.</source>
        <translation>No se puede escribir en {place}.</translation>
    </message>
    <message>
        <source>{problem}, or the account has nothing left to spend</source>
        <translation>{problem}, o la cuenta no tiene saldo</translation>
    </message>
    <message>
        <source>{problem}; results keep their original order.</source>
        <translation>{problem}; los resultados conservan su orden.</translation>
    </message>
    <message>
        <source>{problem}; search goes on by words, and it is tried again later.</source>
        <translation>{problem}; se sigue buscando por palabras y se intentará de nuevo más tarde.</translation>
    </message>
    <message>
        <source>{provider} needs the address of the service; set embedding.base_url.</source>
        <translation>{provider} necesita la dirección del servicio; establece embedding.base_url.</translation>
    </message>
    <message>
        <source>{reason} It is not known whether this call was carried out; look before you repeat it.</source>
        <translation>{reason} No se sabe si esta llamada se llevó a cabo; compruébalo antes de repetirla.</translation>
    </message>
    <message>
        <source>{reason} It is tried again soon.</source>
        <translation>{reason} Se intentará de nuevo en breve.</translation>
    </message>
    <message>
        <source>{section}.base_url is not an address; one looks like https://example.org/v1.</source>
        <translation>{section}.base_url no es una dirección; una se ve así: https://example.org/v1.</translation>
    </message>
    <message>
        <source>{sentence} &apos;keepsake config check&apos; says more.</source>
        <translation>{sentence} «keepsake config check» dice más.</translation>
    </message>
    <message>
        <source>{sentence} It cannot be attached.</source>
        <translation>{sentence} No se puede adjuntar.</translation>
    </message>
    <message>
        <source>{server} cannot be reached. See whether this machine is online and the address is right; nothing is lost meanwhile.</source>
        <translation>No se puede acceder a {server}. Comprueba si este equipo está en línea y si la dirección es correcta; mientras tanto no se pierde nada.</translation>
    </message>
    <message>
        <source>{server} did not answer in time. It is tried again by itself; nothing is lost meanwhile.</source>
        <translation>{server} no respondió a tiempo. Se volverá a intentar automáticamente; mientras tanto no se pierde nada.</translation>
    </message>
    <message>
        <source>{server} did not keep a file that it took. See whether the address is right; nothing is lost meanwhile.</source>
        <translation>{server} aceptó un archivo, pero no lo conservó. Comprueba si la dirección es correcta; mientras tanto no se pierde nada.</translation>
    </message>
    <message>
        <source>{server} does not accept the key or its secret. Correct them in the address.</source>
        <translation>{server} no acepta la clave o su secreto. Corrígelos en la dirección.</translation>
    </message>
    <message>
        <source>{server} does not accept the name or the password. Correct them in the address; where the server asks for a second factor, make a password for apps there.</source>
        <translation>{server} no acepta el nombre o la contraseña. Corrígelos en la dirección; si el servidor pide un segundo factor, crea allí una contraseña de aplicación.</translation>
    </message>
    <message>
        <source>{server} does not hold what your machines share: the folder is another one, or was emptied.</source>
        <translation>{server} no contiene lo que comparten tus equipos: la carpeta es otra, o se vació.</translation>
    </message>
    <message>
        <source>{server} does not let this key do that in the bucket. Allow it to list, read, write and remove there, or name another bucket.</source>
        <translation>{server} no permite a esta clave hacer eso en el bucket. Permítele listar, leer, escribir y eliminar allí, o indica otro bucket.</translation>
    </message>
    <message>
        <source>{server} does not let this name do that in the folder. Allow it to read and write there, or name another folder.</source>
        <translation>{server} no permite a este usuario hacer eso en la carpeta. Permítele leer y escribir allí, o indica otra carpeta.</translation>
    </message>
    <message>
        <source>{server} does not speak S3 at that address. See whether the endpoint in the address is right.</source>
        <translation>{server} no ofrece S3 en esa dirección. Comprueba si el punto de conexión (endpoint) de la dirección es correcto.</translation>
    </message>
    <message>
        <source>{server} does not speak WebDAV at that address. Copy the address for WebDAV from the settings of the server.</source>
        <translation>{server} no ofrece WebDAV en esa dirección. Copia la dirección de WebDAV de los ajustes del servidor.</translation>
    </message>
    <message>
        <source>{server} has no room left for you. Make room there; nothing is lost meanwhile.</source>
        <translation>En {server} no te queda espacio. Libera espacio allí; mientras tanto no se pierde nada.</translation>
    </message>
    <message>
        <source>{server} has no such bucket. Make it there first, and see whether the address is right.</source>
        <translation>En {server} no existe ese bucket. Créalo allí primero y comprueba si la dirección es correcta.</translation>
    </message>
    <message>
        <source>{server} has no such folder. Make it there first, and see whether the address is right.</source>
        <translation>En {server} no existe esa carpeta. Créala allí primero y comprueba si la dirección es correcta.</translation>
    </message>
    <message>
        <source>{server} refers to another address on {other}, to which Keepsake sends no password. Name that address if it is the right one.</source>
        <translation>{server} remite a otra dirección en {other}, a la que Keepsake no envía ninguna contraseña. Indica esa dirección si es la correcta.</translation>
    </message>
    <message>
        <source>{server} sent an unexpected answer (status {status}). See whether the address is right.</source>
        <translation>{server} dio una respuesta inesperada (estado {status}). Comprueba si la dirección es correcta.</translation>
    </message>
    <message>
        <source>{server} sent far more than was requested, so nothing of it was read. See whether the address is right.</source>
        <translation>{server} envió mucho más de lo solicitado, por lo que no se leyó nada. Comprueba si la dirección es correcta.</translation>
    </message>
    <message>
        <source>{server} takes no file of that size. Allow larger ones there; nothing is lost meanwhile.</source>
        <translation>{server} no acepta archivos de ese tamaño. Permite allí archivos más grandes; mientras tanto no se pierde nada.</translation>
    </message>
    <message>
        <source>{server} takes no requests at the moment (status {status}). It is tried again by itself; nothing is lost meanwhile.</source>
        <translation>{server} no atiende solicitudes en este momento (estado {status}). Se volverá a intentar automáticamente; mientras tanto no se pierde nada.</translation>
    </message>
    <message>
        <source>{service} cannot be reached ({reason})</source>
        <translation>No se puede acceder a {service} ({reason})</translation>
    </message>
    <message>
        <source>{service} does not answer in time</source>
        <translation>{service} no responde a tiempo</translation>
    </message>
    <message>
        <source>{service} fails (status {status}); search goes on by words, and it is tried again later.</source>
        <translation>{service} falla (estado {status}); se sigue buscando por palabras y se intentará de nuevo más tarde.</translation>
    </message>
    <message>
        <source>{service} knows no such model, or its address is wrong; check embedding.model.</source>
        <translation>{service} no conoce ese modelo, o su dirección es incorrecta; comprueba embedding.model.</translation>
    </message>
    <message>
        <source>{service} needs a key; set one.</source>
        <translation>{service} necesita una clave; pon una.</translation>
    </message>
    <message>
        <source>{service} redirects to another address (status {status}), to which Keepsake sends nothing; check embedding.base_url.</source>
        <translation>{service} redirige a otra dirección (estado {status}), a la que Keepsake no envía nada; comprueba embedding.base_url.</translation>
    </message>
    <message>
        <source>{service} refuses the key in {place}; check it.</source>
        <translation>{service} rechaza la clave; compruébala (origen: {place}).</translation>
    </message>
    <message>
        <source>{service} refuses the request (status {status}); check embedding.model and its settings.</source>
        <translation>{service} rechaza la petición (estado {status}); comprueba embedding.model y sus ajustes.</translation>
    </message>
    <message>
        <source>{service} sent an unexpected response (status {status})</source>
        <translation>{service} envió una respuesta inesperada (estado {status})</translation>
    </message>
    <message>
        <source>{service} sent far more than was requested</source>
        <translation>{service} envió mucho más de lo pedido</translation>
    </message>
    <message>
        <source>{service} sent something other than a list of vectors; check embedding.model and its address.</source>
        <translation>{service} envió algo que no es una lista de vectores; comprueba embedding.model y su dirección.</translation>
    </message>
    <message>
        <source>{service} sent vectors of {odd} numbers, not of {width}; set embedding.dimensions to what the model gives, or choose another model.</source>
        <translation>{service} envió vectores de {odd} números, no de {width}; pon en embedding.dimensions lo que da el modelo o elige otro.</translation>
    </message>
    <message>
        <source>{service} shows no certificate that this machine trusts, so nothing was sent. See whether its address is right; the variable SSL_CERT_FILE names a file of certificates to trust.</source>
        <translation>{service} no muestra ningún certificado en el que confíe este equipo, así que no se envió nada. Comprueba si su dirección es correcta; la variable SSL_CERT_FILE nombra un archivo con certificados de confianza.</translation>
    </message>
    <message>
        <source>{service} takes no requests at the moment (status {status})</source>
        <translation>{service} no admite peticiones en este momento (estado {status})</translation>
    </message>
    <message>
        <source>{state} is called {clean} too. Merge the two, or split that name off first.</source>
        <translation>{state} también se llama {clean}. Fusiona las dos o separa antes ese nombre.</translation>
    </message>
    <message>
        <source>{state}, although this vault was in use. Nothing was changed. &apos;keepsake backup list&apos; shows what can be restored. To begin anew, move the whole folder away.</source>
        <translation>{state}, aunque esta bóveda estaba en uso. No se cambió nada. «keepsake backup list» muestra qué se puede restaurar. Para empezar de nuevo, lleva toda la carpeta a otro lugar.</translation>
    </message>
    <message>
        <source>{state}, so there is nothing to salvage. &apos;keepsake backup list&apos; shows the backups.</source>
        <translation>{state}, así que no hay nada que salvar. «keepsake backup list» muestra las copias de seguridad.</translation>
    </message>
    <message>
        <source>{thing} was brought back since.</source>
        <translation>{thing} se recuperó después.</translation>
    </message>
    <message>
        <source>{thing} was changed again since ({fields}).</source>
        <translation>{thing} se volvió a cambiar después ({fields}).</translation>
    </message>
    <message>
        <source>{thing} was changed and changed back since.</source>
        <translation>{thing} se cambió después y se devolvió a su estado.</translation>
    </message>
    <message>
        <source>{thing} was deleted since.</source>
        <translation>{thing} se eliminó después.</translation>
    </message>
    <message>
        <source>{thing} was put into the archive since. Bring it back first.</source>
        <translation>{thing} se archivó después. Primero hay que recuperarlo.</translation>
    </message>
    <message>
        <source>{thing} went on since. It stays, with all that was said in it.</source>
        <translation>{thing} continuó después. Se conserva con todo lo que se dijo.</translation>
    </message>
    <message>
        <source>{vault} cannot be written, so this vault is open for reading only. Make its folder writable, or copy the folder to a place that is, and restart Keepsake.</source>
        <translation>No se puede escribir en {vault}, por eso esta bóveda está abierta solo para lectura. Permite la escritura en su carpeta, o cópiala a un lugar que la permita, y reinicia Keepsake.</translation>
    </message>
    <message>
        <source>{vault} cannot be written.</source>
        <translation>No se puede escribir en {vault}.</translation>
    </message>
    <message>
        <source>{vault} is a file, not a folder. Name a folder with --vault.</source>
        <translation>{vault} es un archivo, no una carpeta. Indica una carpeta con --vault.</translation>
    </message>
    <message>
        <source>{wanted} from {low} to {high}</source>
        <translation>{wanted} de {low} a {high}</translation>
    </message>
    <message>
        <source>{what}, from {source}</source>
        <translation>{what}, de: {source}</translation>
    </message>
    <message>
        <source>{whole}, after conversation {number}</source>
        <translation>{whole}, tras la conversación {number}</translation>
    </message>
    <message>
        <source>{whole}, after entry {number}</source>
        <translation>{whole}, tras la entrada {number}</translation>
    </message>
    <message>
        <source>{whole}, after mail {number}</source>
        <translation>{whole}, tras el correo {number}</translation>
    </message>
    <message>
        <source>{whole}, after memory {number}</source>
        <translation>{whole}, tras el recuerdo {number}</translation>
    </message>
    <message>
        <source>{whole}, after message {number}</source>
        <translation>{whole}, tras el mensaje {number}</translation>
    </message>
    <message>
        <source>{whole}, after name {number}</source>
        <translation>{whole}, tras el nombre {number}</translation>
    </message>
    <message>
        <source>{whole}, after note {number}</source>
        <translation>{whole}, tras la nota {number}</translation>
    </message>
    <message>
        <source>{whole}, after project {number}</source>
        <translation>{whole}, tras el proyecto {number}</translation>
    </message>
    <message>
        <source>{whole}, after value {number}</source>
        <translation>{whole}, tras el valor {number}</translation>
    </message>
    <message>
        <source>{whole}, comments and fields</source>
        <translation>{whole}, comentarios y campos</translation>
    </message>
    <message>
        <source>{whole}, conversation {number}</source>
        <translation>{whole}, conversación {number}</translation>
    </message>
    <message>
        <source>{whole}, document {number}</source>
        <translation>{whole}, documento {number}</translation>
    </message>
    <message>
        <source>{whole}, entity {number}</source>
        <translation>{whole}, entrada {number}</translation>
    </message>
    <message>
        <source>{whole}, entry {number}</source>
        <translation>{whole}, entrada {number}</translation>
    </message>
    <message>
        <source>{whole}, file {number}</source>
        <translation>{whole}, archivo {number}</translation>
    </message>
    <message>
        <source>{whole}, just before it</source>
        <translation>{whole}, justo antes</translation>
    </message>
    <message>
        <source>{whole}, line {number}</source>
        <translation>{whole}, línea {number}</translation>
    </message>
    <message>
        <source>{whole}, mail {number}</source>
        <translation>{whole}, correo {number}</translation>
    </message>
    <message>
        <source>{whole}, memory {number}</source>
        <translation>{whole}, recuerdo {number}</translation>
    </message>
    <message>
        <source>{whole}, message {number}</source>
        <translation>{whole}, mensaje {number}</translation>
    </message>
    <message>
        <source>{whole}, name {number}</source>
        <translation>{whole}, nombre {number}</translation>
    </message>
    <message>
        <source>{whole}, note {number}</source>
        <translation>{whole}, nota {number}</translation>
    </message>
    <message>
        <source>{whole}, page {number}</source>
        <translation>{whole}, página {number}</translation>
    </message>
    <message>
        <source>{whole}, part {number} of {count}</source>
        <translation>{whole}, parte {number} de {count}</translation>
    </message>
    <message>
        <source>{whole}, project {number}</source>
        <translation>{whole}, proyecto {number}</translation>
    </message>
    <message>
        <source>{whole}, relation {number}</source>
        <translation>{whole}, relación {number}</translation>
    </message>
    <message>
        <source>{whole}, session {number}</source>
        <translation>{whole}, conversación {number}</translation>
    </message>
    <message>
        <source>{whole}, tab {number}</source>
        <translation>{whole}, pestaña {number}</translation>
    </message>
    <message>
        <source>{whole}, table {number}</source>
        <translation>{whole}, tabla {number}</translation>
    </message>
    <message>
        <source>{whole}, value {number}</source>
        <translation>{whole}, valor {number}</translation>
    </message>
    <message>
        <source>{why} Another value counts.</source>
        <translation>{why} Vale otro valor.</translation>
    </message>
    <message>
        <source>{why} Until then the vectors made so far answer searches.</source>
        <translation>{why} Hasta entonces los vectores existentes responden a las búsquedas.</translation>
    </message>
    <message>
        <source>‘{name}’ failed.</source>
        <translation>«{name}» ha fallado.</translation>
    </message>
    <message>
        <source>‘{name}’ is done.</source>
        <translation>«{name}» ha terminado.</translation>
    </message>
    <message>
        <source>‘{name}’ is paused after 1 failure.</source>
        <translation>«{name}» está en pausa tras 1 fallo.</translation>
    </message>
    <message>
        <source>‘{name}’ is paused after {count} failures in a row.</source>
        <translation>«{name}» está en pausa tras {count} fallos seguidos.</translation>
    </message>
    <message>
        <source>‘{name}’ is paused because its times cannot be worked out: {why}</source>
        <translation>«{name}» está en pausa porque no se pueden calcular sus horas: {why}</translation>
    </message>
    <message>
        <source>‘{name}’ was left out once. {why}</source>
        <translation>«{name}» se omitió una vez. {why}</translation>
    </message>
    <message>
        <source>‘{name}’ was left out {count} times. {why}</source>
        <translation>«{name}» se omitió {count} veces. {why}</translation>
    </message>
    <message>
        <source>“{around}” is neither the id of a memory or message nor a time such as 2026-03-01 or ‘last week’.</source>
        <translation>«{around}» no es el identificador de un recuerdo o mensaje ni una fecha como 2026-03-01 o «last week».</translation>
    </message>
    <message>
        <source>“{name}:” is not an operator, so it was searched as a word.</source>
        <translation>«{name}:» no es un operador, así que se buscó como palabra.</translation>
    </message>
    <message>
        <source>“{other}” may be “{into}”: {reason}.</source>
        <translation>«{other}» puede ser «{into}»: {reason}.</translation>
    </message>
</context>
<context>
    <name>EntityActions</name>
    <message>
        <source>Changed ‘{title}’</source>
        <translation>Se cambió «{title}»</translation>
    </message>
    <message>
        <source>Merged {count} names into ‘{title}’</source>
        <translation>{count} nombres fusionados en «{title}»</translation>
    </message>
    <message>
        <source>Merged ‘{title}’</source>
        <translation>Se fusionó «{title}»</translation>
    </message>
    <message>
        <source>Related ‘{title}’</source>
        <translation>Se relacionó «{title}»</translation>
    </message>
    <message>
        <source>Renamed to ‘{title}’</source>
        <translation>Se renombró a «{title}»</translation>
    </message>
    <message>
        <source>Split off ‘{title}’</source>
        <translation>Se separó «{title}»</translation>
    </message>
    <message>
        <source>Took back a relation of ‘{title}’</source>
        <translation>Se retiró una relación de «{title}»</translation>
    </message>
</context>
<context>
    <name>EntityField</name>
    <message>
        <source>Names that fit</source>
        <translation>Nombres que encajan</translation>
    </message>
    <message>
        <source>{type}, 1 mention</source>
        <translation>{type}, 1 mención</translation>
    </message>
    <message>
        <source>{type}, {count} mentions</source>
        <translation>{type}, {count} menciones</translation>
    </message>
</context>
<context>
    <name>EntityForm</name>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
</context>
<context>
    <name>EntityPage</name>
    <message>
        <source>1 mention</source>
        <translation>1 mención</translation>
    </message>
    <message>
        <source>Also called</source>
        <translation>También llamado</translation>
    </message>
    <message>
        <source>Click a name to see what is known of it.</source>
        <translation>Haz clic en un nombre para ver lo que se sabe de él.</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Conversaciones</translation>
    </message>
    <message>
        <source>Draw around</source>
        <translation>Dibujar alrededor</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>Fusionar</translation>
    </message>
    <message>
        <source>Notes and facts</source>
        <translation>Notas y hechos</translation>
    </message>
    <message>
        <source>Other names in the same texts</source>
        <translation>Otros nombres en los mismos textos</translation>
    </message>
    <message>
        <source>Page of the chosen name</source>
        <translation>Página del nombre elegido</translation>
    </message>
    <message>
        <source>People in the same texts</source>
        <translation>Personas en los mismos textos</translation>
    </message>
    <message>
        <source>Relate</source>
        <translation>Relacionar</translation>
    </message>
    <message>
        <source>Relations</source>
        <translation>Relaciones</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Renombrar</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Buscar</translation>
    </message>
    <message>
        <source>Show all {count}</source>
        <translation>Mostrar los {count}</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>Separar</translation>
    </message>
    <message>
        <source>Take back: {words}</source>
        <translation>Retirar: {words}</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Sin título</translation>
    </message>
    <message>
        <source>once together</source>
        <translation>juntos una vez</translation>
    </message>
    <message>
        <source>{count} mentions</source>
        <translation>{count} menciones</translation>
    </message>
    <message>
        <source>{count} times together</source>
        <translation>juntos {count} veces</translation>
    </message>
    <message>
        <source>{name} {predicate} this</source>
        <translation>{name} {predicate} esto</translation>
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
        <translation>Se quitó un mensaje de error porque podía citar lo que se borró para siempre.</translation>
    </message>
    <message>
        <source>Erase for ever</source>
        <translation>Borrar para siempre</translation>
    </message>
    <message>
        <source>{done}.</source>
        <translation>{done}.</translation>
    </message>
    <message>
        <source>{what} Earlier backups may still hold it. Nothing can undo this.</source>
        <translation>{what} Puede que las copias de seguridad anteriores aún lo contengan. Esto no se puede deshacer.</translation>
    </message>
</context>
<context>
    <name>ErrorReporter</name>
    <message>
        <source>It happened once more.</source>
        <translation>Ocurrió una vez más.</translation>
    </message>
    <message>
        <source>It happened {n} more times.</source>
        <translation>Ocurrió {n} veces más.</translation>
    </message>
    <message>
        <source>Something went wrong inside Keepsake ({name}). What you wrote is kept.</source>
        <translation>Algo falló dentro de Keepsake ({name}). Lo que escribiste se conserva.</translation>
    </message>
</context>
<context>
    <name>Errors</name>
    <message>
        <source>Your memories are damaged on the disk. “Check now” on the Status page says how far; Settings, Backups, brings an earlier copy back.</source>
        <translation>Tus recuerdos están dañados en el disco. «Comprobar ahora», en la página «Estado», dice hasta qué punto; «Ajustes», «Copias de seguridad» recupera una copia anterior.</translation>
    </message>
</context>
<context>
    <name>ExportSheet</name>
    <message>
        <source>1 attachment could not be read and was left out:</source>
        <translation>1 adjunto no se pudo leer y se omitió:</translation>
    </message>
    <message>
        <source>1 conversation</source>
        <translation>1 conversación</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 mensaje</translation>
    </message>
    <message>
        <source>1 note or fact</source>
        <translation>1 nota o hecho</translation>
    </message>
    <message>
        <source>A browser reads and searches it by its index.html; other programs read its Markdown.</source>
        <translation>Un navegador la muestra y busca en ella con index.html; otros programas leen su Markdown.</translation>
    </message>
    <message>
        <source>Also the history of all changes</source>
        <translation>También el historial de todos los cambios</translation>
    </message>
    <message>
        <source>An unchanged earlier export there is replaced, anything else is not.</source>
        <translation>Se reemplaza una exportación anterior sin cambios; nada más.</translation>
    </message>
    <message>
        <source>Choose where to export to</source>
        <translation>Elegir adónde exportar</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Cerrar</translation>
    </message>
    <message>
        <source>Encrypted file</source>
        <translation>Archivo cifrado</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportar</translation>
    </message>
    <message>
        <source>Export everything</source>
        <translation>Exportar todo</translation>
    </message>
    <message>
        <source>Export progress</source>
        <translation>Progreso de la exportación</translation>
    </message>
    <message>
        <source>Export without encryption</source>
        <translation>Exportar sin cifrar</translation>
    </message>
    <message>
        <source>Folder to read</source>
        <translation>Carpeta para leer</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Formato</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>Ocultar</translation>
    </message>
    <message>
        <source>JSON lines</source>
        <translation>Líneas JSON</translation>
    </message>
    <message>
        <source>Keepsake can import it.</source>
        <translation>Keepsake puede importarlo.</translation>
    </message>
    <message>
        <source>One file for programs, with a folder of the attachments beside it.</source>
        <translation>Un archivo para programas, con una carpeta de adjuntos al lado.</translation>
    </message>
    <message>
        <source>One file with everything, attachments too, that only a passphrase opens.</source>
        <translation>Un archivo con todo, también los adjuntos, que solo abre una frase de contraseña.</translation>
    </message>
    <message>
        <source>Passphrase of the file</source>
        <translation>Frase de contraseña del archivo</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Resultado</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Mostrar en la carpeta</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Empezando…</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Detener</translation>
    </message>
    <message>
        <source>Stopped. Nothing was written.</source>
        <translation>Detenido. No se escribió nada.</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Deteniendo…</translation>
    </message>
    <message>
        <source>The same again</source>
        <translation>La misma otra vez</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Advertencia</translation>
    </message>
    <message>
        <source>Where to</source>
        <translation>Adónde</translation>
    </message>
    <message>
        <source>Write it down where only you find it: nobody can bring a forgotten passphrase back.</source>
        <translation>Anótala donde solo tú la encuentres: nadie puede recuperar una frase olvidada.</translation>
    </message>
    <message>
        <source>Writes all conversations, notes, facts and attachments, also what is deleted or archived. Your memories here stay as they are.</source>
        <translation>Escribe todas las conversaciones, notas, hechos y adjuntos, también lo eliminado o archivado. Sus recuerdos aquí no cambian.</translation>
    </message>
    <message>
        <source>Wrote {what} ({size}) to {path}.</source>
        <translation>Se escribieron en {path}: {what} ({size}).</translation>
    </message>
    <message>
        <source>Your memories are encrypted, and this export is not: everybody who has it can read all of it.</source>
        <translation>Tus recuerdos están cifrados y esta exportación no: quien la tenga puede leerlo todo.</translation>
    </message>
    <message>
        <source>{n} attachments could not be read and were left out:</source>
        <translation>{n} adjuntos no se pudieron leer y se omitieron:</translation>
    </message>
    <message>
        <source>{n} conversations</source>
        <translation>{n} conversaciones</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} mensajes</translation>
    </message>
    <message>
        <source>{n} notes and facts</source>
        <translation>{n} notas y hechos</translation>
    </message>
</context>
<context>
    <name>FacetFilter</name>
    <message>
        <source>Agent</source>
        <translation>Agente</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Tipo</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Proyecto</translation>
    </message>
    <message>
        <source>Said by</source>
        <translation>Dicho por</translation>
    </message>
    <message>
        <source>Store</source>
        <translation>Ámbito</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Etiquetas</translation>
    </message>
</context>
<context>
    <name>FactCard</name>
    <message>
        <source>A message without words</source>
        <translation>Un mensaje sin palabras</translation>
    </message>
    <message>
        <source>Confirm: it is certain and never fades</source>
        <translation>Confirmar: es seguro y nunca se desvanece</translation>
    </message>
    <message>
        <source>Correct it</source>
        <translation>Corregirlo</translation>
    </message>
    <message>
        <source>Delete it</source>
        <translation>Eliminarlo</translation>
    </message>
    <message>
        <source>Open it in Notes</source>
        <translation>Abrirlo en Notas</translation>
    </message>
    <message>
        <source>People and things in it</source>
        <translation>Personas y cosas en él</translation>
    </message>
    <message>
        <source>Show this message</source>
        <translation>Mostrar este mensaje</translation>
    </message>
    <message>
        <source>What is right</source>
        <translation>Lo que es correcto</translation>
    </message>
    <message>
        <source>confirmed</source>
        <translation>confirmado</translation>
    </message>
    <message>
        <source>said {n} times</source>
        <translation>dicho {n} veces</translation>
    </message>
    <message>
        <source>{n} % certain</source>
        <translation>{n} % seguro</translation>
    </message>
</context>
<context>
    <name>FactPanel</name>
    <message>
        <source>Confidence</source>
        <translation>Confianza</translation>
    </message>
    <message>
        <source>Confirm</source>
        <translation>Confirmar</translation>
    </message>
    <message>
        <source>Confirmed the fact</source>
        <translation>Hecho confirmado</translation>
    </message>
    <message>
        <source>Corrected the fact</source>
        <translation>Hecho corregido</translation>
    </message>
    <message>
        <source>Correct…</source>
        <translation>Corregir…</translation>
    </message>
    <message>
        <source>Held true over time</source>
        <translation>Lo que se dio por cierto</translation>
    </message>
    <message>
        <source>It is right: it stays certain and never fades</source>
        <translation>Es correcto: sigue seguro y nunca se desvanece</translation>
    </message>
    <message>
        <source>It no longer holds: another fact took its place.</source>
        <translation>Ya no vale: otro hecho ocupó su lugar.</translation>
    </message>
    <message>
        <source>It was deleted.</source>
        <translation>Se eliminó.</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Fijar</translation>
    </message>
    <message>
        <source>Pinned the fact</source>
        <translation>Hecho fijado</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Desfijar</translation>
    </message>
    <message>
        <source>Unpinned the fact</source>
        <translation>Hecho desfijado</translation>
    </message>
    <message>
        <source>You keep this for good.</source>
        <translation>Esto lo conservas para siempre.</translation>
    </message>
    <message>
        <source>about {n} months</source>
        <translation>unos {n} meses</translation>
    </message>
    <message>
        <source>about {n} weeks</source>
        <translation>unas {n} semanas</translation>
    </message>
    <message>
        <source>about {n} years</source>
        <translation>unos {n} años</translation>
    </message>
    <message>
        <source>one day</source>
        <translation>un día</translation>
    </message>
    <message>
        <source>{n} days</source>
        <translation>{n} días</translation>
    </message>
    <message>
        <source>{percent} certain now. If nobody uses it, it fades on {day}, {span} from now.</source>
        <translation>{percent} seguro ahora. Si nadie lo usa, se desvanece el {day}, dentro de {span}.</translation>
    </message>
    <message>
        <source>{percent} certain. Even without use it hardly fades.</source>
        <translation>{percent} seguro. Aun sin uso apenas se desvanece.</translation>
    </message>
    <message>
        <source>{percent} certain. It has faded; the next night may set it aside.</source>
        <translation>{percent} seguro. Se ha desvanecido; la próxima noche puede apartarlo.</translation>
    </message>
    <message>
        <source>{percent} certain. It never fades.</source>
        <translation>{percent} seguro. Nunca se desvanece.</translation>
    </message>
    <message>
        <source>{percent} certain. While it is pinned it does not fade.</source>
        <translation>{percent} seguro. Mientras esté fijado, no se desvanece.</translation>
    </message>
</context>
<context>
    <name>FactsTab</name>
    <message>
        <source>Confirmed ‘{title}’</source>
        <translation>Se confirmó «{title}»</translation>
    </message>
    <message>
        <source>Corrected ‘{title}’</source>
        <translation>Se corrigió «{title}»</translation>
    </message>
    <message>
        <source>Deleted ‘{title}’</source>
        <translation>Se eliminó «{title}»</translation>
    </message>
    <message>
        <source>Draw facts from it now</source>
        <translation>Extraer hechos ahora</translation>
    </message>
    <message>
        <source>Keepsake reads conversations when they have come to rest, and keeps what lasts: each fact with the message that says so.</source>
        <translation>Keepsake lee las conversaciones cuando quedan en calma y guarda lo que perdura: cada hecho con el mensaje que lo dice.</translation>
    </message>
    <message>
        <source>No facts were drawn from it yet</source>
        <translation>Aún no se han extraído hechos</translation>
    </message>
    <message>
        <source>Show more</source>
        <translation>Mostrar más</translation>
    </message>
    <message>
        <source>{n} drawn from this conversation. A line below each shows the message that says so.</source>
        <translation>{n} extraídos de esta conversación. Una línea bajo cada uno muestra el mensaje que lo dice.</translation>
    </message>
</context>
<context>
    <name>FieldIcons</name>
    <message>
        <source>Clear</source>
        <translation>Borrar</translation>
    </message>
</context>
<context>
    <name>FilterChip</name>
    <message>
        <source>Clear the filter</source>
        <translation>Quitar el filtro</translation>
    </message>
    <message>
        <source>Filtered by {names}</source>
        <translation>Filtrado por {names}</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>1 message</source>
        <translation>1 mensaje</translation>
    </message>
    <message>
        <source>Find in this conversation</source>
        <translation>Buscar en esta conversación</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Siguiente coincidencia</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>Coincidencia anterior</translation>
    </message>
    <message>
        <source>Stop finding</source>
        <translation>Dejar de buscar</translation>
    </message>
    <message>
        <source>no match</source>
        <translation>sin coincidencias</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} mensajes</translation>
    </message>
    <message>
        <source>{n} of {m}</source>
        <translation>{n} de {m}</translation>
    </message>
</context>
<context>
    <name>Frame</name>
    <message>
        <source>About Keepsake</source>
        <translation>Acerca de Keepsake</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Atrás</translation>
    </message>
    <message>
        <source>Close window</source>
        <translation>Cerrar la ventana</translation>
    </message>
    <message>
        <source>Command palette…</source>
        <translation>Paleta de comandos…</translation>
    </message>
    <message>
        <source>Copy link to this place</source>
        <translation>Copiar enlace a este lugar</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Editar</translation>
    </message>
    <message>
        <source>Export everything…</source>
        <translation>Exportar todo…</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Archivo</translation>
    </message>
    <message>
        <source>First steps</source>
        <translation>Primeros pasos</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Adelante</translation>
    </message>
    <message>
        <source>Go</source>
        <translation>Ir</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Ayuda</translation>
    </message>
    <message>
        <source>History…</source>
        <translation>Historial…</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importar…</translation>
    </message>
    <message>
        <source>Jump to…</source>
        <translation>Saltar a…</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Atajos de teclado</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>Texto más grande</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>Bloquear</translation>
    </message>
    <message>
        <source>Make a capsule…</source>
        <translation>Crear una cápsula…</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>Menú</translation>
    </message>
    <message>
        <source>New note</source>
        <translation>Nueva nota</translation>
    </message>
    <message>
        <source>Newest notice</source>
        <translation>Aviso más reciente</translation>
    </message>
    <message>
        <source>Next part of the window</source>
        <translation>Siguiente parte de la ventana</translation>
    </message>
    <message>
        <source>Normal text size</source>
        <translation>Tamaño de texto normal</translation>
    </message>
    <message>
        <source>Previous part</source>
        <translation>Parte anterior</translation>
    </message>
    <message>
        <source>Quick capture…</source>
        <translation>Captura rápida…</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Salir</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Rehacer</translation>
    </message>
    <message>
        <source>Search everything</source>
        <translation>Buscar en todo</translation>
    </message>
    <message>
        <source>Search models…</source>
        <translation>Modelos de búsqueda…</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Ajustes</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Ajustes…</translation>
    </message>
    <message>
        <source>Show or hide the inspector</source>
        <translation>Mostrar u ocultar el inspector</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>Texto más pequeño</translation>
    </message>
    <message>
        <source>Test the language model</source>
        <translation>Probar el modelo de lenguaje</translation>
    </message>
    <message>
        <source>Theme: dark</source>
        <translation>Tema: oscuro</translation>
    </message>
    <message>
        <source>Theme: light</source>
        <translation>Tema: claro</translation>
    </message>
    <message>
        <source>Theme: like the system</source>
        <translation>Tema: como el sistema</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Deshacer</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Ver</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>Trabajo</translation>
    </message>
</context>
<context>
    <name>GlobalCapture</name>
    <message>
        <source>Quick capture</source>
        <translation>Captura rápida</translation>
    </message>
    <message>
        <source>Quick capture opens from anywhere</source>
        <translation>La captura rápida se abre desde cualquier lugar</translation>
    </message>
    <message>
        <source>Quick capture opens from anywhere with {keys}</source>
        <translation>La captura rápida se abre desde cualquier lugar con {keys}</translation>
    </message>
    <message>
        <source>Settings, Desktop shows a command that a shortcut of your desktop can run instead.</source>
        <translation>Ajustes, Escritorio muestra un comando que un atajo de tu escritorio puede ejecutar en su lugar.</translation>
    </message>
</context>
<context>
    <name>GoalLimitsForm</name>
    <message>
        <source>Cost at most</source>
        <translation>Coste máximo</translation>
    </message>
    <message>
        <source>It may read</source>
        <translation>Puede leer</translation>
    </message>
    <message>
        <source>Steps at most</source>
        <translation>Pasos como máximo</translation>
    </message>
    <message>
        <source>Turns: how often the language model may answer in one run</source>
        <translation>Turnos: cuántas veces puede responder el modelo de lenguaje en una ejecución</translation>
    </message>
    <message>
        <source>everything, private too</source>
        <translation>todo, también lo privado</translation>
    </message>
    <message>
        <source>nothing of mine</source>
        <translation>nada mío</translation>
    </message>
    <message>
        <source>the usual limit</source>
        <translation>el límite habitual</translation>
    </message>
    <message>
        <source>what is shared and social</source>
        <translation>lo compartido y lo social</translation>
    </message>
    <message>
        <source>what is social</source>
        <translation>lo social</translation>
    </message>
</context>
<context>
    <name>GraphCanvas</name>
    <message>
        <source>1 link</source>
        <translation>1 enlace</translation>
    </message>
    <message>
        <source>1 mention</source>
        <translation>1 mención</translation>
    </message>
    <message>
        <source>1 name.</source>
        <translation>1 nombre.</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Grafo</translation>
    </message>
    <message>
        <source>{names} Arrow keys go to neighbours, Enter opens the page.</source>
        <translation>{names} Las flechas van a los vecinos, Intro abre la página.</translation>
    </message>
    <message>
        <source>{n} links</source>
        <translation>{n} enlaces</translation>
    </message>
    <message>
        <source>{n} mentions</source>
        <translation>{n} menciones</translation>
    </message>
    <message>
        <source>{n} names.</source>
        <translation>{n} nombres.</translation>
    </message>
</context>
<context>
    <name>GraphPane</name>
    <message>
        <source>1 link</source>
        <translation>1 enlace</translation>
    </message>
    <message>
        <source>1 text is still to be read for names.</source>
        <translation>Falta leer 1 texto en busca de nombres.</translation>
    </message>
    <message>
        <source>Arrange again</source>
        <translation>Ordenar de nuevo</translation>
    </message>
    <message>
        <source>Arrange the graph again</source>
        <translation>Ordenar de nuevo el grafo</translation>
    </message>
    <message>
        <source>Bring everything into sight</source>
        <translation>Mostrarlo todo</translation>
    </message>
    <message>
        <source>Bring the whole graph into sight</source>
        <translation>Mostrar todo el grafo</translation>
    </message>
    <message>
        <source>Draw around it</source>
        <translation>Dibujar a su alrededor</translation>
    </message>
    <message>
        <source>Draw the graph around this name</source>
        <translation>Dibujar el grafo alrededor de este nombre</translation>
    </message>
    <message>
        <source>Find a name</source>
        <translation>Buscar un nombre</translation>
    </message>
    <message>
        <source>Graph of all names</source>
        <translation>Grafo de todos los nombres</translation>
    </message>
    <message>
        <source>Imported conversations are read for names, too.</source>
        <translation>Las conversaciones importadas también se leen en busca de nombres.</translation>
    </message>
    <message>
        <source>Keepsake recognises names in your conversations and notes as they come in, and draws who and what belongs together. Write about somebody, and they appear here.</source>
        <translation>Keepsake reconoce nombres en tus conversaciones y notas según llegan, y dibuja quién y qué va junto. Escribe sobre alguien y aparecerá aquí.</translation>
    </message>
    <message>
        <source>Merge all</source>
        <translation>Fusionar todos</translation>
    </message>
    <message>
        <source>Merge into another…</source>
        <translation>Fusionar con otro…</translation>
    </message>
    <message>
        <source>Merge this name into another</source>
        <translation>Fusionar este nombre con otro</translation>
    </message>
    <message>
        <source>Names are being read</source>
        <translation>Se están leyendo los nombres</translation>
    </message>
    <message>
        <source>No people or things are known yet</source>
        <translation>Aún no se conocen personas ni cosas</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Fijar</translation>
    </message>
    <message>
        <source>Pin or unpin this name</source>
        <translation>Fijar o desfijar este nombre</translation>
    </message>
    <message>
        <source>Relate this name to another</source>
        <translation>Relacionar este nombre con otro</translation>
    </message>
    <message>
        <source>Relate…</source>
        <translation>Relacionar…</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Renombrar</translation>
    </message>
    <message>
        <source>Rename this name</source>
        <translation>Renombrar este nombre</translation>
    </message>
    <message>
        <source>Save as data (GraphML)…</source>
        <translation>Guardar como datos (GraphML)…</translation>
    </message>
    <message>
        <source>Save as drawing (SVG)…</source>
        <translation>Guardar como dibujo (SVG)…</translation>
    </message>
    <message>
        <source>Save as picture (PNG)…</source>
        <translation>Guardar como imagen (PNG)…</translation>
    </message>
    <message>
        <source>Save the graph</source>
        <translation>Guardar el grafo</translation>
    </message>
    <message>
        <source>Save the graph as a drawing</source>
        <translation>Guardar el grafo como dibujo</translation>
    </message>
    <message>
        <source>Save the graph as a picture</source>
        <translation>Guardar el grafo como imagen</translation>
    </message>
    <message>
        <source>Save the graph as data</source>
        <translation>Guardar el grafo como datos</translation>
    </message>
    <message>
        <source>Search for it</source>
        <translation>Buscarlo</translation>
    </message>
    <message>
        <source>Select with the lasso</source>
        <translation>Seleccionar con el lazo</translation>
    </message>
    <message>
        <source>Show names as a list</source>
        <translation>Mostrar los nombres en lista</translation>
    </message>
    <message>
        <source>Split this name</source>
        <translation>Separar este nombre</translation>
    </message>
    <message>
        <source>Split…</source>
        <translation>Separar…</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Desfijar</translation>
    </message>
    <message>
        <source>Write a note</source>
        <translation>Escribir una nota</translation>
    </message>
    <message>
        <source>Zoom into the graph</source>
        <translation>Acercar el grafo</translation>
    </message>
    <message>
        <source>Zoom out of the graph</source>
        <translation>Alejar el grafo</translation>
    </message>
    <message>
        <source>{count} names selected</source>
        <translation>{count} nombres seleccionados</translation>
    </message>
    <message>
        <source>{n} links</source>
        <translation>{n} enlaces</translation>
    </message>
    <message>
        <source>{n} texts are still to be read for names.</source>
        <translation>Faltan {n} textos por leer en busca de nombres.</translation>
    </message>
    <message>
        <source>{shown} of 1 name shown</source>
        <translation>{shown} de 1 nombre mostrado</translation>
    </message>
    <message>
        <source>{shown} of {n} names shown</source>
        <translation>{shown} de {n} nombres mostrados</translation>
    </message>
</context>
<context>
    <name>GraphToolbar</name>
    <message>
        <source>1 step</source>
        <translation>1 paso</translation>
    </message>
    <message>
        <source>All names</source>
        <translation>Todos los nombres</translation>
    </message>
    <message>
        <source>Around a name</source>
        <translation>Alrededor de un nombre</translation>
    </message>
    <message>
        <source>Around {name}</source>
        <translation>Alrededor de {name}</translation>
    </message>
    <message>
        <source>Bring everything into sight (0)</source>
        <translation>Mostrarlo todo (0)</translation>
    </message>
    <message>
        <source>Colour by group</source>
        <translation>Color por grupo</translation>
    </message>
    <message>
        <source>Colour by type</source>
        <translation>Color por tipo</translation>
    </message>
    <message>
        <source>Data (GraphML)…</source>
        <translation>Datos (GraphML)…</translation>
    </message>
    <message>
        <source>Draw around names to select them</source>
        <translation>Dibuja alrededor de los nombres para seleccionarlos</translation>
    </message>
    <message>
        <source>Drawing (SVG)…</source>
        <translation>Dibujo (SVG)…</translation>
    </message>
    <message>
        <source>Find a name in the graph</source>
        <translation>Buscar un nombre en el grafo</translation>
    </message>
    <message>
        <source>Find a name…</source>
        <translation>Buscar un nombre…</translation>
    </message>
    <message>
        <source>How far from the middle</source>
        <translation>A qué distancia del centro</translation>
    </message>
    <message>
        <source>How many names at most</source>
        <translation>Cuántos nombres como máximo</translation>
    </message>
    <message>
        <source>Picture (PNG)…</source>
        <translation>Imagen (PNG)…</translation>
    </message>
    <message>
        <source>Save the graph as a file</source>
        <translation>Guardar el grafo como archivo</translation>
    </message>
    <message>
        <source>Show only names that match</source>
        <translation>Mostrar solo los nombres que encajan</translation>
    </message>
    <message>
        <source>Show the names as a list, too</source>
        <translation>Mostrar también los nombres en lista</translation>
    </message>
    <message>
        <source>What colours mean</source>
        <translation>Qué significan los colores</translation>
    </message>
    <message>
        <source>{count} names</source>
        <translation>{count} nombres</translation>
    </message>
    <message>
        <source>{count} steps</source>
        <translation>{count} pasos</translation>
    </message>
</context>
<context>
    <name>GraphWriter</name>
    <message>
        <source>Saved {name}</source>
        <translation>Se guardó {name}</translation>
    </message>
</context>
<context>
    <name>HelpDialog</name>
    <message>
        <source>Help</source>
        <translation>Ayuda</translation>
    </message>
    <message>
        <source>Help page</source>
        <translation>Página de ayuda</translation>
    </message>
    <message>
        <source>Help pages</source>
        <translation>Páginas de ayuda</translation>
    </message>
    <message>
        <source>The help pages are missing from this installation.</source>
        <translation>Las páginas de ayuda faltan en esta instalación.</translation>
    </message>
</context>
<context>
    <name>HistorySheet</name>
    <message>
        <source>By agents</source>
        <translation>De agentes</translation>
    </message>
    <message>
        <source>By me</source>
        <translation>Míos</translation>
    </message>
    <message>
        <source>By upkeep</source>
        <translation>Del mantenimiento</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Todo</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Historial</translation>
    </message>
    <message>
        <source>Imports</source>
        <translation>Importaciones</translation>
    </message>
    <message>
        <source>Nothing was done yet.</source>
        <translation>Todavía no se ha hecho nada.</translation>
    </message>
    <message>
        <source>Show earlier ones</source>
        <translation>Mostrar anteriores</translation>
    </message>
    <message>
        <source>What was done here, newest first. Undoing something is an entry, too.</source>
        <translation>Lo que se hizo aquí, lo más reciente primero. Deshacer algo también es una entrada.</translation>
    </message>
    <message>
        <source>Whose changes are shown</source>
        <translation>De quién se muestran los cambios</translation>
    </message>
</context>
<context>
    <name>HitMenu</name>
    <message>
        <source>Add tags…</source>
        <translation>Añadir etiquetas…</translation>
    </message>
    <message>
        <source>Copied the text</source>
        <translation>Texto copiado</translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation>Copiar enlace</translation>
    </message>
    <message>
        <source>Copy text</source>
        <translation>Copiar texto</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Eliminar</translation>
    </message>
    <message>
        <source>Deleted ‘{title}’</source>
        <translation>Se eliminó «{title}»</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Abrir</translation>
    </message>
    <message>
        <source>Open in its conversation</source>
        <translation>Abrir en su conversación</translation>
    </message>
    <message>
        <source>Open its conversation</source>
        <translation>Abrir su conversación</translation>
    </message>
    <message>
        <source>Open the page of ‘{name}’</source>
        <translation>Abrir la página de «{name}»</translation>
    </message>
    <message>
        <source>Pin or unpin</source>
        <translation>Fijar o desfijar</translation>
    </message>
    <message>
        <source>Pinned ‘{title}’</source>
        <translation>Se fijó «{title}»</translation>
    </message>
    <message>
        <source>Tagged ‘{title}’</source>
        <translation>Se etiquetó «{title}»</translation>
    </message>
    <message>
        <source>Tags, separated by commas:</source>
        <translation>Etiquetas, separadas por comas:</translation>
    </message>
    <message>
        <source>This message is no longer there.</source>
        <translation>Este mensaje ya no está.</translation>
    </message>
    <message>
        <source>Unpinned ‘{title}’</source>
        <translation>Se desfijó «{title}»</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Sin título</translation>
    </message>
    <message>
        <source>Why this was found</source>
        <translation>Por qué se encontró esto</translation>
    </message>
</context>
<context>
    <name>ImportDialog</name>
    <message>
        <source>An export of ChatGPT or Claude, chats of a messenger, notes of Obsidian, Notion, Joplin, Evernote or Apple, or documents such as PDF and Word. Nothing leaves this computer.</source>
        <translation>Una exportación de ChatGPT o Claude, chats de mensajería, notas de Obsidian, Notion, Joplin, Evernote o Apple, o documentos como PDF y Word. Nada sale de este equipo.</translation>
    </message>
    <message>
        <source>Bring your conversations and notes</source>
        <translation>Trae tus conversaciones y notas</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Elegir un archivo…</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Elegir una carpeta…</translation>
    </message>
    <message>
        <source>Choose another…</source>
        <translation>Elegir otro…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Cerrar</translation>
    </message>
    <message>
        <source>Copy problems</source>
        <translation>Copiar problemas</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>Ocultar</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importar</translation>
    </message>
    <message>
        <source>Import progress</source>
        <translation>Progreso de la importación</translation>
    </message>
    <message>
        <source>Importing {name}</source>
        <translation>Importando {name}</translation>
    </message>
    <message>
        <source>Looking at {name}…</source>
        <translation>Examinando {name}…</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Abrir</translation>
    </message>
    <message>
        <source>Or drop it on this window.</source>
        <translation>O suéltalo en esta ventana.</translation>
    </message>
    <message>
        <source>Parts to import</source>
        <translation>Partes para importar</translation>
    </message>
    <message>
        <source>Passphrase of the file</source>
        <translation>Frase de contraseña del archivo</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problema</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Problemas</translation>
    </message>
    <message>
        <source>Show them</source>
        <translation>Mostrarlos</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Empezando…</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Detener</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Detenida</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Deteniendo…</translation>
    </message>
    <message>
        <source>This could not be imported</source>
        <translation>Esto no se pudo importar</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Deshacer</translation>
    </message>
    <message>
        <source>What was imported so far stays. Import it again to continue.</source>
        <translation>Lo importado hasta ahora se queda. Impórtalo de nuevo para continuar.</translation>
    </message>
</context>
<context>
    <name>Inbox</name>
    <message>
        <source>Accepted</source>
        <translation>Aceptada</translation>
    </message>
    <message>
        <source>Account</source>
        <translation>Relato</translation>
    </message>
    <message>
        <source>Archive: {title}</source>
        <translation>Archivar: {title}</translation>
    </message>
    <message>
        <source>Are {other} and {into} the same person?</source>
        <translation>¿Son {other} y {into} la misma persona?</translation>
    </message>
    <message>
        <source>Are {other} and {into} the same?</source>
        <translation>¿Son {other} y {into} lo mismo?</translation>
    </message>
    <message>
        <source>Call {operation}</source>
        <translation>Llamar a {operation}</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>Categoría</translation>
    </message>
    <message>
        <source>Change: {title}</source>
        <translation>Cambiar: {title}</translation>
    </message>
    <message>
        <source>Confirm: {title}</source>
        <translation>Confirmar: {title}</translation>
    </message>
    <message>
        <source>Content</source>
        <translation>Contenido</translation>
    </message>
    <message>
        <source>Delete: {title}</source>
        <translation>Eliminar: {title}</translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>Caducada</translation>
    </message>
    <message>
        <source>Facts</source>
        <translation>Hechos</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Clave</translation>
    </message>
    <message>
        <source>Merge: {title}</source>
        <translation>Fusionar: {title}</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nombre</translation>
    </message>
    <message>
        <source>New: {title}</source>
        <translation>Nuevo: {title}</translation>
    </message>
    <message>
        <source>Other names</source>
        <translation>Otros nombres</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>Fijado</translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation>Rechazada</translation>
    </message>
    <message>
        <source>Rename: {title}</source>
        <translation>Renombrar: {title}</translation>
    </message>
    <message>
        <source>Restore: {title}</source>
        <translation>Restaurar: {title}</translation>
    </message>
    <message>
        <source>Store</source>
        <translation>Ámbito</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Resumen</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Etiquetas</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Texto</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>Título</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Tipo</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>En espera</translation>
    </message>
    <message>
        <source>no</source>
        <translation>no</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>sí</translation>
    </message>
    <message>
        <source>{words} (and {n} more)</source>
        <translation>{words} (y {n} más)</translation>
    </message>
</context>
<context>
    <name>InboxPane</name>
    <message>
        <source>Accept the proposal</source>
        <translation>Aceptar la propuesta</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>Aceptada</translation>
    </message>
    <message>
        <source>Both are kept.</source>
        <translation>Se conservan ambos.</translation>
    </message>
    <message>
        <source>From now on this is accepted without asking: {kind} of {agent}</source>
        <translation>Desde ahora esto se acepta sin preguntar: {kind} de {agent}</translation>
    </message>
    <message>
        <source>From now on this is refused: {kind} of {agent}</source>
        <translation>Desde ahora esto se rechaza: {kind} de {agent}</translation>
    </message>
    <message>
        <source>It could not be done; it still waits.</source>
        <translation>No se pudo hacer; sigue en espera.</translation>
    </message>
    <message>
        <source>Kept both</source>
        <translation>Se conservaron ambos</translation>
    </message>
    <message>
        <source>Nothing waits for you</source>
        <translation>Nada pendiente</translation>
    </message>
    <message>
        <source>One job ran</source>
        <translation>Se ejecutó una tarea</translation>
    </message>
    <message>
        <source>Open Agents</source>
        <translation>Abrir Agentes</translation>
    </message>
    <message>
        <source>Reject the proposal</source>
        <translation>Rechazar la propuesta</translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation>Rechazada</translation>
    </message>
    <message>
        <source>Stored the new fact beside the old one</source>
        <translation>Se guardó el hecho nuevo junto al antiguo</translation>
    </message>
    <message>
        <source>There is nothing left to undo.</source>
        <translation>No queda nada que deshacer.</translation>
    </message>
    <message>
        <source>Undone</source>
        <translation>Deshecho</translation>
    </message>
    <message>
        <source>What agents want to write appears here when you review them, and so does what contradicts something that you pinned or confirmed. Nothing is stored before you accept it.</source>
        <translation>Aquí aparece lo que los agentes quieren escribir cuando los revisas, y lo que contradice algo que fijaste o confirmaste. Nada se guarda antes de que lo aceptes.</translation>
    </message>
    <message>
        <source>{n} jobs ran</source>
        <translation>Se ejecutaron {n} tareas</translation>
    </message>
</context>
<context>
    <name>IncognitoBar</name>
    <message>
        <source>For 1 hour</source>
        <translation>Durante 1 hora</translation>
    </message>
    <message>
        <source>Incognito</source>
        <translation>Incógnito</translation>
    </message>
    <message>
        <source>Incognito for 1 hour</source>
        <translation>Incógnito durante 1 hora</translation>
    </message>
    <message>
        <source>Turn incognito off</source>
        <translation>Desactivar el incógnito</translation>
    </message>
    <message>
        <source>Turn incognito on</source>
        <translation>Activar el incógnito</translation>
    </message>
</context>
<context>
    <name>IncognitoIndicator</name>
    <message>
        <source>Incognito</source>
        <translation>Incógnito</translation>
    </message>
    <message>
        <source>{state} Click to end it.</source>
        <translation>{state} Haz clic para terminarlo.</translation>
    </message>
</context>
<context>
    <name>JoinRequests</name>
    <message>
        <source>{name} asks to hold your whole memory. Let it in if you typed the words there yourself.</source>
        <translation>{name} pide tener toda tu memoria. Déjalo entrar si tú mismo escribiste allí las palabras.</translation>
    </message>
</context>
<context>
    <name>KeptTextBar</name>
    <message>
        <source>Compare</source>
        <translation>Comparar</translation>
    </message>
    <message>
        <source>Delete again</source>
        <translation>Eliminar de nuevo</translation>
    </message>
    <message>
        <source>Deleted on one machine while it was edited on another, so it is still here</source>
        <translation>Se eliminó en un equipo mientras se editaba en otro, por eso sigue aquí</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Descartar</translation>
    </message>
    <message>
        <source>Edited on another machine at the same time</source>
        <translation>Editado en otro equipo al mismo tiempo</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Conservar</translation>
    </message>
    <message>
        <source>Keep this text</source>
        <translation>Conservar este texto</translation>
    </message>
    <message>
        <source>Lines with + are of the other text, written on {when}; lines with − are of this one.</source>
        <translation>Las líneas con + son del otro texto, escrito el {when}; las líneas con − son de este.</translation>
    </message>
    <message>
        <source>Take the other text</source>
        <translation>Tomar el otro texto</translation>
    </message>
</context>
<context>
    <name>KeyField</name>
    <message>
        <source>A key is kept in {place}.</source>
        <translation>Hay una clave guardada en {place}.</translation>
    </message>
    <message>
        <source>Asking the keyring…</source>
        <translation>Preguntando al llavero…</translation>
    </message>
    <message>
        <source>Choose a service</source>
        <translation>Elegir un servicio</translation>
    </message>
    <message>
        <source>It is kept in the keyring of this machine, never in the settings or the vault.</source>
        <translation>Se guarda en el llavero de este equipo, nunca en los ajustes ni en la bóveda.</translation>
    </message>
    <message>
        <source>It is taken from {place}.</source>
        <translation>Se toma de {place}.</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Conservar</translation>
    </message>
    <message>
        <source>Key of a remote service</source>
        <translation>Clave de un servicio remoto</translation>
    </message>
    <message>
        <source>Key of the service</source>
        <translation>Clave del servicio</translation>
    </message>
    <message>
        <source>Paste the key</source>
        <translation>Pega la clave</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Quitar</translation>
    </message>
    <message>
        <source>Service of the key</source>
        <translation>Servicio de la clave</translation>
    </message>
    <message>
        <source>There is no key yet. It will be kept in {place}.</source>
        <translation>Aún no hay clave. Se guardará en {place}.</translation>
    </message>
</context>
<context>
    <name>KnownRow</name>
    <message>
        <source>No hints for this text</source>
        <translation>Sin sugerencias para este texto</translation>
    </message>
    <message>
        <source>You already know</source>
        <translation>Ya sabes</translation>
    </message>
    <message>
        <source>You already know: {what}</source>
        <translation>Ya sabes: {what}</translation>
    </message>
    <message>
        <source>You already know: {what} ({when})</source>
        <translation>Ya sabes: {what} ({when})</translation>
    </message>
</context>
<context>
    <name>LanguageModelPanel</name>
    <message>
        <source>Asking…</source>
        <translation>Preguntando…</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>Coste</translation>
    </message>
    <message>
        <source>For</source>
        <translation>Para</translation>
    </message>
    <message>
        <source>Key of the service</source>
        <translation>Clave del servicio</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modelo</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>Peticiones</translation>
    </message>
    <message>
        <source>Result of the test</source>
        <translation>Resultado de la prueba</translation>
    </message>
    <message>
        <source>Share of the monthly limit that is spent</source>
        <translation>Parte gastada del límite mensual</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Probar</translation>
    </message>
    <message>
        <source>Test the language model</source>
        <translation>Probar el modelo de lenguaje</translation>
    </message>
    <message>
        <source>This month</source>
        <translation>Este mes</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>What the language model was asked for this month</source>
        <translation>Lo que se preguntó al modelo de lenguaje este mes</translation>
    </message>
    <message>
        <source>{cost} of at most {cap} spent.</source>
        <translation>Gastado {cost} de {cap} como máximo.</translation>
    </message>
    <message>
        <source>{cost} spent; there is no limit.</source>
        <translation>Gastado {cost}; no hay límite.</translation>
    </message>
    <message>
        <source>{model} answered in {seconds} seconds.</source>
        <translation>{model} respondió en {seconds} segundos.</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <source>Around {name} {count}</source>
        <translation>Alrededor de {name} {count}</translation>
    </message>
    <message>
        <source>Hide {words}</source>
        <translation>Ocultar {words}</translation>
    </message>
    <message>
        <source>Legend</source>
        <translation>Leyenda</translation>
    </message>
    <message>
        <source>Note links</source>
        <translation>Enlaces entre notas</translation>
    </message>
    <message>
        <source>Select the group: {words}</source>
        <translation>Seleccionar el grupo: {words}</translation>
    </message>
    <message>
        <source>Show {words}</source>
        <translation>Mostrar {words}</translation>
    </message>
</context>
<context>
    <name>MarkdownEditor</name>
    <message>
        <source>Attach a file…</source>
        <translation>Adjuntar un archivo…</translation>
    </message>
    <message>
        <source>Completions</source>
        <translation>Autocompletado</translation>
    </message>
    <message>
        <source>That text is too long to put into a note. Import it as a file instead.</source>
        <translation>Ese texto es demasiado largo para una nota. Impórtalo como archivo.</translation>
    </message>
</context>
<context>
    <name>MarkdownView</name>
    <message>
        <source>Open</source>
        <translation>Abrir</translation>
    </message>
    <message>
        <source>Open a web page</source>
        <translation>Abrir una página web</translation>
    </message>
    <message>
        <source>Open the page of ‘{name}’</source>
        <translation>Abrir la página de «{name}»</translation>
    </message>
    <message>
        <source>Show more</source>
        <translation>Mostrar más</translation>
    </message>
    <message>
        <source>This link leads out of Keepsake. Open it in your browser?</source>
        <translation>Este enlace lleva fuera de Keepsake. ¿Abrirlo en el navegador?</translation>
    </message>
    <message>
        <source>This text has {count} characters, so it is shown as written: the first {part}.</source>
        <translation>Este texto tiene {count} caracteres, así que se muestra tal como está escrito: los primeros {part}.</translation>
    </message>
    <message>
        <source>not shown, it is not in the attachments folder</source>
        <translation>no se muestra, no está en la carpeta de adjuntos</translation>
    </message>
</context>
<context>
    <name>MentionSection</name>
    <message>
        <source>Link it in ‘{title}’</source>
        <translation>Enlazarlo en «{title}»</translation>
    </message>
    <message>
        <source>Linked it in ‘{title}’</source>
        <translation>Enlazado en «{title}»</translation>
    </message>
    <message>
        <source>Named without a link</source>
        <translation>Nombrado sin enlace</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Sin título</translation>
    </message>
</context>
<context>
    <name>MergeForm</name>
    <message>
        <source>All names and mentions of ‘{name}’ will mean the one you choose.</source>
        <translation>Todos los nombres y menciones de «{name}» pasarán a significar el que elijas.</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>Fusionar</translation>
    </message>
    <message>
        <source>Merge into</source>
        <translation>Fusionar con</translation>
    </message>
    <message>
        <source>Merge into…</source>
        <translation>Fusionar con…</translation>
    </message>
</context>
<context>
    <name>MissingPane</name>
    <message>
        <source>This installation is incomplete: {reason}. Installing Keepsake again repairs it.</source>
        <translation>Esta instalación está incompleta: {reason}. Instalar Keepsake de nuevo lo arregla.</translation>
    </message>
    <message>
        <source>This part could not be loaded</source>
        <translation>Esta parte no se pudo cargar</translation>
    </message>
</context>
<context>
    <name>ModelRow</name>
    <message>
        <source>Answered before; kept until {until}</source>
        <translation>Respondía antes; se conserva hasta {until}</translation>
    </message>
    <message>
        <source>Answers searches</source>
        <translation>Responde a las búsquedas</translation>
    </message>
    <message>
        <source>Being prepared</source>
        <translation>Preparándose</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Comparar</translation>
    </message>
    <message>
        <source>Give up</source>
        <translation>Abandonar</translation>
    </message>
    <message>
        <source>Given up before it was complete; kept until {until}</source>
        <translation>Abandonado antes de estar completo; se conserva hasta {until}</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Seguir</translation>
    </message>
    <message>
        <source>Go on with it</source>
        <translation>Seguir con él</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausar</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>En pausa</translation>
    </message>
    <message>
        <source>Progress of {model}</source>
        <translation>Progreso de {model}</translation>
    </message>
    <message>
        <source>Ready; the old one answers until you switch</source>
        <translation>Listo; el antiguo responde hasta que cambies</translation>
    </message>
    <message>
        <source>Switch back</source>
        <translation>Volver al anterior</translation>
    </message>
    <message>
        <source>Switch to it</source>
        <translation>Cambiar a él</translation>
    </message>
    <message>
        <source>a remote service</source>
        <translation>un servicio remoto</translation>
    </message>
    <message>
        <source>on this computer</source>
        <translation>en este equipo</translation>
    </message>
    <message>
        <source>{made} of 1 text</source>
        <translation>{made} de 1 texto</translation>
    </message>
    <message>
        <source>{made} of {n} texts</source>
        <translation>{made} de {n} textos</translation>
    </message>
    <message>
        <source>{n} numbers each</source>
        <translation>{n} números cada uno</translation>
    </message>
</context>
<context>
    <name>ModelsDialog</name>
    <message>
        <source>Search models</source>
        <translation>Modelos de búsqueda</translation>
    </message>
    <message>
        <source>The earlier model answers searches again</source>
        <translation>El modelo anterior vuelve a responder a las búsquedas</translation>
    </message>
    <message>
        <source>The model {model} is not on this machine.</source>
        <translation>El modelo {model} no está en este equipo.</translation>
    </message>
    <message>
        <source>The new model answers as soon as its last texts are in</source>
        <translation>El modelo nuevo responde en cuanto entren sus últimos textos</translation>
    </message>
</context>
<context>
    <name>MonthSheet</name>
    <message>
        <source>Calendar</source>
        <translation>Calendario</translation>
    </message>
    <message>
        <source>conversations: {count}</source>
        <translation>conversaciones: {count}</translation>
    </message>
    <message>
        <source>daily note</source>
        <translation>nota diaria</translation>
    </message>
    <message>
        <source>notes: {count}</source>
        <translation>notas: {count}</translation>
    </message>
</context>
<context>
    <name>NameModel</name>
    <message>
        <source>Links</source>
        <translation>Enlaces</translation>
    </message>
    <message>
        <source>Mentions</source>
        <translation>Menciones</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nombre</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Tipo</translation>
    </message>
</context>
<context>
    <name>NameTable</name>
    <message>
        <source>Names in the graph</source>
        <translation>Nombres del grafo</translation>
    </message>
</context>
<context>
    <name>NewAgentForm</name>
    <message>
        <source>Add</source>
        <translation>Añadir</translation>
    </message>
    <message>
        <source>Add an agent</source>
        <translation>Añadir un agente</translation>
    </message>
    <message>
        <source>An agent is a program that you let use your memories. It gets a token, with which it shows who it is.</source>
        <translation>Un agente es un programa al que dejas usar tus recuerdos. Recibe un token con el que muestra quién es.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copiar</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Terminado</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nombre</translation>
    </message>
    <message>
        <source>Put it into the variable KEEPSAKE_TOKEN of the program. It is not shown again.</source>
        <translation>Ponlo en la variable KEEPSAKE_TOKEN del programa. No se muestra de nuevo.</translation>
    </message>
    <message>
        <source>Such as claude-code</source>
        <translation>Por ejemplo, claude-code</translation>
    </message>
    <message>
        <source>The token of {name}</source>
        <translation>El token de {name}</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Trust</source>
        <translation>Confianza</translation>
    </message>
    <message>
        <source>What it writes waits in the inbox until you accept it</source>
        <translation>Lo que escribe espera en la bandeja de entrada hasta que lo aceptes</translation>
    </message>
</context>
<context>
    <name>NewNotes</name>
    <message>
        <source>Began ‘{title}’ from its template</source>
        <translation>Se empezó «{title}» con su plantilla</translation>
    </message>
    <message>
        <source>New daily notes begin with this template</source>
        <translation>Las notas diarias nuevas empiezan con esta plantilla</translation>
    </message>
    <message>
        <source>New note from a template</source>
        <translation>Nueva nota con plantilla</translation>
    </message>
    <message>
        <source>There are no templates yet. Give a note the tag #template to make it one.</source>
        <translation>Aún no hay plantillas. Pon a una nota la etiqueta #template para que lo sea.</translation>
    </message>
    <message>
        <source>Title:</source>
        <translation>Título:</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Sin título</translation>
    </message>
    <message>
        <source>{title} (daily note)</source>
        <translation>{title} (nota diaria)</translation>
    </message>
</context>
<context>
    <name>NightPage</name>
    <message>
        <source>Details</source>
        <translation>Detalles</translation>
    </message>
    <message>
        <source>Details of {name}</source>
        <translation>Detalles de {name}</translation>
    </message>
    <message>
        <source>Keepsake did this by itself in the past day. You can take back any of it.</source>
        <translation>Keepsake hizo esto por su cuenta en el último día. Puedes deshacer cualquiera de estas cosas.</translation>
    </message>
    <message>
        <source>There is nothing left to undo.</source>
        <translation>No queda nada que deshacer.</translation>
    </message>
    <message>
        <source>Undid what one job did</source>
        <translation>Se deshizo lo que hizo una tarea</translation>
    </message>
    <message>
        <source>Undid what {n} jobs did</source>
        <translation>Se deshizo lo que hicieron {n} tareas</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Deshacer</translation>
    </message>
    <message>
        <source>Undo the night</source>
        <translation>Deshacer la noche</translation>
    </message>
    <message>
        <source>Undo {name}</source>
        <translation>Deshacer {name}</translation>
    </message>
    <message>
        <source>While you were away</source>
        <translation>Mientras no estabas</translation>
    </message>
    <message>
        <source>what changed since stays</source>
        <translation>lo que cambió desde entonces se queda</translation>
    </message>
</context>
<context>
    <name>NoteActions</name>
    <message>
        <source>Add tags…</source>
        <translation>Añadir etiquetas…</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Archivar</translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation>Copiar enlace</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Eliminar</translation>
    </message>
    <message>
        <source>Delete {count} notes</source>
        <translation>Eliminar {count} notas</translation>
    </message>
    <message>
        <source>Deleted {count} notes</source>
        <translation>{count} notas eliminadas</translation>
    </message>
    <message>
        <source>Deleted ‘{title}’</source>
        <translation>Se eliminó «{title}»</translation>
    </message>
    <message>
        <source>Merge into one</source>
        <translation>Fusionar en una</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Fijar</translation>
    </message>
    <message>
        <source>Pinned ‘{title}’</source>
        <translation>Se fijó «{title}»</translation>
    </message>
    <message>
        <source>Project…</source>
        <translation>Proyecto…</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Renombrar</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Restaurar</translation>
    </message>
    <message>
        <source>Restored {count}</source>
        <translation>{count} restauradas</translation>
    </message>
    <message>
        <source>Tagged 1 note</source>
        <translation>1 nota etiquetada</translation>
    </message>
    <message>
        <source>Tagged {n} notes</source>
        <translation>{n} notas etiquetadas</translation>
    </message>
    <message>
        <source>Tagged ‘{title}’</source>
        <translation>Se etiquetó «{title}»</translation>
    </message>
    <message>
        <source>Tags for {count} notes, separated by commas:</source>
        <translation>Etiquetas para {count} notas, separadas por comas:</translation>
    </message>
    <message>
        <source>Tags, separated by commas:</source>
        <translation>Etiquetas, separadas por comas:</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Desfijar</translation>
    </message>
    <message>
        <source>Unpinned ‘{title}’</source>
        <translation>Se desfijó «{title}»</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Sin título</translation>
    </message>
    <message>
        <source>Who may see it…</source>
        <translation>Quién puede verla…</translation>
    </message>
    <message>
        <source>Who may see them…</source>
        <translation>Quién puede verlas…</translation>
    </message>
    <message>
        <source>{count} notes selected</source>
        <translation>{count} notas seleccionadas</translation>
    </message>
</context>
<context>
    <name>NoteAttachments</name>
    <message>
        <source>Another note was opened before the link was written. Add it there: {link}</source>
        <translation>Se abrió otra nota antes de escribir el enlace. Añádelo allí: {link}</translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation>Adjuntar archivos</translation>
    </message>
    <message>
        <source>That picture has too many pixels to be attached. Make it smaller and try again.</source>
        <translation>Esa imagen tiene demasiados píxeles para adjuntarla. Hazla más pequeña y prueba de nuevo.</translation>
    </message>
    <message>
        <source>That picture is damaged, so it was not attached.</source>
        <translation>Esa imagen está dañada, así que no se adjuntó.</translation>
    </message>
    <message>
        <source>This note cannot be changed, so nothing can be attached to it.</source>
        <translation>Esta nota no se puede cambiar, así que no se le puede adjuntar nada.</translation>
    </message>
    <message>
        <source>{count} files are too many at once. Attach at most {most}, or import their folder.</source>
        <translation>{count} archivos a la vez son demasiados. Adjunta {most} como máximo, o importa su carpeta.</translation>
    </message>
    <message>
        <source>‘{name}’ was not attached. {why}</source>
        <translation>«{name}» no se adjuntó. {why}</translation>
    </message>
</context>
<context>
    <name>NoteEditing</name>
    <message>
        <source>No note is behind this link. It may have been deleted or not imported.</source>
        <translation>No hay ninguna nota tras este enlace. Quizá se eliminó o no se importó.</translation>
    </message>
    <message>
        <source>Renamed; the links in one other note follow.</source>
        <translation>Renombrada; los enlaces de otra nota la siguen.</translation>
    </message>
    <message>
        <source>Renamed; the links in {count} other notes follow.</source>
        <translation>Renombrada; los enlaces de otras {count} notas la siguen.</translation>
    </message>
</context>
<context>
    <name>NoteFacets</name>
    <message>
        <source>Clear</source>
        <translation>Borrar</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>Filtros</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Tipo</translation>
    </message>
    <message>
        <source>Marked</source>
        <translation>Marcado</translation>
    </message>
    <message>
        <source>People and things</source>
        <translation>Personas y cosas</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>Fijado</translation>
    </message>
    <message>
        <source>Save this filter</source>
        <translation>Guardar este filtro</translation>
    </message>
    <message>
        <source>Saved filters</source>
        <translation>Filtros guardados</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Origen</translation>
    </message>
    <message>
        <source>Store</source>
        <translation>Ámbito</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Etiquetas</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>Escrito</translation>
    </message>
    <message>
        <source>a name</source>
        <translation>un nombre</translation>
    </message>
</context>
<context>
    <name>NoteInspector</name>
    <message>
        <source>1 token</source>
        <translation>1 token</translation>
    </message>
    <message>
        <source>About</source>
        <translation>Acerca de</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Cambiado</translation>
    </message>
    <message>
        <source>Compare with this version</source>
        <translation>Comparar con esta versión</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>Confianza</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Archivos</translation>
    </message>
    <message>
        <source>Happened</source>
        <translation>Ocurrió</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Historial</translation>
    </message>
    <message>
        <source>Linked from</source>
        <translation>Enlazada desde</translation>
    </message>
    <message>
        <source>Links to</source>
        <translation>Enlaza a</translation>
    </message>
    <message>
        <source>Mentioned</source>
        <translation>Mencionado</translation>
    </message>
    <message>
        <source>Open its conversation</source>
        <translation>Abrir su conversación</translation>
    </message>
    <message>
        <source>People</source>
        <translation>Personas</translation>
    </message>
    <message>
        <source>Point</source>
        <translation>Punto</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Proyecto</translation>
    </message>
    <message>
        <source>Said</source>
        <translation>Dicho</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Tamaño</translation>
    </message>
    <message>
        <source>Store</source>
        <translation>Ámbito</translation>
    </message>
    <message>
        <source>Stored by</source>
        <translation>Guardado por</translation>
    </message>
    <message>
        <source>The category of the fact</source>
        <translation>La categoría del hecho</translation>
    </message>
    <message>
        <source>The key of the fact: what in its topic it is about</source>
        <translation>La clave del hecho: de qué trata dentro de su tema</translation>
    </message>
    <message>
        <source>The type of the observation</source>
        <translation>El tipo de la observación</translation>
    </message>
    <message>
        <source>Tokens: the pieces of words in which language models count a text</source>
        <translation>Tokens: los fragmentos de palabra con que los modelos de lenguaje miden un texto</translation>
    </message>
    <message>
        <source>Topic</source>
        <translation>Tema</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Sin título</translation>
    </message>
    <message>
        <source>What it is</source>
        <translation>Qué es</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>Escrito</translation>
    </message>
    <message>
        <source>{n} tokens</source>
        <translation>{n} tokens</translation>
    </message>
    <message>
        <source>{title} (not written yet)</source>
        <translation>{title} (aún sin escribir)</translation>
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
        <translation>Por título</translation>
    </message>
    <message>
        <source>Filter by words</source>
        <translation>Filtrar</translation>
    </message>
    <message>
        <source>Filter notes</source>
        <translation>Filtrar notas</translation>
    </message>
    <message>
        <source>Last changed first</source>
        <translation>Las últimas cambiadas primero</translation>
    </message>
    <message>
        <source>Longest unchanged first</source>
        <translation>Las que llevan más sin cambios primero</translation>
    </message>
    <message>
        <source>New note</source>
        <translation>Nueva nota</translation>
    </message>
    <message>
        <source>Newest first</source>
        <translation>Las más nuevas primero</translation>
    </message>
    <message>
        <source>No note fits this filter.</source>
        <translation>Ninguna nota encaja con este filtro.</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notas</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Orden</translation>
    </message>
    <message>
        <source>Show deleted notes</source>
        <translation>Mostrar notas eliminadas</translation>
    </message>
    <message>
        <source>Show or hide the filters</source>
        <translation>Mostrar u ocultar los filtros</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Sin título</translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>fijada</translation>
    </message>
</context>
<context>
    <name>NoteOrganising</name>
    <message>
        <source>New note from this</source>
        <translation>Nueva nota a partir de esta</translation>
    </message>
    <message>
        <source>Use for the daily note</source>
        <translation>Usar para la nota diaria</translation>
    </message>
</context>
<context>
    <name>NotesPane</name>
    <message>
        <source>Add a tag</source>
        <translation>Añadir una etiqueta</translation>
    </message>
    <message>
        <source>Attach a file…</source>
        <translation>Adjuntar un archivo…</translation>
    </message>
    <message>
        <source>Calendar of days</source>
        <translation>Calendario de días</translation>
    </message>
    <message>
        <source>Choose a note</source>
        <translation>Elige una nota</translation>
    </message>
    <message>
        <source>Ctrl+N begins a note, Ctrl+D opens today&apos;s.</source>
        <translation>Ctrl+N empieza una nota, Ctrl+D abre la de hoy.</translation>
    </message>
    <message>
        <source>Delete note</source>
        <translation>Eliminar nota</translation>
    </message>
    <message>
        <source>Empty the trash</source>
        <translation>Vaciar la papelera</translation>
    </message>
    <message>
        <source>Filter notes</source>
        <translation>Filtrar notas</translation>
    </message>
    <message>
        <source>Fold or unfold this section</source>
        <translation>Plegar o desplegar esta sección</translation>
    </message>
    <message>
        <source>Its text, its links and its history appear here.</source>
        <translation>Su texto, sus enlaces y su historial aparecen aquí.</translation>
    </message>
    <message>
        <source>Merge the selected notes</source>
        <translation>Fusionar las notas seleccionadas</translation>
    </message>
    <message>
        <source>New note</source>
        <translation>Nueva nota</translation>
    </message>
    <message>
        <source>New note from a template</source>
        <translation>Nueva nota con plantilla</translation>
    </message>
    <message>
        <source>New note. It is kept once you write something.</source>
        <translation>Nueva nota. Se guarda en cuanto escribas algo.</translation>
    </message>
    <message>
        <source>Next marked word</source>
        <translation>Siguiente palabra marcada</translation>
    </message>
    <message>
        <source>No notes yet</source>
        <translation>Aún no hay notas</translation>
    </message>
    <message>
        <source>Notes you delete wait here until you restore them.</source>
        <translation>Las notas que eliminas esperan aquí hasta que las restaures.</translation>
    </message>
    <message>
        <source>Pin or unpin</source>
        <translation>Fijar o desfijar</translation>
    </message>
    <message>
        <source>Previous marked word</source>
        <translation>Palabra marcada anterior</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Leer</translation>
    </message>
    <message>
        <source>Save this filter</source>
        <translation>Guardar este filtro</translation>
    </message>
    <message>
        <source>Show deleted notes</source>
        <translation>Mostrar notas eliminadas</translation>
    </message>
    <message>
        <source>Show or hide the filters</source>
        <translation>Mostrar u ocultar los filtros</translation>
    </message>
    <message>
        <source>The earlier version is restored. What was there before is in the history.</source>
        <translation>La versión anterior está restaurada. Lo que había antes está en el historial.</translation>
    </message>
    <message>
        <source>The trash is empty</source>
        <translation>La papelera está vacía</translation>
    </message>
    <message>
        <source>There is no heading above the cursor.</source>
        <translation>No hay ningún encabezado sobre el cursor.</translation>
    </message>
    <message>
        <source>Today&apos;s note</source>
        <translation>La nota de hoy</translation>
    </message>
    <message>
        <source>Unfold all sections</source>
        <translation>Desplegar todas las secciones</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>Escribir</translation>
    </message>
    <message>
        <source>Write a note</source>
        <translation>Escribir una nota</translation>
    </message>
    <message>
        <source>Write and preview</source>
        <translation>Escritura y vista previa</translation>
    </message>
    <message>
        <source>Write the first one, or import a folder of Markdown files. What agents learn about you appears here too, for you to read, correct and delete.</source>
        <translation>Escribe la primera, o importa una carpeta de archivos Markdown. Lo que los agentes aprenden de ti también aparece aquí, para que lo leas, corrijas y elimines.</translation>
    </message>
</context>
<context>
    <name>OnThisDay</name>
    <message>
        <source>A month ago</source>
        <translation>Hace un mes</translation>
    </message>
    <message>
        <source>A year ago</source>
        <translation>Hace un año</translation>
    </message>
    <message>
        <source>On this day</source>
        <translation>Tal día como hoy</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Sin título</translation>
    </message>
    <message>
        <source>{ago}: {title}</source>
        <translation>{ago}: {title}</translation>
    </message>
    <message>
        <source>{n} months ago</source>
        <translation>Hace {n} meses</translation>
    </message>
    <message>
        <source>{n} years ago</source>
        <translation>Hace {n} años</translation>
    </message>
</context>
<context>
    <name>OpeningAdviser</name>
    <message>
        <source>A change to your memories was cut off, and taking it back needs a folder that can be changed. Free some space, or copy the folder to another place and open it there.</source>
        <translation>Un cambio en tus recuerdos quedó interrumpido, y para deshacerlo hace falta una carpeta que se pueda cambiar. Libera espacio, o copia la carpeta a otro lugar y ábrela allí.</translation>
    </message>
    <message>
        <source>A model that your settings name is not on this computer. Safe mode starts without it.</source>
        <translation>Un modelo que nombran tus ajustes no está en este equipo. El modo seguro se inicia sin él.</translation>
    </message>
    <message>
        <source>Another Keepsake (process {number}) has your memories open and does not answer. Close it, then try again.</source>
        <translation>Otro Keepsake (proceso {number}) tiene abiertos tus recuerdos y no responde. Ciérralo y prueba de nuevo.</translation>
    </message>
    <message>
        <source>Another Keepsake has your memories open and does not answer. Close it, then try again.</source>
        <translation>Otro Keepsake tiene abiertos tus recuerdos y no responde. Ciérralo y prueba de nuevo.</translation>
    </message>
    <message>
        <source>Keepsake may not open or change {place}: your account lacks the permission, or the disk cannot be written. Give your account access, then try again, or copy the folder to another place.</source>
        <translation>Keepsake no puede abrir ni cambiar {place}: tu cuenta no tiene permiso, o el disco no se puede escribir. Da acceso a tu cuenta y prueba de nuevo, o copia la carpeta a otro lugar.</translation>
    </message>
    <message>
        <source>Memories were being rescued into {folder}, and that did not finish. Rescue them again, or delete it.</source>
        <translation>Se estaban rescatando recuerdos en {folder} y no se terminó. Rescátalos de nuevo, o elimina la carpeta.</translation>
    </message>
    <message>
        <source>Reading your memories took too long. Try again, or check the file that holds them.</source>
        <translation>Leer tus recuerdos tardó demasiado. Prueba de nuevo, o comprueba el archivo que los contiene.</translation>
    </message>
    <message>
        <source>The backup that was to be restored is damaged, so nothing was replaced. It was put aside as {name}.</source>
        <translation>La copia que se iba a restaurar está dañada, así que no se reemplazó nada. Se apartó como {name}.</translation>
    </message>
    <message>
        <source>The disk with your memories is full. Free some space, then try again. Nothing that was saved is lost.</source>
        <translation>El disco con tus recuerdos está lleno. Libera espacio y prueba de nuevo. Nada de lo guardado se ha perdido.</translation>
    </message>
    <message>
        <source>The file encryption.json of your memories was changed, and not by Keepsake, so nothing was opened. Put a copy in its place that Keepsake wrote: one lies in the folder backups.</source>
        <translation>El archivo encryption.json de tus recuerdos fue modificado, y no por Keepsake, así que no se abrió nada. Pon en su lugar una copia escrita por Keepsake: hay una en la carpeta backups.</translation>
    </message>
    <message>
        <source>The file encryption.json, which holds the key of your memories, is missing, damaged or of other memories. Nothing was changed. Bring it back from a copy of the folder.</source>
        <translation>El archivo encryption.json, que contiene la clave de tus recuerdos, falta, está dañado o es de otros recuerdos. No se cambió nada. Recupéralo de una copia de la carpeta.</translation>
    </message>
    <message>
        <source>The file that holds your memories is damaged. Nothing was changed in it.</source>
        <translation>El archivo que contiene tus recuerdos está dañado. No se cambió nada en él.</translation>
    </message>
    <message>
        <source>The file with your memories is missing or empty in {folder}, although it was in use before.</source>
        <translation>El archivo con tus recuerdos falta o está vacío en {folder}, aunque ya se usaba.</translation>
    </message>
    <message>
        <source>The folder of your memories</source>
        <translation>La carpeta de tus recuerdos</translation>
    </message>
    <message>
        <source>The keyring of your desktop does not answer. Unlock it, then try again, or start in safe mode.</source>
        <translation>El llavero de tu escritorio no responde. Desbloquéalo y prueba de nuevo, o inicia en modo seguro.</translation>
    </message>
    <message>
        <source>Your desktop has no keyring for the keys that your settings name. Safe mode starts without them.</source>
        <translation>Tu escritorio no tiene llavero para las claves que nombran tus ajustes. El modo seguro se inicia sin ellas.</translation>
    </message>
    <message>
        <source>Your memories are encrypted, and this installation of Keepsake cannot open them. The help on encryption says how to install one that can.</source>
        <translation>Tus recuerdos están cifrados y esta instalación de Keepsake no puede abrirlos. La ayuda sobre cifrado explica cómo instalar una que pueda.</translation>
    </message>
    <message>
        <source>Your memories are encrypted. Type the passphrase to open them.</source>
        <translation>Tus recuerdos están cifrados. Escribe la frase de contraseña para abrirlos.</translation>
    </message>
    <message>
        <source>Your memories are from an older Keepsake and have to be brought up to date. That needs free space and a folder that can be changed: copy the folder to such a place, then open it there.</source>
        <translation>Tus recuerdos son de un Keepsake más antiguo y hay que actualizarlos. Eso necesita espacio libre y una carpeta que se pueda cambiar: copia la carpeta a un lugar así y ábrela allí.</translation>
    </message>
    <message>
        <source>Your memories could not be brought up to date for this version of Keepsake. Nothing was changed. What they hold can be rescued into a new folder.</source>
        <translation>Tus recuerdos no se pudieron actualizar a esta versión de Keepsake. No se cambió nada. Su contenido se puede rescatar en una carpeta nueva.</translation>
    </message>
    <message>
        <source>Your memories could not be read from the disk. Try again; if that does not help, check the file.</source>
        <translation>Tus recuerdos no se pudieron leer del disco. Prueba de nuevo; si no ayuda, comprueba el archivo.</translation>
    </message>
    <message>
        <source>Your memories were last opened by a newer Keepsake. Update Keepsake to open them.</source>
        <translation>Tus recuerdos se abrieron por última vez con un Keepsake más nuevo. Actualiza Keepsake para abrirlos.</translation>
    </message>
    <message>
        <source>{place} cannot be opened. Check that it is there and that it is yours, then try again.</source>
        <translation>{place} no se puede abrir. Comprueba que está ahí y que es tuyo, y prueba de nuevo.</translation>
    </message>
    <message>
        <source>{place} holds the data of another program. Nothing was changed in it.</source>
        <translation>{place} contiene datos de otro programa. No se cambió nada en él.</translation>
    </message>
    <message>
        <source>{place} is a file. Your memories are kept in a folder; open that instead.</source>
        <translation>{place} es un archivo. Tus recuerdos se guardan en una carpeta; abre esa carpeta.</translation>
    </message>
    <message>
        <source>{place} is not encrypted, and your memories are: another program has put it there. Nothing was read from it or written to it. Move it out of the folder, then restore a backup or open another vault.</source>
        <translation>{place} no está cifrado y tus recuerdos sí: otro programa lo puso ahí. No se leyó nada de él ni se escribió nada en él. Sácalo de la carpeta y después restaura una copia de seguridad o abre otra bóveda.</translation>
    </message>
</context>
<context>
    <name>OutlineSection</name>
    <message>
        <source>Outline</source>
        <translation>Esquema</translation>
    </message>
</context>
<context>
    <name>Palette</name>
    <message>
        <source>Command or title</source>
        <translation>Comando o título</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>Conversación</translation>
    </message>
    <message>
        <source>Create note ‘{text}’</source>
        <translation>Crear la nota «{text}»</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nombre</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Nota</translation>
    </message>
    <message>
        <source>Organization</source>
        <translation>Organización</translation>
    </message>
    <message>
        <source>Person</source>
        <translation>Persona</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Lugar</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Proyecto</translation>
    </message>
    <message>
        <source>Search everything for ‘{text}’</source>
        <translation>Buscar «{text}» en todo</translation>
    </message>
    <message>
        <source>Search or jump to a note or conversation…</source>
        <translation>Busca o salta a una nota o conversación…</translation>
    </message>
    <message>
        <source>Suggestions</source>
        <translation>Sugerencias</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Etiqueta</translation>
    </message>
    <message>
        <source>Type a command, title, tag or name…</source>
        <translation>Escribe un comando, título, etiqueta o nombre…</translation>
    </message>
    <message>
        <source>↑ ↓ choose   ·   Enter open   ·   Esc close</source>
        <translation>↑ ↓ elegir   ·   Intro abrir   ·   Esc cerrar</translation>
    </message>
</context>
<context>
    <name>Panes</name>
    <message>
        <source>Agents</source>
        <translation>Agentes</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Grafo</translation>
    </message>
    <message>
        <source>Inbox</source>
        <translation>Bandeja</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notas</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Programación</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Buscar</translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation>Conversaciones</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Estado</translation>
    </message>
</context>
<context>
    <name>Passphrase</name>
    <message>
        <source>At least {n} characters; several words are better than one.</source>
        <translation>Al menos {n} caracteres; varias palabras son mejores que una.</translation>
    </message>
    <message>
        <source>It must not begin or end with a space.</source>
        <translation>No debe empezar ni terminar con un espacio.</translation>
    </message>
    <message>
        <source>The two differ.</source>
        <translation>Las dos son distintas.</translation>
    </message>
    <message>
        <source>This is one of the first that anyone tries. Choose several words.</source>
        <translation>Es una de las primeras que prueba cualquiera. Elige varias palabras.</translation>
    </message>
    <message>
        <source>This is too long, or has characters that cannot be typed.</source>
        <translation>Es demasiado larga o tiene caracteres que no se pueden escribir.</translation>
    </message>
</context>
<context>
    <name>PassphraseField</name>
    <message>
        <source>Hide the passphrase</source>
        <translation>Ocultar la frase de contraseña</translation>
    </message>
    <message>
        <source>Show the passphrase</source>
        <translation>Mostrar la frase de contraseña</translation>
    </message>
</context>
<context>
    <name>PathRow</name>
    <message>
        <source>Choose…</source>
        <translation>Elegir…</translation>
    </message>
</context>
<context>
    <name>PictureCache</name>
    <message>
        <source>it leads out of the attachments folder</source>
        <translation>lleva fuera de la carpeta de adjuntos</translation>
    </message>
    <message>
        <source>the file is not there</source>
        <translation>el archivo no está</translation>
    </message>
    <message>
        <source>the picture is damaged</source>
        <translation>la imagen está dañada</translation>
    </message>
    <message>
        <source>the picture is too large to be shown</source>
        <translation>la imagen es demasiado grande para mostrarla</translation>
    </message>
    <message>
        <source>this note has too many large pictures to show them all</source>
        <translation>esta nota tiene demasiadas imágenes grandes para mostrarlas todas</translation>
    </message>
</context>
<context>
    <name>PrepareForm</name>
    <message>
        <source>Choose its folder…</source>
        <translation>Elegir su carpeta…</translation>
    </message>
    <message>
        <source>Fetch it and try again</source>
        <translation>Descargarlo y probar de nuevo</translation>
    </message>
    <message>
        <source>Fetching lets Keepsake get the files of models from the network. No text of yours is sent.</source>
        <translation>Esto deja a Keepsake descargar de la red los archivos de modelos. No se envía ningún texto tuyo.</translation>
    </message>
    <message>
        <source>Fetching {model} was stopped. What came of it is kept; prepare it again to go on.</source>
        <translation>La descarga de {model} se detuvo. Lo que llegó se conserva; prepáralo de nuevo para seguir.</translation>
    </message>
    <message>
        <source>Folder of {model}</source>
        <translation>Carpeta de {model}</translation>
    </message>
    <message>
        <source>For English, the built-in model is the best choice measured so far: in conversations, all-MiniLM-L6-v2 found 84.4 % of what was sought among ten results, the built-in model 85.8 %, and it is faster. A larger model helped with scientific documents (0.741 against 0.707, NDCG@10) and may help with other languages.</source>
        <translation>Para el inglés, el modelo incluido es la mejor opción medida hasta ahora: en conversaciones, all-MiniLM-L6-v2 encontró el 84,4 % de lo buscado entre diez resultados, el modelo incluido el 85,8 %, y es más rápido. Un modelo mayor ayudó con documentos científicos (0,741 frente a 0,707, NDCG@10) y puede ayudar con otros idiomas.</translation>
    </message>
    <message>
        <source>Its vectors are made in the background while the old model answers; the old ones are kept for a week after the switch. A service on the network gets to see what is searched for and what is not private.</source>
        <translation>Sus vectores se hacen en segundo plano mientras responde el modelo antiguo; los antiguos se conservan una semana tras el cambio. Un servicio en la red llega a ver lo que se busca y lo que no es privado.</translation>
    </message>
    <message>
        <source>Let me compare before it answers</source>
        <translation>Dejarme comparar antes de que responda</translation>
    </message>
    <message>
        <source>Name of a model, such as static or openai:text-embedding-3-small</source>
        <translation>Nombre de un modelo, como static u openai:text-embedding-3-small</translation>
    </message>
    <message>
        <source>Name of the model to prepare</source>
        <translation>Nombre del modelo que preparar</translation>
    </message>
    <message>
        <source>Opening {model}…</source>
        <translation>Abriendo {model}…</translation>
    </message>
    <message>
        <source>Prepare</source>
        <translation>Preparar</translation>
    </message>
    <message>
        <source>Prepare another model</source>
        <translation>Preparar otro modelo</translation>
    </message>
    <message>
        <source>Progress of opening the model</source>
        <translation>Progreso al abrir el modelo</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Detener</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Deteniendo…</translation>
    </message>
</context>
<context>
    <name>Program</name>
    <message>
        <source>A machine asks to come in</source>
        <translation>Un equipo pide entrar</translation>
    </message>
    <message>
        <source>Connected again. What you typed is being saved.</source>
        <translation>Conectado de nuevo. Lo que escribiste se está guardando.</translation>
    </message>
    <message>
        <source>Keepsake now runs in this window. What you typed is being saved.</source>
        <translation>Keepsake funciona ahora en esta ventana. Lo que escribiste se está guardando.</translation>
    </message>
    <message>
        <source>Kept as a note.</source>
        <translation>Guardado como nota.</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Guardado</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Programación</translation>
    </message>
    <message>
        <source>The Keepsake that had your memories open has ended. This window is opening them itself; what you type meanwhile is kept and saved then.</source>
        <translation>El Keepsake que tenía abiertos tus recuerdos ha terminado. Esta ventana los abre por sí misma; lo que escribas mientras tanto se conserva y se guarda después.</translation>
    </message>
    <message>
        <source>The sample vault could not be opened.</source>
        <translation>La bóveda de ejemplo no se pudo abrir.</translation>
    </message>
    <message>
        <source>Your memories cannot be opened yet: {reason} What you typed is kept here; trying again.</source>
        <translation>Tus recuerdos aún no se pueden abrir: {reason} Lo que escribiste se conserva aquí; se sigue intentando.</translation>
    </message>
</context>
<context>
    <name>ProjectField</name>
    <message>
        <source>It is in no project now</source>
        <translation>Ahora no pertenece a ningún proyecto</translation>
    </message>
    <message>
        <source>It is in the project ‘{title}’ now</source>
        <translation>Ahora pertenece al proyecto «{title}»</translation>
    </message>
    <message>
        <source>Known projects</source>
        <translation>Proyectos conocidos</translation>
    </message>
    <message>
        <source>No project</source>
        <translation>Sin proyecto</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Proyecto</translation>
    </message>
</context>
<context>
    <name>ProposalList</name>
    <message>
        <source>Contradiction</source>
        <translation>Contradicción</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Ninguno</translation>
    </message>
    <message>
        <source>Proposals</source>
        <translation>Propuestas</translation>
    </message>
    <message>
        <source>Proposals shown</source>
        <translation>Propuestas mostradas</translation>
    </message>
    <message>
        <source>While you were away</source>
        <translation>Mientras no estabas</translation>
    </message>
</context>
<context>
    <name>ProposalPage</name>
    <message>
        <source>Accept</source>
        <translation>Aceptar</translation>
    </message>
    <message>
        <source>Accept as edited</source>
        <translation>Aceptar con cambios</translation>
    </message>
    <message>
        <source>Always accept from {agent}: {kind}</source>
        <translation>Aceptar siempre de {agent}: {kind}</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Edit first</source>
        <translation>Editar primero</translation>
    </message>
    <message>
        <source>It expires on {when}.</source>
        <translation>Caduca el {when}.</translation>
    </message>
    <message>
        <source>Its reason: {reason}</source>
        <translation>Su motivo: {reason}</translation>
    </message>
    <message>
        <source>Keep both</source>
        <translation>Conservar ambos</translation>
    </message>
    <message>
        <source>Keepsake</source>
        <translation>Keepsake</translation>
    </message>
    <message>
        <source>Never accept from {agent}: {kind}</source>
        <translation>No aceptar nunca de {agent}: {kind}</translation>
    </message>
    <message>
        <source>Reject</source>
        <translation>Rechazar</translation>
    </message>
    <message>
        <source>This touches something that you pinned or confirmed: what you know is at the left.</source>
        <translation>Esto toca algo que fijaste o confirmaste: lo que sabes está a la izquierda.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Deshacer</translation>
    </message>
    <message>
        <source>What this would change was changed since. Look at it again before you accept.</source>
        <translation>Lo que esto cambiaría ha cambiado desde entonces. Míralo de nuevo antes de aceptar.</translation>
    </message>
    <message>
        <source>Your reason: {note}</source>
        <translation>Tu motivo: {note}</translation>
    </message>
    <message>
        <source>{agent} proposed this on {when}.</source>
        <translation>{agent} lo propuso el {when}.</translation>
    </message>
    <message>
        <source>… and 1 more change</source>
        <translation>… y 1 cambio más</translation>
    </message>
    <message>
        <source>… and {n} more changes</source>
        <translation>… y {n} cambios más</translation>
    </message>
</context>
<context>
    <name>QueryChips</name>
    <message>
        <source>about</source>
        <translation>sobre</translation>
    </message>
    <message>
        <source>agent</source>
        <translation>agente</translation>
    </message>
    <message>
        <source>before {day}</source>
        <translation>antes del {day}</translation>
    </message>
    <message>
        <source>conversation</source>
        <translation>conversación</translation>
    </message>
    <message>
        <source>file</source>
        <translation>archivo</translation>
    </message>
    <message>
        <source>from {day}</source>
        <translation>desde el {day}</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>tipo</translation>
    </message>
    <message>
        <source>not {name}: {value}</source>
        <translation>no {name}: {value}</translation>
    </message>
    <message>
        <source>not {word}</source>
        <translation>no {word}</translation>
    </message>
    <message>
        <source>project</source>
        <translation>proyecto</translation>
    </message>
    <message>
        <source>said by</source>
        <translation>dicho por</translation>
    </message>
    <message>
        <source>state</source>
        <translation>estado</translation>
    </message>
    <message>
        <source>store</source>
        <translation>ámbito</translation>
    </message>
    <message>
        <source>tag</source>
        <translation>etiqueta</translation>
    </message>
    <message>
        <source>type</source>
        <translation>tipo</translation>
    </message>
    <message>
        <source>{word}… (any ending)</source>
        <translation>{word}… (cualquier final)</translation>
    </message>
</context>
<context>
    <name>QuickCapture</name>
    <message>
        <source>Captured a note</source>
        <translation>Nota capturada</translation>
    </message>
    <message>
        <source>Enter saves  ·  Ctrl+Enter new line  ·  Esc hides and keeps the text</source>
        <translation>Intro guarda  ·  Ctrl+Intro línea nueva  ·  Esc oculta y conserva el texto</translation>
    </message>
    <message>
        <source>Quick capture</source>
        <translation>Captura rápida</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Guardar</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Guardado</translation>
    </message>
    <message>
        <source>What do you want to remember?</source>
        <translation>¿Qué quieres recordar?</translation>
    </message>
    <message>
        <source>What to remember</source>
        <translation>Lo que hay que recordar</translation>
    </message>
</context>
<context>
    <name>QuickControls</name>
    <message>
        <source>Incognito for 1 hour</source>
        <translation>Incógnito durante 1 hora</translation>
    </message>
    <message>
        <source>Incognito: no agent reads or records</source>
        <translation>Incógnito: ningún agente lee ni guarda</translation>
    </message>
    <message>
        <source>Not all of what can be run or paused is shown. {reason}</source>
        <translation>No se muestra todo lo que se puede ejecutar o pausar. {reason}</translation>
    </message>
    <message>
        <source>Pause for 1 hour</source>
        <translation>Pausar durante 1 hora</translation>
    </message>
    <message>
        <source>Pause until I resume</source>
        <translation>Pausar hasta que yo reanude</translation>
    </message>
    <message>
        <source>Pause until tomorrow</source>
        <translation>Pausar hasta mañana</translation>
    </message>
    <message>
        <source>Resume scheduled work</source>
        <translation>Reanudar el trabajo programado</translation>
    </message>
    <message>
        <source>Run now: {name}</source>
        <translation>Ejecutar ahora: {name}</translation>
    </message>
    <message>
        <source>Scheduled work goes on</source>
        <translation>El trabajo programado sigue</translation>
    </message>
    <message>
        <source>Scheduled work is paused for 1 hour</source>
        <translation>El trabajo programado está en pausa 1 hora</translation>
    </message>
    <message>
        <source>Scheduled work is paused until tomorrow</source>
        <translation>El trabajo programado está en pausa hasta mañana</translation>
    </message>
    <message>
        <source>Scheduled work is paused until you resume it</source>
        <translation>El trabajo programado está en pausa hasta que lo reanudes</translation>
    </message>
    <message>
        <source>Undo the night: what jobs did in the past day</source>
        <translation>Deshacer la noche: lo que hicieron las tareas en el último día</translation>
    </message>
    <message>
        <source>private agents reading recording stop</source>
        <translation>privado agentes leer guardar detener</translation>
    </message>
    <message>
        <source>upkeep consolidation decay take back last night</source>
        <translation>mantenimiento consolidación desvanecimiento retirar anoche</translation>
    </message>
    <message>
        <source>{name} goes on</source>
        <translation>{name} sigue</translation>
    </message>
    <message>
        <source>{name} is paused</source>
        <translation>{name} está en pausa</translation>
    </message>
    <message>
        <source>‘{name}’ runs</source>
        <translation>«{name}» se está ejecutando</translation>
    </message>
</context>
<context>
    <name>ReadingPane</name>
    <message>
        <source>Add tags</source>
        <translation>Añadir etiquetas</translation>
    </message>
    <message>
        <source>No note is called ‘{title}’ yet.</source>
        <translation>Aún no hay ninguna nota llamada «{title}».</translation>
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
        <translation>Todo lo que se puede escribir</translation>
    </message>
    <message>
        <source>For example</source>
        <translation>Por ejemplo</translation>
    </message>
    <message>
        <source>Recent searches</source>
        <translation>Búsquedas recientes</translation>
    </message>
    <message>
        <source>Saved searches</source>
        <translation>Búsquedas guardadas</translation>
    </message>
    <message>
        <source>a question in your own words</source>
        <translation>una pregunta con tus propias palabras</translation>
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
        <translation>las notas más nuevas desde entonces</translation>
    </message>
    <message>
        <source>these words side by side, in what has the tag</source>
        <translation>estas palabras juntas, en lo que tiene la etiqueta</translation>
    </message>
    <message>
        <source>what you said of plan, plans, planning… but not of weather</source>
        <translation>lo que dijiste de plan, plans, planning… pero no de weather</translation>
    </message>
    <message>
        <source>when did we talk about the lake</source>
        <translation>cuándo hablamos del lago</translation>
    </message>
</context>
<context>
    <name>RelateForm</name>
    <message>
        <source>Relate</source>
        <translation>Relacionar</translation>
    </message>
    <message>
        <source>Related to</source>
        <translation>Relacionado con</translation>
    </message>
    <message>
        <source>Say how ‘{name}’ is related to another name, such as ‘works at’.</source>
        <translation>Di cómo se relaciona «{name}» con otro nombre, como «trabaja en».</translation>
    </message>
    <message>
        <source>To whom or what…</source>
        <translation>Con quién o qué…</translation>
    </message>
    <message>
        <source>What joins them</source>
        <translation>Qué los une</translation>
    </message>
    <message>
        <source>works at, lives in, sister of…</source>
        <translation>trabaja en, vive en, hermana de…</translation>
    </message>
</context>
<context>
    <name>RenameForm</name>
    <message>
        <source>Name</source>
        <translation>Nombre</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Renombrar</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Resumen</translation>
    </message>
    <message>
        <source>The old name stays an alias, so that texts still find it.</source>
        <translation>El nombre antiguo queda como alias, para que los textos aún lo encuentren.</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Tipo</translation>
    </message>
    <message>
        <source>Who or what it is, in a sentence</source>
        <translation>Quién o qué es, en una frase</translation>
    </message>
</context>
<context>
    <name>Report</name>
    <message>
        <source> (repaired)</source>
        <translation> (reparado)</translation>
    </message>
    <message>
        <source>1 attachment</source>
        <translation>1 adjunto</translation>
    </message>
    <message>
        <source>1 conversation</source>
        <translation>1 conversación</translation>
    </message>
    <message>
        <source>1 conversation or note is there already</source>
        <translation>1 conversación o nota ya está</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 mensaje</translation>
    </message>
    <message>
        <source>1 note</source>
        <translation>1 nota</translation>
    </message>
    <message>
        <source>1 of {all} lines, messages or files in it is left out</source>
        <translation>Se omite 1 de {all} líneas, mensajes o archivos</translation>
    </message>
    <message>
        <source>1 problem, listed below; everything else went in.</source>
        <translation>1 problema, indicado abajo; todo lo demás se importó.</translation>
    </message>
    <message>
        <source>1 problem:</source>
        <translation>1 problema:</translation>
    </message>
    <message>
        <source>At least {made}</source>
        <translation>Al menos {made}</translation>
    </message>
    <message>
        <source>For {name}</source>
        <translation>Para {name}</translation>
    </message>
    <message>
        <source>Good to know:</source>
        <translation>Conviene saber:</translation>
    </message>
    <message>
        <source>Imported</source>
        <translation>Importado</translation>
    </message>
    <message>
        <source>It can be imported until {day}.</source>
        <translation>Se puede importar hasta el {day}.</translation>
    </message>
    <message>
        <source>It says that it is from {name}.</source>
        <translation>Dice ser de {name}.</translation>
    </message>
    <message>
        <source>Key: {key}</source>
        <translation>Clave: {key}</translation>
    </message>
    <message>
        <source>Leave out 1 text that looks as if it held a key or a password</source>
        <translation>Dejar fuera 1 texto que parece contener una clave o contraseña</translation>
    </message>
    <message>
        <source>Leave out {n} texts that look as if they held a key or a password</source>
        <translation>Dejar fuera {n} textos que parecen contener una clave o contraseña</translation>
    </message>
    <message>
        <source>Nothing new</source>
        <translation>Nada nuevo</translation>
    </message>
    <message>
        <source>Several kinds of exports</source>
        <translation>Exportaciones de varios tipos</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Detenida</translation>
    </message>
    <message>
        <source>Type its passphrase to see what it holds.</source>
        <translation>Escribe su frase de contraseña para ver qué contiene.</translation>
    </message>
    <message>
        <source>What was imported so far stays. Import it again to continue.</source>
        <translation>Lo importado hasta ahora se queda. Impórtalo de nuevo para continuar.</translation>
    </message>
    <message>
        <source>You have imported nothing with this key so far, and anybody can write that name. Ask the sender for their key in another way, such as by telephone, and compare it with the one above.</source>
        <translation>Hasta ahora no has importado nada con esta clave, y cualquiera puede escribir ese nombre. Pide al remitente su clave por otro medio, por ejemplo por teléfono, y compárala con la de arriba.</translation>
    </message>
    <message>
        <source>You know this key since {day}, as that of {name}.</source>
        <translation>Conoces esta clave desde el {day}, como la de {name}.</translation>
    </message>
    <message>
        <source>You made it yourself.</source>
        <translation>La creaste tú.</translation>
    </message>
    <message>
        <source>in {span}</source>
        <translation>en {span}</translation>
    </message>
    <message>
        <source>somebody without a name</source>
        <translation>alguien sin nombre</translation>
    </message>
    <message>
        <source>{n} attachments</source>
        <translation>{n} adjuntos</translation>
    </message>
    <message>
        <source>{n} conversations</source>
        <translation>{n} conversaciones</translation>
    </message>
    <message>
        <source>{n} conversations and notes are there already</source>
        <translation>{n} conversaciones y notas ya están</translation>
    </message>
    <message>
        <source>{n} files</source>
        <translation>{n} archivos</translation>
    </message>
    <message>
        <source>{n} kB</source>
        <translation>{n} kB</translation>
    </message>
    <message>
        <source>{n} left out that may hold a key or a password</source>
        <translation>{n} omitidos que pueden contener una clave o contraseña</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} mensajes</translation>
    </message>
    <message>
        <source>{n} notes</source>
        <translation>{n} notas</translation>
    </message>
    <message>
        <source>{n} of {all} lines, messages or files in it are left out</source>
        <translation>Se omiten {n} de {all} líneas, mensajes o archivos</translation>
    </message>
    <message>
        <source>{n} problems, each listed below; everything else went in.</source>
        <translation>{n} problemas, listados abajo; todo lo demás se importó.</translation>
    </message>
    <message>
        <source>{n} problems:</source>
        <translation>{n} problemas:</translation>
    </message>
    <message>
        <source>{n} updated</source>
        <translation>{n} actualizados</translation>
    </message>
    <message>
        <source>{n} were there already</source>
        <translation>{n} ya estaban</translation>
    </message>
    <message>
        <source>… and {n} more</source>
        <translation>… y {n} más</translation>
    </message>
</context>
<context>
    <name>Rereading</name>
    <message>
        <source>A cross-encoder: it found 85.5 % of what was sought among ten results instead of 84.7 %, on 200 questions about conversations, and takes 1 to 3 seconds of the processor for each search.</source>
        <translation>Un codificador cruzado: en 200 preguntas sobre conversaciones encontró el 85,5 % de lo buscado entre diez resultados en lugar del 84,7 %, y ocupa el procesador de 1 a 3 segundos en cada búsqueda.</translation>
    </message>
    <message>
        <source>Late interaction: it found 84.6 % of what was sought among ten results instead of 83.9 %, on 948 questions about conversations, and 57.3 % instead of 54.3 % where several messages answer; it reads every text once in the background, keeps up to 3 kB of each, and takes some hundredths of a second for each search.</source>
        <translation>Interacción tardía: en 948 preguntas sobre conversaciones encontró el 84,6 % de lo buscado entre diez resultados en lugar del 83,9 %, y el 57,3 % en lugar del 54,3 % cuando responden varios mensajes; lee cada texto una sola vez en segundo plano, guarda hasta 3 kB de cada uno y tarda unas centésimas de segundo en cada búsqueda.</translation>
    </message>
    <message>
        <source>Results stay in the order of words and meaning.</source>
        <translation>Los resultados conservan el orden por palabras y significado.</translation>
    </message>
</context>
<context>
    <name>RereadingForm</name>
    <message>
        <source>All texts are read.</source>
        <translation>Todos los textos están leídos.</translation>
    </message>
    <message>
        <source>It takes effect at the next start. The model&apos;s files are fetched when they are first needed if the settings allow downloads, or read from the folder that the settings of search name.</source>
        <translation>Tendrá efecto en el próximo inicio. Los archivos del modelo se obtienen cuando se necesitan por primera vez si los ajustes permiten descargas, o se leen de la carpeta que indican los ajustes de búsqueda.</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>Ningún modelo</translation>
    </message>
    <message>
        <source>Read the first results again</source>
        <translation>Volver a leer los primeros resultados</translation>
    </message>
    <message>
        <source>Texts read: {read} of {all}. The others count by words and meaning alone.</source>
        <translation>Textos leídos: {read} de {all}. Para los demás solo cuentan las palabras y el significado.</translation>
    </message>
    <message>
        <source>What this model gains has not been measured.</source>
        <translation>No se ha medido lo que aporta este modelo.</translation>
    </message>
</context>
<context>
    <name>ResultExport</name>
    <message>
        <source>CSV, for spreadsheets (*.csv)</source>
        <translation>CSV, para hojas de cálculo (*.csv)</translation>
    </message>
    <message>
        <source>Export the results</source>
        <translation>Exportar los resultados</translation>
    </message>
    <message>
        <source>Exported 1 result to {file}</source>
        <translation>1 resultado exportado a {file}</translation>
    </message>
    <message>
        <source>Exported the first {count} of {all} results to {file}</source>
        <translation>Los primeros {count} de {all} resultados exportados a {file}</translation>
    </message>
    <message>
        <source>Exported {count} results to {file}</source>
        <translation>{count} resultados exportados a {file}</translation>
    </message>
    <message>
        <source>JSON Lines, for programs (*.jsonl)</source>
        <translation>JSON Lines, para programas (*.jsonl)</translation>
    </message>
    <message>
        <source>Markdown, to read (*.md)</source>
        <translation>Markdown, para leer (*.md)</translation>
    </message>
    <message>
        <source>PDF, to print (*.pdf)</source>
        <translation>PDF, para imprimir (*.pdf)</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Sin título</translation>
    </message>
    <message>
        <source>Web page (*.html)</source>
        <translation>Página web (*.html)</translation>
    </message>
</context>
<context>
    <name>ResultList</name>
    <message>
        <source>Results</source>
        <translation>Resultados</translation>
    </message>
</context>
<context>
    <name>ResultModel</name>
    <message>
        <source>Near in meaning</source>
        <translation>Cercanos en significado</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Sin título</translation>
    </message>
    <message>
        <source>{title}, 1 result</source>
        <translation>{title}, 1 resultado</translation>
    </message>
    <message>
        <source>{title}, {count} results</source>
        <translation>{title}, {count} resultados</translation>
    </message>
</context>
<context>
    <name>ResultSummary</name>
    <message>
        <source>Results: the first {count} of {all}</source>
        <translation>Resultados: los primeros {count} de {all}</translation>
    </message>
    <message>
        <source>Results: {count}</source>
        <translation>Resultados: {count}</translation>
    </message>
    <message>
        <source>Still searching: the index is busy, or the vault is large.</source>
        <translation>Aún buscando: el índice está ocupado o la bóveda es grande.</translation>
    </message>
    <message>
        <source>The results by words stay.</source>
        <translation>Los resultados por palabras se mantienen.</translation>
    </message>
    <message>
        <source>by words, meaning follows…</source>
        <translation>por palabras, el significado llega después…</translation>
    </message>
    <message>
        <source>found by {legs}</source>
        <translation>encontrado por {legs}</translation>
    </message>
    <message>
        <source>meaning</source>
        <translation>significado</translation>
    </message>
    <message>
        <source>names</source>
        <translation>nombres</translation>
    </message>
    <message>
        <source>newest first</source>
        <translation>los más nuevos primero</translation>
    </message>
    <message>
        <source>words</source>
        <translation>palabras</translation>
    </message>
</context>
<context>
    <name>RunChart</name>
    <message>
        <source>Latest runs. {parts}</source>
        <translation>Últimas ejecuciones. {parts}</translation>
    </message>
</context>
<context>
    <name>RunHistory</name>
    <message>
        <source>1 turn</source>
        <translation>1 turno</translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>Recuperar</translation>
    </message>
    <message>
        <source>It has not run yet.</source>
        <translation>Aún no se ha ejecutado.</translation>
    </message>
    <message>
        <source>No output</source>
        <translation>Sin salida</translation>
    </message>
    <message>
        <source>Output of the run</source>
        <translation>Salida de la ejecución</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Ejecuciones</translation>
    </message>
    <message>
        <source>Undo this run</source>
        <translation>Deshacer esta ejecución</translation>
    </message>
    <message>
        <source>Undone</source>
        <translation>Deshecho</translation>
    </message>
    <message>
        <source>Undone in part</source>
        <translation>Deshecho en parte</translation>
    </message>
    <message>
        <source>cost {cost}</source>
        <translation>costó {cost}</translation>
    </message>
    <message>
        <source>{n} turns</source>
        <translation>{n} turnos</translation>
    </message>
    <message>
        <source>… and {n} more</source>
        <translation>… y {n} más</translation>
    </message>
</context>
<context>
    <name>SavedFilters</name>
    <message>
        <source>Another filter is called ‘{name}’ already.</source>
        <translation>Ya hay otro filtro llamado «{name}».</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Eliminar</translation>
    </message>
    <message>
        <source>Name:</source>
        <translation>Nombre:</translation>
    </message>
    <message>
        <source>Removed the filter ‘{name}’. Its notes stay.</source>
        <translation>Se quitó el filtro «{name}». Sus notas se quedan.</translation>
    </message>
    <message>
        <source>Rename the filter</source>
        <translation>Renombrar el filtro</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>Renombrar…</translation>
    </message>
    <message>
        <source>Save this filter</source>
        <translation>Guardar este filtro</translation>
    </message>
    <message>
        <source>Saved the filter ‘{name}’</source>
        <translation>Se guardó el filtro «{name}»</translation>
    </message>
</context>
<context>
    <name>SavedSearchList</name>
    <message>
        <source>Delete</source>
        <translation>Eliminar</translation>
    </message>
    <message>
        <source>Erase for ever…</source>
        <translation>Borrar para siempre…</translation>
    </message>
    <message>
        <source>Move down (Alt+Down)</source>
        <translation>Bajar (Alt+Abajo)</translation>
    </message>
    <message>
        <source>Move up (Alt+Up)</source>
        <translation>Subir (Alt+Arriba)</translation>
    </message>
    <message>
        <source>Rename (F2)</source>
        <translation>Renombrar (F2)</translation>
    </message>
    <message>
        <source>Saved searches</source>
        <translation>Búsquedas guardadas</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Buscar</translation>
    </message>
</context>
<context>
    <name>Schedule</name>
    <message>
        <source>Consolidation every night</source>
        <translation>Consolidación cada noche</translation>
    </message>
    <message>
        <source>Consolidation when a conversation has ended</source>
        <translation>Consolidación al terminar una conversación</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Terminado</translation>
    </message>
    <message>
        <source>Done for good</source>
        <translation>Finalizada</translation>
    </message>
    <message>
        <source>Due now</source>
        <translation>Pendiente ahora</translation>
    </message>
    <message>
        <source>Every day</source>
        <translation>Cada día</translation>
    </message>
    <message>
        <source>Every hour</source>
        <translation>Cada hora</translation>
    </message>
    <message>
        <source>Every minute</source>
        <translation>Cada minuto</translation>
    </message>
    <message>
        <source>Every {n} days</source>
        <translation>Cada {n} días</translation>
    </message>
    <message>
        <source>Every {n} hours</source>
        <translation>Cada {n} horas</translation>
    </message>
    <message>
        <source>Every {n} minutes</source>
        <translation>Cada {n} minutos</translation>
    </message>
    <message>
        <source>Every {n} seconds</source>
        <translation>Cada {n} segundos</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Falló</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>Interrumpida</translation>
    </message>
    <message>
        <source>Missed</source>
        <translation>Omitida</translation>
    </message>
    <message>
        <source>Once, on {when}</source>
        <translation>Una vez, el {when}</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>Prevista</translation>
    </message>
    <message>
        <source>Switched off</source>
        <translation>Desactivada</translation>
    </message>
    <message>
        <source>today {time}</source>
        <translation>hoy {time}</translation>
    </message>
    <message>
        <source>tomorrow {time}</source>
        <translation>mañana {time}</translation>
    </message>
    <message>
        <source>under a second</source>
        <translation>menos de un segundo</translation>
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
        <translation>Un modelo de lenguaje persigue el objetivo con tus recuerdos, si has configurado uno. Sin él, espera hasta que lo asuma un agente autorizado por ti.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Goal</source>
        <translation>Objetivo</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nombre</translation>
    </message>
    <message>
        <source>New schedule</source>
        <translation>Nueva programación</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Guardar</translation>
    </message>
    <message>
        <source>Tell me</source>
        <translation>Avisarme</translation>
    </message>
    <message>
        <source>The beginning of the goal, if you leave this empty</source>
        <translation>El comienzo del objetivo, si lo dejas vacío</translation>
    </message>
    <message>
        <source>What is to be done, such as: Summarise what I learned about Rust this week</source>
        <translation>Lo que hay que hacer, por ejemplo: Resume lo que aprendí de Rust esta semana</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Cuándo</translation>
    </message>
    <message>
        <source>after each run</source>
        <translation>tras cada ejecución</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nunca</translation>
    </message>
    <message>
        <source>only when it fails</source>
        <translation>solo cuando falla</translation>
    </message>
    <message>
        <source>{words}. Next: {times}</source>
        <translation>{words}. Próximas: {times}</translation>
    </message>
</context>
<context>
    <name>ScheduleList</name>
    <message>
        <source>Filter by words</source>
        <translation>Filtrar</translation>
    </message>
    <message>
        <source>Filter schedules</source>
        <translation>Filtrar programaciones</translation>
    </message>
    <message>
        <source>Goal</source>
        <translation>Objetivo</translation>
    </message>
    <message>
        <source>New schedule</source>
        <translation>Nueva programación</translation>
    </message>
    <message>
        <source>No schedule fits this filter.</source>
        <translation>Ninguna programación encaja con este filtro.</translation>
    </message>
    <message>
        <source>Schedules</source>
        <translation>Programaciones</translation>
    </message>
    <message>
        <source>ran {time}</source>
        <translation>se ejecutó {time}</translation>
    </message>
</context>
<context>
    <name>ScheduleNotifier</name>
    <message>
        <source>There are {n} more notes about schedules; the pane Schedule shows all runs.</source>
        <translation>Hay {n} avisos más sobre programaciones; el panel Programación muestra todas las ejecuciones.</translation>
    </message>
    <message>
        <source>There is 1 more note about schedules; the pane Schedule shows all runs.</source>
        <translation>Hay 1 aviso más sobre programaciones; el panel Programación muestra todas las ejecuciones.</translation>
    </message>
</context>
<context>
    <name>SchedulePage</name>
    <message>
        <source>1 day: {count}</source>
        <translation>1 día: {count}</translation>
    </message>
    <message>
        <source>Before it runs</source>
        <translation>Antes de ejecutarse</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Cambiar…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Eliminar</translation>
    </message>
    <message>
        <source>Erase for ever…</source>
        <translation>Borrar para siempre…</translation>
    </message>
    <message>
        <source>It runs on {machine}, for all your machines.</source>
        <translation>Se ejecuta en {machine}, para todos tus equipos.</translation>
    </message>
    <message>
        <source>Last run: {last}</source>
        <translation>Última ejecución: {last}</translation>
    </message>
    <message>
        <source>Next, in your time: {times}</source>
        <translation>Próximas, en tu hora: {times}</translation>
    </message>
    <message>
        <source>Next: {times}</source>
        <translation>Próximas: {times}</translation>
    </message>
    <message>
        <source>Of 1 fact that can fade, these would be gone if nobody used it:</source>
        <translation>De 1 hecho que puede desvanecerse, desaparecerían estos si nadie lo usara:</translation>
    </message>
    <message>
        <source>Of {n} facts that can fade, these would be gone if nobody used them:</source>
        <translation>De {n} hechos que pueden desvanecerse, desaparecerían estos si nadie los usara:</translation>
    </message>
    <message>
        <source>Run it here from now on</source>
        <translation>Ejecutarlo aquí a partir de ahora</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>Ejecutar ahora</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Ejecuciones</translation>
    </message>
    <message>
        <source>Show what it would do now</source>
        <translation>Mostrar lo que haría ahora</translation>
    </message>
    <message>
        <source>Switch off</source>
        <translation>Desactivar</translation>
    </message>
    <message>
        <source>Switch on</source>
        <translation>Activar</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Cuándo</translation>
    </message>
    <message>
        <source>{n} days: {count}</source>
        <translation>{n} días: {count}</translation>
    </message>
    <message>
        <source>{words} (time of {zone})</source>
        <translation>{words} (hora de {zone})</translation>
    </message>
    <message>
        <source>… and {n} more</source>
        <translation>… y {n} más</translation>
    </message>
</context>
<context>
    <name>SchedulePane</name>
    <message>
        <source>Brought back what the run did</source>
        <translation>Recuperado lo que hizo la ejecución</translation>
    </message>
    <message>
        <source>Changed ‘{name}’</source>
        <translation>Se cambió «{name}»</translation>
    </message>
    <message>
        <source>Choose a schedule to see when it runs and what it did, or set a goal of your own.</source>
        <translation>Elige una programación para ver cuándo se ejecuta y qué hizo, o pon un objetivo propio.</translation>
    </message>
    <message>
        <source>Created ‘{name}’</source>
        <translation>Se creó «{name}»</translation>
    </message>
    <message>
        <source>Deleted ‘{name}’</source>
        <translation>Se eliminó «{name}»</translation>
    </message>
    <message>
        <source>Erase the schedule ‘{name}’ for ever?</source>
        <translation>¿Borrar para siempre la programación «{name}»?</translation>
    </message>
    <message>
        <source>Erased the schedule for ever</source>
        <translation>Se borró la programación para siempre</translation>
    </message>
    <message>
        <source>Everything is paused until you resume it</source>
        <translation>Todo está en pausa hasta que lo reanudes</translation>
    </message>
    <message>
        <source>Everything is paused until {time}</source>
        <translation>Todo está en pausa hasta {time}</translation>
    </message>
    <message>
        <source>For an hour</source>
        <translation>Durante una hora</translation>
    </message>
    <message>
        <source>It waits until a language model is set up, or an agent takes it on.</source>
        <translation>Espera hasta que se configure un modelo de lenguaje o un agente lo asuma.</translation>
    </message>
    <message>
        <source>Its goal, its runs and its history are removed from this vault.</source>
        <translation>Su objetivo, sus ejecuciones y su historial se eliminan de esta bóveda.</translation>
    </message>
    <message>
        <source>List</source>
        <translation>Lista</translation>
    </message>
    <message>
        <source>New schedule</source>
        <translation>Nueva programación</translation>
    </message>
    <message>
        <source>Next run: {time}</source>
        <translation>Próxima ejecución: {time}</translation>
    </message>
    <message>
        <source>Nothing chosen</source>
        <translation>Nada seleccionado</translation>
    </message>
    <message>
        <source>Pause all</source>
        <translation>Pausar todo</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Reanudar</translation>
    </message>
    <message>
        <source>Run the chosen schedule now</source>
        <translation>Ejecutar ahora la programación elegida</translation>
    </message>
    <message>
        <source>Running: {names}</source>
        <translation>En ejecución: {names}</translation>
    </message>
    <message>
        <source>Switched off ‘{name}’</source>
        <translation>Se desactivó «{name}»</translation>
    </message>
    <message>
        <source>Switched on ‘{name}’</source>
        <translation>Se activó «{name}»</translation>
    </message>
    <message>
        <source>The week after</source>
        <translation>La semana siguiente</translation>
    </message>
    <message>
        <source>The week before</source>
        <translation>La semana anterior</translation>
    </message>
    <message>
        <source>This week</source>
        <translation>Esta semana</translation>
    </message>
    <message>
        <source>Undid the run</source>
        <translation>Se deshizo la ejecución</translation>
    </message>
    <message>
        <source>Until tomorrow</source>
        <translation>Hasta mañana</translation>
    </message>
    <message>
        <source>Week</source>
        <translation>Semana</translation>
    </message>
    <message>
        <source>Your changes are kept. ‘Change…’ opens them again.</source>
        <translation>Tus cambios se conservan. «Cambiar…» los vuelve a abrir.</translation>
    </message>
    <message>
        <source>Your draft is kept. New schedule opens it again.</source>
        <translation>Tu borrador se conserva. «Nueva programación» lo vuelve a abrir.</translation>
    </message>
    <message>
        <source>‘{name}’ ran: {result}</source>
        <translation>«{name}» se ejecutó: {result}</translation>
    </message>
    <message>
        <source>‘{name}’ runs</source>
        <translation>«{name}» se está ejecutando</translation>
    </message>
    <message>
        <source>‘{name}’ runs on this machine from now on</source>
        <translation>«{name}» se ejecuta en este equipo a partir de ahora</translation>
    </message>
</context>
<context>
    <name>ScratchpadTab</name>
    <message>
        <source>Clear</source>
        <translation>Borrar</translation>
    </message>
    <message>
        <source>Nothing is noted</source>
        <translation>No hay nada anotado</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Guardar</translation>
    </message>
    <message>
        <source>Scratchpad</source>
        <translation>Apuntes</translation>
    </message>
    <message>
        <source>What the agent notes for itself during this conversation, one item a line. You can change it.</source>
        <translation>Lo que el agente anota para sí durante esta conversación, un elemento por línea. Puedes cambiarlo.</translation>
    </message>
    <message>
        <source>{n} of {most} items; the longest has {length} of {room} characters</source>
        <translation>{n} de {most} elementos; el más largo tiene {length} de {room} caracteres</translation>
    </message>
</context>
<context>
    <name>SearchBox</name>
    <message>
        <source>Search operators</source>
        <translation>Operadores de búsqueda</translation>
    </message>
</context>
<context>
    <name>SearchHistory</name>
    <message>
        <source>Delete this saved search</source>
        <translation>Eliminar esta búsqueda guardada</translation>
    </message>
    <message>
        <source>Deleted the saved search ‘{name}’</source>
        <translation>Se eliminó la búsqueda guardada «{name}»</translation>
    </message>
    <message>
        <source>Erase the saved search ‘{name}’ for ever?</source>
        <translation>¿Borrar para siempre la búsqueda guardada «{name}»?</translation>
    </message>
    <message>
        <source>Erased the saved search for ever</source>
        <translation>Se borró la búsqueda guardada para siempre</translation>
    </message>
    <message>
        <source>Its name, its words and its history are removed from this vault.</source>
        <translation>Su nombre, sus palabras y su historial se eliminan de esta bóveda.</translation>
    </message>
    <message>
        <source>Save this search</source>
        <translation>Guardar esta búsqueda</translation>
    </message>
    <message>
        <source>Saved the search ‘{name}’</source>
        <translation>Se guardó la búsqueda «{name}»</translation>
    </message>
</context>
<context>
    <name>SearchModels</name>
    <message>
        <source>Built-in model</source>
        <translation>Modelo incluido</translation>
    </message>
</context>
<context>
    <name>SearchPane</name>
    <message>
        <source>Copied 1 result</source>
        <translation>1 resultado copiado</translation>
    </message>
    <message>
        <source>Copied {count} results</source>
        <translation>{count} resultados copiados</translation>
    </message>
    <message>
        <source>Copy results as Markdown</source>
        <translation>Copiar resultados como Markdown</translation>
    </message>
    <message>
        <source>Export all results</source>
        <translation>Exportar todos los resultados</translation>
    </message>
    <message>
        <source>Export all results…</source>
        <translation>Exportar todos los resultados…</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>Filtros</translation>
    </message>
    <message>
        <source>Group results in another way</source>
        <translation>Agrupar los resultados de otra forma</translation>
    </message>
    <message>
        <source>Next marked word</source>
        <translation>Siguiente palabra marcada</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>No se encontró nada</translation>
    </message>
    <message>
        <source>Previous marked word</source>
        <translation>Palabra marcada anterior</translation>
    </message>
    <message>
        <source>Save this search or delete it</source>
        <translation>Guardar o eliminar esta búsqueda</translation>
    </message>
    <message>
        <source>Search conversations and notes…</source>
        <translation>Buscar en conversaciones y notas…</translation>
    </message>
    <message>
        <source>Search everything</source>
        <translation>Buscar en todo</translation>
    </message>
    <message>
        <source>Search without operators</source>
        <translation>Buscar sin operadores</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>Buscando…</translation>
    </message>
    <message>
        <source>Show more results</source>
        <translation>Mostrar más resultados</translation>
    </message>
    <message>
        <source>Show or hide the filters</source>
        <translation>Mostrar u ocultar los filtros</translation>
    </message>
    <message>
        <source>Try fewer or other words, or take operators out.</source>
        <translation>Prueba con menos palabras o con otras, o quita operadores.</translation>
    </message>
    <message>
        <source>Type a search</source>
        <translation>Escribe una búsqueda</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Sin título</translation>
    </message>
    <message>
        <source>Why not …?</source>
        <translation>¿Por qué no…?</translation>
    </message>
</context>
<context>
    <name>SearchPanel</name>
    <message>
        <source>Search models</source>
        <translation>Modelos de búsqueda</translation>
    </message>
    <message>
        <source>Search models…</source>
        <translation>Modelos de búsqueda…</translation>
    </message>
    <message>
        <source>What turns texts into meaning, and how results are ranked. A change shows what it does first.</source>
        <translation>Lo que convierte los textos en significado y cómo se clasifican los resultados. Un cambio muestra primero lo que hace.</translation>
    </message>
</context>
<context>
    <name>Section</name>
    <message>
        <source>folded</source>
        <translation>plegado</translation>
    </message>
    <message>
        <source>open</source>
        <translation>abierto</translation>
    </message>
</context>
<context>
    <name>SelectionSummary</name>
    <message>
        <source>Clear the selection</source>
        <translation>Quitar la selección</translation>
    </message>
    <message>
        <source>and {count} more</source>
        <translation>y {count} más</translation>
    </message>
</context>
<context>
    <name>SentenceBar</name>
    <message>
        <source>Dismiss this message</source>
        <translation>Descartar este mensaje</translation>
    </message>
</context>
<context>
    <name>SessionActions</name>
    <message>
        <source>All messages, summaries and scratchpads are removed from this vault. Facts that were drawn from them stay.</source>
        <translation>Todos los mensajes, resúmenes y apuntes se eliminan de esta bóveda. Los hechos extraídos de ellos se conservan.</translation>
    </message>
    <message>
        <source>Condense all but the latest messages</source>
        <translation>Condensar todo salvo los últimos mensajes</translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation>Copiar enlace</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Eliminar</translation>
    </message>
    <message>
        <source>Delete {count} conversations</source>
        <translation>Eliminar {count} conversaciones</translation>
    </message>
    <message>
        <source>Deleted {count} conversations</source>
        <translation>{count} conversaciones eliminadas</translation>
    </message>
    <message>
        <source>Deleted ‘{title}’</source>
        <translation>Se eliminó «{title}»</translation>
    </message>
    <message>
        <source>Draw facts</source>
        <translation>Extraer hechos</translation>
    </message>
    <message>
        <source>Draw facts from it now</source>
        <translation>Extraer hechos ahora</translation>
    </message>
    <message>
        <source>Draw facts from {count} conversations now</source>
        <translation>Extraer hechos de {count} conversaciones ahora</translation>
    </message>
    <message>
        <source>Erase for ever…</source>
        <translation>Borrar para siempre…</translation>
    </message>
    <message>
        <source>Erase {count} conversations for ever?</source>
        <translation>¿Borrar {count} conversaciones para siempre?</translation>
    </message>
    <message>
        <source>Erase ‘{title}’ for ever?</source>
        <translation>¿Borrar «{title}» para siempre?</translation>
    </message>
    <message>
        <source>Erased the conversation for ever</source>
        <translation>Se borró la conversación para siempre</translation>
    </message>
    <message>
        <source>Erased {count} conversations for ever</source>
        <translation>Se borraron {count} conversaciones para siempre</translation>
    </message>
    <message>
        <source>Export as JSONL…</source>
        <translation>Exportar como JSONL…</translation>
    </message>
    <message>
        <source>Export as Markdown…</source>
        <translation>Exportar como Markdown…</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Renombrar</translation>
    </message>
    <message>
        <source>Renamed to ‘{title}’</source>
        <translation>Se renombró a «{title}»</translation>
    </message>
    <message>
        <source>Summarise older messages now</source>
        <translation>Resumir ahora los mensajes antiguos</translation>
    </message>
    <message>
        <source>Untitled conversation</source>
        <translation>Conversación sin título</translation>
    </message>
    <message>
        <source>{count} conversations selected</source>
        <translation>{count} conversaciones seleccionadas</translation>
    </message>
</context>
<context>
    <name>SessionHeader</name>
    <message>
        <source>1 message</source>
        <translation>1 mensaje</translation>
    </message>
    <message>
        <source>Delete this conversation</source>
        <translation>Eliminar esta conversación</translation>
    </message>
    <message>
        <source>Find in this conversation</source>
        <translation>Buscar en esta conversación</translation>
    </message>
    <message>
        <source>Go to a date</source>
        <translation>Ir a una fecha</translation>
    </message>
    <message>
        <source>Go to the first message</source>
        <translation>Ir al primer mensaje</translation>
    </message>
    <message>
        <source>Go to the last message</source>
        <translation>Ir al último mensaje</translation>
    </message>
    <message>
        <source>More to do with this conversation</source>
        <translation>Más acciones con esta conversación</translation>
    </message>
    <message>
        <source>Title of the conversation</source>
        <translation>Título de la conversación</translation>
    </message>
    <message>
        <source>Untitled conversation</source>
        <translation>Conversación sin título</translation>
    </message>
    <message>
        <source>facts not drawn yet</source>
        <translation>hechos aún sin extraer</translation>
    </message>
    <message>
        <source>what came since is not read yet</source>
        <translation>lo posterior aún no se ha leído</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} mensajes</translation>
    </message>
</context>
<context>
    <name>SessionList</name>
    <message>
        <source>1 fact drawn from it</source>
        <translation>1 hecho extraído</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 mensaje</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>Agente</translation>
    </message>
    <message>
        <source>All agents</source>
        <translation>Todos los agentes</translation>
    </message>
    <message>
        <source>By agent</source>
        <translation>Por agente</translation>
    </message>
    <message>
        <source>By title</source>
        <translation>Por título</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Conversaciones</translation>
    </message>
    <message>
        <source>Filter by title or agent</source>
        <translation>Filtrar por título o agente</translation>
    </message>
    <message>
        <source>Filter conversations</source>
        <translation>Filtrar conversaciones</translation>
    </message>
    <message>
        <source>Headings for days and agents</source>
        <translation>Encabezados de días y agentes</translation>
    </message>
    <message>
        <source>Longest first</source>
        <translation>Las más largas primero</translation>
    </message>
    <message>
        <source>New conversation with yourself</source>
        <translation>Nueva conversación contigo</translation>
    </message>
    <message>
        <source>Newest first</source>
        <translation>Las más nuevas primero</translation>
    </message>
    <message>
        <source>No conversation fits this filter.</source>
        <translation>Ninguna conversación encaja con este filtro.</translation>
    </message>
    <message>
        <source>Oldest first</source>
        <translation>Las más antiguas primero</translation>
    </message>
    <message>
        <source>Only those whose facts are not drawn yet</source>
        <translation>Solo aquellas sin hechos extraídos aún</translation>
    </message>
    <message>
        <source>Order and filters</source>
        <translation>Orden y filtros</translation>
    </message>
    <message>
        <source>Untitled conversation</source>
        <translation>Conversación sin título</translation>
    </message>
    <message>
        <source>Without an agent</source>
        <translation>Sin agente</translation>
    </message>
    <message>
        <source>facts are not drawn yet</source>
        <translation>hechos aún sin extraer</translation>
    </message>
    <message>
        <source>facts not drawn yet</source>
        <translation>hechos aún sin extraer</translation>
    </message>
    <message>
        <source>no agent</source>
        <translation>sin agente</translation>
    </message>
    <message>
        <source>what came since is not read yet</source>
        <translation>lo posterior aún no se ha leído</translation>
    </message>
    <message>
        <source>{n} facts drawn from it</source>
        <translation>{n} hechos extraídos</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} mensajes</translation>
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
        <translation>1 ya conocido confirmado</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 mensaje</translation>
    </message>
    <message>
        <source>1 message of ‘{title}’ stands in its summary now; in full: {rest}</source>
        <translation>1 mensaje de «{title}» está ahora en su resumen; enteros: {rest}</translation>
    </message>
    <message>
        <source>1 new fact</source>
        <translation>1 hecho nuevo</translation>
    </message>
    <message>
        <source>1 older one changed</source>
        <translation>1 anterior modificado</translation>
    </message>
    <message>
        <source>Condensing all but its latest messages…</source>
        <translation>Condensando todo salvo los últimos mensajes…</translation>
    </message>
    <message>
        <source>Drawing facts from it…</source>
        <translation>Extrayendo hechos…</translation>
    </message>
    <message>
        <source>Drawn from it: {facts}</source>
        <translation>Extraído: {facts}</translation>
    </message>
    <message>
        <source>Export the conversation</source>
        <translation>Exportar la conversación</translation>
    </message>
    <message>
        <source>Exported {messages} to {path}</source>
        <translation>Se exportaron {messages} a {path}</translation>
    </message>
    <message>
        <source>Exporting it…</source>
        <translation>Exportando…</translation>
    </message>
    <message>
        <source>Facts were drawn from it</source>
        <translation>Se extrajeron hechos</translation>
    </message>
    <message>
        <source>It is short enough: there is nothing to condense.</source>
        <translation>Es bastante corta: no hay nada que condensar.</translation>
    </message>
    <message>
        <source>Nothing new to remember was found.</source>
        <translation>No se encontró nada nuevo que recordar.</translation>
    </message>
    <message>
        <source>Somebody else summarised it meanwhile; that summary stands.</source>
        <translation>Alguien la resumió entretanto; queda ese resumen.</translation>
    </message>
    <message>
        <source>Summarising its older messages…</source>
        <translation>Resumiendo los mensajes antiguos…</translation>
    </message>
    <message>
        <source>Untitled conversation</source>
        <translation>Conversación sin título</translation>
    </message>
    <message>
        <source>Wait a moment: {work}</source>
        <translation>Un momento: {work}</translation>
    </message>
    <message>
        <source>{n} known ones confirmed</source>
        <translation>{n} conocidos confirmados</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} mensajes</translation>
    </message>
    <message>
        <source>{n} messages of ‘{title}’ stand in its summary now; in full: {rest}</source>
        <translation>{n} mensajes de «{title}» están ahora en su resumen; enteros: {rest}</translation>
    </message>
    <message>
        <source>{n} new facts</source>
        <translation>{n} hechos nuevos</translation>
    </message>
    <message>
        <source>{n} older ones changed</source>
        <translation>{n} antiguos cambiados</translation>
    </message>
</context>
<context>
    <name>SessionsPane</name>
    <message>
        <source>Choose a conversation</source>
        <translation>Elige una conversación</translation>
    </message>
    <message>
        <source>Condense all but the latest messages</source>
        <translation>Condensar todo salvo los últimos mensajes</translation>
    </message>
    <message>
        <source>Copy as quotation</source>
        <translation>Copiar como cita</translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation>Copiar enlace</translation>
    </message>
    <message>
        <source>Copy link to message</source>
        <translation>Copiar enlace al mensaje</translation>
    </message>
    <message>
        <source>Copy message</source>
        <translation>Copiar mensaje</translation>
    </message>
    <message>
        <source>Copy selection</source>
        <translation>Copiar selección</translation>
    </message>
    <message>
        <source>Ctrl+Shift+O begins a conversation with yourself.</source>
        <translation>Ctrl+Mayús+O empieza una conversación contigo.</translation>
    </message>
    <message>
        <source>Delete conversation</source>
        <translation>Eliminar conversación</translation>
    </message>
    <message>
        <source>Draw facts from it now</source>
        <translation>Extraer hechos ahora</translation>
    </message>
    <message>
        <source>Draw facts from this conversation now</source>
        <translation>Extraer hechos de esta conversación ahora</translation>
    </message>
    <message>
        <source>Export this conversation as JSONL</source>
        <translation>Exportar esta conversación como JSONL</translation>
    </message>
    <message>
        <source>Export this conversation as Markdown</source>
        <translation>Exportar esta conversación como Markdown</translation>
    </message>
    <message>
        <source>Filter conversations</source>
        <translation>Filtrar conversaciones</translation>
    </message>
    <message>
        <source>Find in conversation</source>
        <translation>Buscar en la conversación</translation>
    </message>
    <message>
        <source>First message</source>
        <translation>Primer mensaje</translation>
    </message>
    <message>
        <source>Import conversations…</source>
        <translation>Importar conversaciones…</translation>
    </message>
    <message>
        <source>Import what you said to ChatGPT, Claude or another program, connect an agent, or begin one with yourself. Everything stays on this machine.</source>
        <translation>Importa lo que dijiste a ChatGPT, Claude u otro programa, conecta un agente, o empieza una contigo. Todo se queda en este equipo.</translation>
    </message>
    <message>
        <source>It is kept once you write the first message.</source>
        <translation>Se guarda en cuanto escribas el primer mensaje.</translation>
    </message>
    <message>
        <source>Last message</source>
        <translation>Último mensaje</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Nueva conversación</translation>
    </message>
    <message>
        <source>New conversation with yourself</source>
        <translation>Nueva conversación contigo</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Siguiente coincidencia</translation>
    </message>
    <message>
        <source>No conversations yet</source>
        <translation>Aún no hay conversaciones</translation>
    </message>
    <message>
        <source>Open the page of ‘{name}’</source>
        <translation>Abrir la página de «{name}»</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>Coincidencia anterior</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Renombrar</translation>
    </message>
    <message>
        <source>Rename conversation</source>
        <translation>Renombrar conversación</translation>
    </message>
    <message>
        <source>Summarise its older messages now</source>
        <translation>Resumir ahora sus mensajes antiguos</translation>
    </message>
    <message>
        <source>What was said in it appears here. Ctrl+F finds words in it.</source>
        <translation>Lo que se dijo en ella aparece aquí. Ctrl+F busca palabras en ella.</translation>
    </message>
</context>
<context>
    <name>SettingField</name>
    <message>
        <source>From {low} to {high}.</source>
        <translation>De {low} a {high}.</translation>
    </message>
    <message>
        <source>Reset ‘{name}’ to the default</source>
        <translation>Restablecer «{name}»</translation>
    </message>
    <message>
        <source>Set from outside for this run ({source}).</source>
        <translation>Establecido desde fuera para esta ejecución ({source}).</translation>
    </message>
    <message>
        <source>Takes effect at the next start.</source>
        <translation>Surte efecto en el próximo inicio.</translation>
    </message>
</context>
<context>
    <name>SettingSection</name>
    <message>
        <source>Advanced settings ({n})</source>
        <translation>Ajustes avanzados ({n})</translation>
    </message>
    <message>
        <source>Hide advanced settings</source>
        <translation>Ocultar ajustes avanzados</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>A passphrase without which nobody can read your memories on this disk.</source>
        <translation>Una frase de contraseña sin la cual nadie puede leer tus recuerdos en este disco.</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Dirección</translation>
    </message>
    <message>
        <source>Agents</source>
        <translation>Agentes</translation>
    </message>
    <message>
        <source>Agents whose conversations are not stored</source>
        <translation>Agentes cuyas conversaciones no se guardan</translation>
    </message>
    <message>
        <source>Agents with a vault of their own</source>
        <translation>Agentes con bóveda propia</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Apariencia</translation>
    </message>
    <message>
        <source>Back up before each import</source>
        <translation>Copia antes de cada importación</translation>
    </message>
    <message>
        <source>Back up every day</source>
        <translation>Copia cada día</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>Copias de seguridad</translation>
    </message>
    <message>
        <source>Care for the database at night</source>
        <translation>Cuidar la base de datos de noche</translation>
    </message>
    <message>
        <source>Changes show at once, in the whole window.</source>
        <translation>Los cambios se ven al momento, en toda la ventana.</translation>
    </message>
    <message>
        <source>Choose a line, then press its new keys.</source>
        <translation>Elige una línea y pulsa sus nuevas teclas.</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Colores</translation>
    </message>
    <message>
        <source>Condense and archive old observations</source>
        <translation>Condensar y archivar observaciones antiguas</translation>
    </message>
    <message>
        <source>Contrast</source>
        <translation>Contraste</translation>
    </message>
    <message>
        <source>Copies of all you keep here, in the folder of the vault.</source>
        <translation>Copias de todo lo que guardas aquí, en la carpeta de la bóveda.</translation>
    </message>
    <message>
        <source>Daily backups kept</source>
        <translation>Copias diarias conservadas</translation>
    </message>
    <message>
        <source>Days that a proposal waits for you</source>
        <translation>Días que te espera una propuesta</translation>
    </message>
    <message>
        <source>Desktop</source>
        <translation>Escritorio</translation>
    </message>
    <message>
        <source>Diagnostics</source>
        <translation>Diagnóstico</translation>
    </message>
    <message>
        <source>Encryption</source>
        <translation>Cifrado</translation>
    </message>
    <message>
        <source>Find facts in conversations</source>
        <translation>Encontrar hechos en conversaciones</translation>
    </message>
    <message>
        <source>Find more names and links</source>
        <translation>Encontrar más nombres y enlaces</translation>
    </message>
    <message>
        <source>Find names more accurately</source>
        <translation>Encontrar nombres con más precisión</translation>
    </message>
    <message>
        <source>Follow a folder of Markdown notes</source>
        <translation>Seguir una carpeta de notas Markdown</translation>
    </message>
    <message>
        <source>Follow the conversations of coding agents</source>
        <translation>Seguir las conversaciones de agentes de código</translation>
    </message>
    <message>
        <source>For when something is wrong: nothing here shows what you wrote.</source>
        <translation>Para cuando algo va mal: nada de aquí muestra lo que escribiste.</translation>
    </message>
    <message>
        <source>Goals on a connection paid by volume</source>
        <translation>Objetivos con conexión de uso medido</translation>
    </message>
    <message>
        <source>Heavy work on battery</source>
        <translation>Trabajo pesado con batería</translation>
    </message>
    <message>
        <source>Hints while you write</source>
        <translation>Sugerencias mientras escribes</translation>
    </message>
    <message>
        <source>How Keepsake fits into this computer.</source>
        <translation>Cómo se integra Keepsake en este equipo.</translation>
    </message>
    <message>
        <source>How conversations are summarised and memories are made of them.</source>
        <translation>Cómo se resumen las conversaciones y se hacen recuerdos de ellas.</translation>
    </message>
    <message>
        <source>How much agents may do and are told. Their access is set in the Agents pane.</source>
        <translation>Cuánto pueden hacer los agentes y cuánto se les dice. Su acceso se fija en el panel Agentes.</translation>
    </message>
    <message>
        <source>How texts are found by their words and by their meaning.</source>
        <translation>Cómo se encuentran los textos por sus palabras y su significado.</translation>
    </message>
    <message>
        <source>Keep a log of what Keepsake does</source>
        <translation>Llevar un registro de lo que hace Keepsake</translation>
    </message>
    <message>
        <source>Keep passwords and keys found in conversations</source>
        <translation>Conservar contraseñas y claves de conversaciones</translation>
    </message>
    <message>
        <source>Keep running when the window is closed</source>
        <translation>Seguir en marcha al cerrar la ventana</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Atajos de teclado</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Idioma</translation>
    </message>
    <message>
        <source>Language model</source>
        <translation>Modelo de lenguaje</translation>
    </message>
    <message>
        <source>Length of what an agent is told, in tokens</source>
        <translation>Longitud de lo que se dice a un agente, en tokens</translation>
    </message>
    <message>
        <source>Let unused facts fade</source>
        <translation>Dejar que se desvanezcan los hechos sin uso</translation>
    </message>
    <message>
        <source>Limits of what runs at set times.</source>
        <translation>Límites de lo que se ejecuta a horas fijas.</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Memoria</translation>
    </message>
    <message>
        <source>Minutes without use until it locks</source>
        <translation>Minutos sin uso hasta bloquear</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modelo</translation>
    </message>
    <message>
        <source>Monthly backups kept</source>
        <translation>Copias mensuales conservadas</translation>
    </message>
    <message>
        <source>Most it may cost in a month</source>
        <translation>Lo máximo que puede costar en un mes</translation>
    </message>
    <message>
        <source>Most that one run of a goal may cost</source>
        <translation>Lo máximo por ejecución de un objetivo</translation>
    </message>
    <message>
        <source>Older messages of a long conversation</source>
        <translation>Mensajes antiguos de una conversación larga</translation>
    </message>
    <message>
        <source>Optional: it summarises, finds facts and pursues goals.</source>
        <translation>Opcional: resume, encuentra hechos y persigue objetivos.</translation>
    </message>
    <message>
        <source>Price of what it reads</source>
        <translation>Precio de lo que lee</translation>
    </message>
    <message>
        <source>Price of what it writes</source>
        <translation>Precio de lo que escribe</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>Privacidad</translation>
    </message>
    <message>
        <source>Private texts may go to a language model elsewhere</source>
        <translation>Los textos privados pueden ir a un modelo externo</translation>
    </message>
    <message>
        <source>Quick capture from anywhere</source>
        <translation>Captura rápida desde cualquier lugar</translation>
    </message>
    <message>
        <source>Read that folder, or mirror it both ways</source>
        <translation>Leer esa carpeta o reflejarla en ambos sentidos</translation>
    </message>
    <message>
        <source>Record what agents search for</source>
        <translation>Registrar lo que buscan los agentes</translation>
    </message>
    <message>
        <source>Record your own calls too</source>
        <translation>Registrar también tus propias llamadas</translation>
    </message>
    <message>
        <source>Reduced motion</source>
        <translation>Menos movimiento</translation>
    </message>
    <message>
        <source>Results shown at once</source>
        <translation>Resultados mostrados a la vez</translation>
    </message>
    <message>
        <source>Schedules and goals</source>
        <translation>Programaciones y objetivos</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Buscar</translation>
    </message>
    <message>
        <source>Search models may be downloaded</source>
        <translation>Se pueden descargar modelos de búsqueda</translation>
    </message>
    <message>
        <source>Seconds that one run of a goal may take</source>
        <translation>Segundos que puede durar una ejecución de un objetivo</translation>
    </message>
    <message>
        <source>Service</source>
        <translation>Servicio</translation>
    </message>
    <message>
        <source>Several machines</source>
        <translation>Varios equipos</translation>
    </message>
    <message>
        <source>Size of text</source>
        <translation>Tamaño del texto</translation>
    </message>
    <message>
        <source>Take memories from conversations</source>
        <translation>Tomar recuerdos de las conversaciones</translation>
    </message>
    <message>
        <source>The same memory on all your machines, without anyone between them.</source>
        <translation>La misma memoria en todos tus equipos, sin nadie de por medio.</translation>
    </message>
    <message>
        <source>Upkeep</source>
        <translation>Mantenimiento</translation>
    </message>
    <message>
        <source>Weekly backups kept</source>
        <translation>Copias semanales conservadas</translation>
    </message>
    <message>
        <source>What is done by itself, mostly at night. The Schedule pane shows when.</source>
        <translation>Lo que se hace solo, casi siempre de noche. El panel Programación muestra cuándo.</translation>
    </message>
    <message>
        <source>What may leave this computer, what is taken in, and what is recorded.</source>
        <translation>Lo que puede salir de este equipo, lo que se recoge y lo que se registra.</translation>
    </message>
    <message>
        <source>Write a reflection on the week</source>
        <translation>Escribir una reflexión sobre la semana</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>No setting has these words.</source>
        <translation>Ningún ajuste tiene estas palabras.</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Buscar en los ajustes</translation>
    </message>
    <message>
        <source>Sections</source>
        <translation>Secciones</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Ajustes</translation>
    </message>
</context>
<context>
    <name>ShortcutEditor</name>
    <message>
        <source>Choose an action above</source>
        <translation>Elige una acción arriba</translation>
    </message>
    <message>
        <source>New keys</source>
        <translation>Teclas nuevas</translation>
    </message>
    <message>
        <source>New keys for ‘{name}’</source>
        <translation>Teclas nuevas para «{name}»</translation>
    </message>
    <message>
        <source>No keys</source>
        <translation>Sin teclas</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>Restablecer todos</translation>
    </message>
    <message>
        <source>Reset this one</source>
        <translation>Restablecer este</translation>
    </message>
    <message>
        <source>Search by action or key</source>
        <translation>Buscar por acción o tecla</translation>
    </message>
    <message>
        <source>Search shortcuts</source>
        <translation>Buscar atajos</translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>Atajos</translation>
    </message>
    <message>
        <source>These keys already do {names}. They will be taken away there.</source>
        <translation>Estas teclas ya están asignadas a {names}. Se quitarán de ahí.</translation>
    </message>
    <message>
        <source>Use these keys</source>
        <translation>Usar estas teclas</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>cambiado</translation>
    </message>
    <message>
        <source>{keys} alone types or moves something. Hold Ctrl or Alt with it.</source>
        <translation>Por sí sola, {keys} escribe o mueve algo. Púlsala junto con Ctrl o Alt.</translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Atajos de teclado</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>Menu</source>
        <translation>Menú</translation>
    </message>
    <message>
        <source>Panes</source>
        <translation>Paneles</translation>
    </message>
    <message>
        <source>{title}: {n} waiting</source>
        <translation>{title}: {n} en espera</translation>
    </message>
</context>
<context>
    <name>SplitForm</name>
    <message>
        <source>Choose the names that mean somebody or something else.</source>
        <translation>Elige los nombres que significan otra persona u otra cosa.</translation>
    </message>
    <message>
        <source>Its name; the first of those chosen when empty</source>
        <translation>Su nombre; el primero de los elegidos si está vacío</translation>
    </message>
    <message>
        <source>Name of the second one</source>
        <translation>Nombre del segundo</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>Separar</translation>
    </message>
    <message>
        <source>Type of the second one</source>
        <translation>Tipo del segundo</translation>
    </message>
</context>
<context>
    <name>StartPage</name>
    <message>
        <source>Bringing your memories up to date for this version of Keepsake: step {step} of {steps}.</source>
        <translation>Actualizando tus recuerdos a esta versión de Keepsake: paso {step} de {steps}.</translation>
    </message>
    <message>
        <source>Check the file</source>
        <translation>Comprobar el archivo</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>Copiar detalles</translation>
    </message>
    <message>
        <source>Decrypt your memories?</source>
        <translation>¿Descifrar tus recuerdos?</translation>
    </message>
    <message>
        <source>Decrypting your memories.</source>
        <translation>Descifrando tus recuerdos.</translation>
    </message>
    <message>
        <source>Encrypt your memories</source>
        <translation>Cifrar tus recuerdos</translation>
    </message>
    <message>
        <source>Encrypting your memories.</source>
        <translation>Cifrando tus recuerdos.</translation>
    </message>
    <message>
        <source>Keepsake</source>
        <translation>Keepsake</translation>
    </message>
    <message>
        <source>Keepsake is locked</source>
        <translation>Keepsake está bloqueado</translation>
    </message>
    <message>
        <source>Making a backup, before your memories are brought up to date for this version of Keepsake.</source>
        <translation>Haciendo una copia antes de actualizar tus recuerdos a esta versión de Keepsake.</translation>
    </message>
    <message>
        <source>Open another vault…</source>
        <translation>Abrir otra bóveda…</translation>
    </message>
    <message>
        <source>Opening the vault</source>
        <translation>Abriendo la bóveda</translation>
    </message>
    <message>
        <source>Opening {vault}</source>
        <translation>Abriendo {vault}</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Salir</translation>
    </message>
    <message>
        <source>Rescue what can be read</source>
        <translation>Rescatar lo legible</translation>
    </message>
    <message>
        <source>Restore a backup…</source>
        <translation>Restaurar una copia…</translation>
    </message>
    <message>
        <source>Restoring the backup that you chose.</source>
        <translation>Restaurando la copia que elegiste.</translation>
    </message>
    <message>
        <source>Somebody asked to have your memories decrypted, and not from this account of this computer. If it was not you, somebody has changed their folder: keep them encrypted. Decrypted, anyone who can read this disk can read them.</source>
        <translation>Alguien pidió descifrar tus recuerdos, y no desde esta cuenta de este equipo. Si no fuiste tú, alguien modificó la carpeta: déjalos cifrados. Una vez descifrados, puede leerlos cualquiera que pueda leer este disco.</translation>
    </message>
    <message>
        <source>Start in safe mode</source>
        <translation>Iniciar en modo seguro</translation>
    </message>
    <message>
        <source>The vault could not be opened</source>
        <translation>La bóveda no se pudo abrir</translation>
    </message>
    <message>
        <source>There is no backup that could be restored.</source>
        <translation>No hay ninguna copia que se pueda restaurar.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Probar de nuevo</translation>
    </message>
    <message>
        <source>Use what was rescued</source>
        <translation>Usar lo rescatado</translation>
    </message>
    <message>
        <source>What is there now is kept beside the backups, so this can be taken back.</source>
        <translation>Lo que hay ahora se guarda junto a las copias, así que se puede volver atrás.</translation>
    </message>
    <message>
        <source>Your memories are encrypted. Type the passphrase to open them.</source>
        <translation>Tus recuerdos están cifrados. Escribe la frase de contraseña para abrirlos.</translation>
    </message>
    <message>
        <source>Your memories will be encrypted now. Type the passphrase that you chose. Without it you can still call this off, because nothing is encrypted yet.</source>
        <translation>Tus recuerdos se cifrarán ahora. Escribe la frase de contraseña que eligió. Sin ella aún puede cancelarlo, porque todavía no hay nada cifrado.</translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <source> (and {n} more)</source>
        <translation> (y {n} más)</translation>
    </message>
    <message>
        <source> (paused)</source>
        <translation> (en pausa)</translation>
    </message>
    <message>
        <source>1 agent</source>
        <translation>1 agente</translation>
    </message>
    <message>
        <source>1 memory</source>
        <translation>1 recuerdo</translation>
    </message>
    <message>
        <source>1 session</source>
        <translation>1 conversación</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>En reposo</translation>
    </message>
    <message>
        <source>Read-only</source>
        <translation>Solo lectura</translation>
    </message>
    <message>
        <source>Working</source>
        <translation>Trabajando</translation>
    </message>
    <message>
        <source>about {span} left</source>
        <translation>quedan unos {span}</translation>
    </message>
    <message>
        <source>index complete</source>
        <translation>índice completo</translation>
    </message>
    <message>
        <source>indexing 1 piece</source>
        <translation>indexando 1 fragmento</translation>
    </message>
    <message>
        <source>indexing {n} pieces</source>
        <translation>indexando {n} fragmentos</translation>
    </message>
    <message>
        <source>recognising names in 1 text</source>
        <translation>reconociendo nombres en 1 texto</translation>
    </message>
    <message>
        <source>recognising names in {n} texts</source>
        <translation>reconociendo nombres en {n} textos</translation>
    </message>
    <message>
        <source>{doing}: {progress}</source>
        <translation>{doing}: {progress}</translation>
    </message>
    <message>
        <source>{done} of {total}{unit}</source>
        <translation>{done} de {total}{unit}</translation>
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
        <translation>{n} agentes</translation>
    </message>
    <message>
        <source>{n} memories</source>
        <translation>{n} recuerdos</translation>
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
        <translation>{n} conversaciones</translation>
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
        <translation>1 error</translation>
    </message>
    <message>
        <source>1 piece of text waits for the index.</source>
        <translation>1 fragmento de texto espera al índice.</translation>
    </message>
    <message>
        <source>1 private one is found by its words only.</source>
        <translation>1 privado se encuentra solo por sus palabras.</translation>
    </message>
    <message>
        <source>1 program waits to be let in.</source>
        <translation>1 programa espera permiso.</translation>
    </message>
    <message>
        <source>1 request to {hosts} since {since}, at {last}.</source>
        <translation>1 petición a {hosts} desde {since} ({last}).</translation>
    </message>
    <message>
        <source>1 text waits to be read for names.</source>
        <translation>1 texto espera que se busquen nombres en él.</translation>
    </message>
    <message>
        <source>1 thing could be better.</source>
        <translation>1 cosa se puede mejorar.</translation>
    </message>
    <message>
        <source>About 1 message is still to be searched for passwords: look again.</source>
        <translation>Queda aproximadamente 1 mensaje por examinar en busca de contraseñas: vuelve a mirar.</translation>
    </message>
    <message>
        <source>About {n} messages are still to be searched for passwords: look again.</source>
        <translation>Quedan unos {n} mensajes por examinar en busca de contraseñas: vuelve a mirar.</translation>
    </message>
    <message>
        <source>Agents</source>
        <translation>Agentes</translation>
    </message>
    <message>
        <source>An earlier backup was read back and is whole ({when}).</source>
        <translation>Una copia anterior se verificó y está íntegra ({when}).</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>Hacer copia ahora</translation>
    </message>
    <message>
        <source>Backup</source>
        <translation>Copia de seguridad</translation>
    </message>
    <message>
        <source>Backup read back</source>
        <translation>Copia verificada</translation>
    </message>
    <message>
        <source>Check now</source>
        <translation>Comprobar ahora</translation>
    </message>
    <message>
        <source>Complete: 1 piece of text can be found by words and by meaning.</source>
        <translation>Completo: 1 fragmento de texto se puede encontrar por palabras y por significado.</translation>
    </message>
    <message>
        <source>Complete: there is nothing to search yet.</source>
        <translation>Completo: aún no hay nada que buscar.</translation>
    </message>
    <message>
        <source>Complete: {n} pieces of text can be found by words and by meaning.</source>
        <translation>Completo: {n} fragmentos se encuentran por palabras y significado.</translation>
    </message>
    <message>
        <source>Content</source>
        <translation>Contenido</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>Disco</translation>
    </message>
    <message>
        <source>It has not been checked yet. A check reads everything and changes nothing.</source>
        <translation>Aún no se ha comprobado. Una comprobación lo lee todo y no cambia nada.</translation>
    </message>
    <message>
        <source>It is due now.</source>
        <translation>Está pendiente.</translation>
    </message>
    <message>
        <source>It is switched off.</source>
        <translation>Está desactivada.</translation>
    </message>
    <message>
        <source>It is the only one.</source>
        <translation>Es la única.</translation>
    </message>
    <message>
        <source>It was checked and is sound ({when}).</source>
        <translation>Se comprobó y está en buen estado ({when}).</translation>
    </message>
    <message>
        <source>Language model</source>
        <translation>Modelo de lenguaje</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Volver a mirar</translation>
    </message>
    <message>
        <source>Look through</source>
        <translation>Examinar</translation>
    </message>
    <message>
        <source>Looking through it finds repeated and contradicting memories, and passwords. It changes nothing.</source>
        <translation>Al examinarlo se encuentran recuerdos repetidos o contradictorios y contraseñas. No cambia nada.</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Red</translation>
    </message>
    <message>
        <source>Next: {when}.</source>
        <translation>Próxima: {when}.</translation>
    </message>
    <message>
        <source>No agent is connected now.</source>
        <translation>Ningún agente está conectado ahora.</translation>
    </message>
    <message>
        <source>No backup has been read back yet. Verifying proves that one can be restored.</source>
        <translation>Aún no se ha verificado ninguna copia. Verificarla demuestra que se puede restaurar.</translation>
    </message>
    <message>
        <source>No remote service is set up; everything is computed here.</source>
        <translation>No hay ningún servicio remoto configurado; todo se calcula aquí.</translation>
    </message>
    <message>
        <source>None is set up, so nothing is spent.</source>
        <translation>No hay ninguno configurado, así que no se gasta nada.</translation>
    </message>
    <message>
        <source>Not run yet.</source>
        <translation>Aún no se ha ejecutado.</translation>
    </message>
    <message>
        <source>Nothing has left this computer since Keepsake was started ({when}).</source>
        <translation>Nada ha salido de este equipo desde que se inició Keepsake ({when}).</translation>
    </message>
    <message>
        <source>Nothing stands out.</source>
        <translation>Nada llama la atención.</translation>
    </message>
    <message>
        <source>Open agents</source>
        <translation>Abrir agentes</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Abrir la carpeta</translation>
    </message>
    <message>
        <source>Open settings…</source>
        <translation>Abrir ajustes…</translation>
    </message>
    <message>
        <source>Please look at this</source>
        <translation>Míralo, por favor</translation>
    </message>
    <message>
        <source>Privacy settings…</source>
        <translation>Ajustes de privacidad…</translation>
    </message>
    <message>
        <source>Remote services</source>
        <translation>Servicios remotos</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>Ejecutar ahora</translation>
    </message>
    <message>
        <source>Search index</source>
        <translation>Índice de búsqueda</translation>
    </message>
    <message>
        <source>Search models…</source>
        <translation>Modelos de búsqueda…</translation>
    </message>
    <message>
        <source>The backup that was read back ({when}) cannot be restored. {problem}</source>
        <translation>La copia de seguridad que se leyó ({when}) no se puede restaurar. {problem}</translation>
    </message>
    <message>
        <source>The language model runs on this computer, and so does the search.</source>
        <translation>El modelo de lenguaje funciona en este equipo, y la búsqueda también.</translation>
    </message>
    <message>
        <source>The last check ({when}) found {errors}. Repair the vault, or restore a backup.</source>
        <translation>La última comprobación ({when}) encontró {errors}. Repara la bóveda o restaura una copia de seguridad.</translation>
    </message>
    <message>
        <source>The last one is of {when} ({size}).</source>
        <translation>La última es del {when} ({size}).</translation>
    </message>
    <message>
        <source>The newest backup was read back and is whole ({when}).</source>
        <translation>La copia más nueva se verificó y está íntegra ({when}).</translation>
    </message>
    <message>
        <source>The vault takes {size}; {free} of {disk} are free.</source>
        <translation>La bóveda ocupa {size}; quedan libres {free} de {disk}.</translation>
    </message>
    <message>
        <source>There is no backup yet. One is made each day once something changed.</source>
        <translation>Aún no hay copia. Se hace una cada día en cuanto algo cambia.</translation>
    </message>
    <message>
        <source>Vault</source>
        <translation>Bóveda</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>Verificar</translation>
    </message>
    <message>
        <source>Your settings let Keepsake use {hosts}.</source>
        <translation>Tus ajustes dejan a Keepsake usar {hosts}.</translation>
    </message>
    <message>
        <source>the vault was not checked yet</source>
        <translation>la bóveda aún no se ha comprobado</translation>
    </message>
    <message>
        <source>there is no backup yet</source>
        <translation>aún no hay ninguna copia</translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation>{names} y {n} más</translation>
    </message>
    <message>
        <source>{names} is connected now.</source>
        <translation>{names} está conectado ahora.</translation>
    </message>
    <message>
        <source>{n} are connected now: {names}.</source>
        <translation>{n} están conectados ahora: {names}.</translation>
    </message>
    <message>
        <source>{n} are kept.</source>
        <translation>Se conservan {n}.</translation>
    </message>
    <message>
        <source>{n} errors</source>
        <translation>{n} errores</translation>
    </message>
    <message>
        <source>{n} pieces of text wait for the index.</source>
        <translation>{n} fragmentos esperan al índice.</translation>
    </message>
    <message>
        <source>{n} private ones are found by their words only.</source>
        <translation>{n} privados solo se encuentran por sus palabras.</translation>
    </message>
    <message>
        <source>{n} programs wait to be let in.</source>
        <translation>{n} programas esperan permiso.</translation>
    </message>
    <message>
        <source>{n} requests to {hosts} since {since}, the last {last}.</source>
        <translation>{n} peticiones a {hosts} desde {since}, la última {last}.</translation>
    </message>
    <message>
        <source>{n} texts wait to be read for names.</source>
        <translation>{n} textos esperan a ser leídos en busca de nombres.</translation>
    </message>
    <message>
        <source>{n} things could be better.</source>
        <translation>{n} cosas se pueden mejorar.</translation>
    </message>
    <message>
        <source>{spent} of {cap} spent this month.</source>
        <translation>Gastado {spent} de {cap} este mes.</translation>
    </message>
    <message>
        <source>{spent} spent this month; there is no limit.</source>
        <translation>Gastado {spent} este mes; no hay límite.</translation>
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
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Cancel: {title}</source>
        <translation>Cancelar: {title}</translation>
    </message>
    <message>
        <source>No vault is open</source>
        <translation>Ninguna bóveda está abierta</translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation>Abriendo…</translation>
    </message>
    <message>
        <source>Pause: {title}</source>
        <translation>Pausar: {title}</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Progreso</translation>
    </message>
    <message>
        <source>Resume: {title}</source>
        <translation>Reanudar: {title}</translation>
    </message>
    <message>
        <source>Status: privacy and safety</source>
        <translation>Estado: privacidad y seguridad</translation>
    </message>
    <message>
        <source>Waiting for {what}…</source>
        <translation>Esperando a {what}…</translation>
    </message>
</context>
<context>
    <name>StatusPane</name>
    <message>
        <source>All is well; nothing needs you.</source>
        <translation>Todo va bien; no tienes que hacer nada.</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>Hacer copia ahora</translation>
    </message>
    <message>
        <source>Check the vault</source>
        <translation>Comprobar la bóveda</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>Mirando…</translation>
    </message>
    <message>
        <source>Needs a look</source>
        <translation>Necesita atención</translation>
    </message>
    <message>
        <source>Nothing needs you now, but {what}.</source>
        <translation>Ahora no tienes que hacer nada, pero {what}.</translation>
    </message>
    <message>
        <source>One thing needs a look.</source>
        <translation>Una cosa necesita atención.</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>Privacidad</translation>
    </message>
    <message>
        <source>Safety</source>
        <translation>Seguridad</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Buscar</translation>
    </message>
    <message>
        <source>Space and spending</source>
        <translation>Espacio y gasto</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Estado</translation>
    </message>
    <message>
        <source>What runs by itself</source>
        <translation>Lo que se ejecuta solo</translation>
    </message>
    <message>
        <source>{n} things need a look.</source>
        <translation>{n} cosas necesitan atención.</translation>
    </message>
</context>
<context>
    <name>StatusRow</name>
    <message>
        <source>One moment…</source>
        <translation>Un momento…</translation>
    </message>
</context>
<context>
    <name>StatusUpdater</name>
    <message>
        <source>the vault to answer</source>
        <translation>que responda la bóveda</translation>
    </message>
</context>
<context>
    <name>SummaryTab</name>
    <message>
        <source>Condense all but the latest messages</source>
        <translation>Condensar todo salvo los últimos mensajes</translation>
    </message>
    <message>
        <source>It stands for the messages up to number {n} of {last}. Version {epoch}.</source>
        <translation>Ocupa el lugar de los mensajes hasta el número {n} de {last}. Versión {epoch}.</translation>
    </message>
    <message>
        <source>Long conversations are condensed by themselves; agents are then given this summary.</source>
        <translation>Las conversaciones largas se condensan solas; entonces los agentes reciben este resumen.</translation>
    </message>
    <message>
        <source>No summary yet</source>
        <translation>Aún no hay resumen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Guardar</translation>
    </message>
    <message>
        <source>Somebody else wrote it meanwhile; this is theirs.</source>
        <translation>Alguien lo escribió entretanto; este es el suyo.</translation>
    </message>
    <message>
        <source>Summarise now</source>
        <translation>Resumir ahora</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Resumen</translation>
    </message>
</context>
<context>
    <name>TagEdit</name>
    <message>
        <source>A tag needs a letter or a number.</source>
        <translation>Una etiqueta necesita una letra o un número.</translation>
    </message>
    <message>
        <source>Add a tag</source>
        <translation>Añadir una etiqueta</translation>
    </message>
    <message>
        <source>Kept as #{tag}: a tag has no blanks or signs in it.</source>
        <translation>Guardada como #{tag}: una etiqueta no lleva espacios ni signos.</translation>
    </message>
    <message>
        <source>Known tags</source>
        <translation>Etiquetas conocidas</translation>
    </message>
    <message>
        <source>There is room for {count} tags. Remove one first.</source>
        <translation>Hay sitio para {count} etiquetas. Quita una primero.</translation>
    </message>
    <message>
        <source>This looks like a sentence. A tag is a word such as garden or garden/roses.</source>
        <translation>Esto parece una frase. Una etiqueta es una palabra como garden o garden/roses.</translation>
    </message>
</context>
<context>
    <name>TimeSlider</name>
    <message>
        <source>Play how the graph grew</source>
        <translation>Ver cómo creció el grafo</translation>
    </message>
    <message>
        <source>Show the graph as of a day</source>
        <translation>Mostrar el grafo tal como era un día</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Detener</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Hoy</translation>
    </message>
</context>
<context>
    <name>TimelineStrip</name>
    <message>
        <source>Results by month</source>
        <translation>Resultados por mes</translation>
    </message>
    <message>
        <source>{month}: 1 text</source>
        <translation>{month}: 1 texto</translation>
    </message>
    <message>
        <source>{month}: {count} texts</source>
        <translation>{month}: {count} textos</translation>
    </message>
</context>
<context>
    <name>Toast</name>
    <message>
        <source>Dismiss</source>
        <translation>Descartar</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Deshacer</translation>
    </message>
    <message>
        <source>Undo: {text}</source>
        <translation>Deshacer: {text}</translation>
    </message>
</context>
<context>
    <name>Toaster</name>
    <message>
        <source>Notices</source>
        <translation>Avisos</translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>Capture</source>
        <translation>Capturar</translation>
    </message>
    <message>
        <source>Search or jump</source>
        <translation>Buscar o saltar</translation>
    </message>
    <message>
        <source>Search or jump to a note or conversation</source>
        <translation>Buscar o saltar a una nota o conversación</translation>
    </message>
    <message>
        <source>Search or jump to…</source>
        <translation>Busca o salta a…</translation>
    </message>
    <message>
        <source>This page has no inspector</source>
        <translation>Esta página no tiene inspector</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Link: {words}</source>
        <translation>Enlace: {words}</translation>
    </message>
</context>
<context>
    <name>TranscriptView</name>
    <message>
        <source>Called {name}</source>
        <translation>Llamó a {name}</translation>
    </message>
    <message>
        <source>Show more ({count} more characters)</source>
        <translation>Mostrar más ({count} caracteres más)</translation>
    </message>
    <message>
        <source>Transcript</source>
        <translation>Transcripción</translation>
    </message>
    <message>
        <source>important</source>
        <translation>importante</translation>
    </message>
    <message>
        <source>{name} answered</source>
        <translation>{name} respondió</translation>
    </message>
</context>
<context>
    <name>TrashBar</name>
    <message>
        <source>Empty trash…</source>
        <translation>Vaciar la papelera…</translation>
    </message>
    <message>
        <source>Erase the note in the trash for ever?</source>
        <translation>¿Borrar para siempre la nota de la papelera?</translation>
    </message>
    <message>
        <source>Erase the {count} notes in the trash for ever?</source>
        <translation>¿Borrar para siempre las {count} notas de la papelera?</translation>
    </message>
    <message>
        <source>Erased {count} from the trash for ever</source>
        <translation>{count} de la papelera borradas para siempre</translation>
    </message>
    <message>
        <source>In the trash: {count}. It stays until you empty it.</source>
        <translation>En la papelera: {count}. Lo que hay en ella se queda hasta que la vacíes.</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Restaurar</translation>
    </message>
    <message>
        <source>Their text, history and search entries are removed from this vault.</source>
        <translation>Su texto, su historial y sus entradas de búsqueda se eliminan de esta bóveda.</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message>
        <source>A program asks for access</source>
        <translation>Un programa pide acceso</translation>
    </message>
    <message>
        <source>Agents</source>
        <translation>Agentes</translation>
    </message>
    <message>
        <source>Allow {name}…</source>
        <translation>Permitir a {name}…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Let it go on</source>
        <translation>Dejar que siga</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Abrir</translation>
    </message>
    <message>
        <source>Open Keepsake</source>
        <translation>Abrir Keepsake</translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation>Abriendo…</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausar</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Recientes</translation>
    </message>
    <message>
        <source>Refuse {name}</source>
        <translation>Rechazar a {name}</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>Ejecutar ahora</translation>
    </message>
    <message>
        <source>Scheduled work is paused · {status}</source>
        <translation>Trabajo programado en pausa · {status}</translation>
    </message>
    <message>
        <source>Search…</source>
        <translation>Buscar…</translation>
    </message>
    <message>
        <source>{name} (connected)</source>
        <translation>{name} (conectado)</translation>
    </message>
    <message>
        <source>{name} (paused)</source>
        <translation>{name} (en pausa)</translation>
    </message>
    <message>
        <source>{name} asks for access to your memory.</source>
        <translation>{name} pide acceso a tu memoria.</translation>
    </message>
</context>
<context>
    <name>UndoStack</name>
    <message>
        <source>Redo</source>
        <translation>Rehacer</translation>
    </message>
    <message>
        <source>Redo: {what}</source>
        <translation>Rehacer: {what}</translation>
    </message>
    <message>
        <source>Redoing {count} changes. This may take some seconds.</source>
        <translation>Rehaciendo {count} cambios. Puede tardar unos segundos.</translation>
    </message>
    <message>
        <source>Redone: {what}</source>
        <translation>Rehecho: {what}</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Deshacer</translation>
    </message>
    <message>
        <source>Undo: {what}</source>
        <translation>Deshacer: {what}</translation>
    </message>
    <message>
        <source>Undoing {count} changes. This may take some seconds.</source>
        <translation>Deshaciendo {count} cambios. Puede tardar unos segundos.</translation>
    </message>
    <message>
        <source>Undone: {what}</source>
        <translation>Deshecho: {what}</translation>
    </message>
    <message>
        <source>one stays as it is, because it was changed since</source>
        <translation>uno queda como está, porque se cambió después</translation>
    </message>
    <message>
        <source>{n} stay as they are, because they were changed since</source>
        <translation>{n} quedan como están, porque se cambiaron después</translation>
    </message>
</context>
<context>
    <name>UnlockForm</name>
    <message>
        <source>Call the encryption off</source>
        <translation>Cancelar el cifrado</translation>
    </message>
    <message>
        <source>Encrypt now</source>
        <translation>Cifrar ahora</translation>
    </message>
    <message>
        <source>Passphrase</source>
        <translation>Frase de contraseña</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problema</translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation>Desbloquear</translation>
    </message>
</context>
<context>
    <name>VaultRescue</name>
    <message>
        <source>1 conversation</source>
        <translation>1 conversación</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 mensaje</translation>
    </message>
    <message>
        <source>1 note or fact</source>
        <translation>1 nota o hecho</translation>
    </message>
    <message>
        <source>Another Keepsake could not be started.</source>
        <translation>No se pudo iniciar otro Keepsake.</translation>
    </message>
    <message>
        <source>Calling the encryption off…</source>
        <translation>Cancelando el cifrado…</translation>
    </message>
    <message>
        <source>Copying what can be read into a new folder. This can take minutes; closing the window stops it.</source>
        <translation>Copiando lo legible a una carpeta nueva. Puede tardar minutos; cerrar la ventana lo detiene.</translation>
    </message>
    <message>
        <source>Encrypting your memories…</source>
        <translation>Cifrando tus recuerdos…</translation>
    </message>
    <message>
        <source>Looking for backups…</source>
        <translation>Buscando copias…</translation>
    </message>
    <message>
        <source>Open another vault</source>
        <translation>Abrir otra bóveda</translation>
    </message>
    <message>
        <source>Opening your memories…</source>
        <translation>Abriendo tus recuerdos…</translation>
    </message>
    <message>
        <source>Reading the whole file. Closing the window stops it.</source>
        <translation>Leyendo todo el archivo. Cerrar la ventana lo detiene.</translation>
    </message>
    <message>
        <source>Rescued {what} into {folder}.</source>
        <translation>Se rescató en {folder}: {what}.</translation>
    </message>
    <message>
        <source>The file is sound: {what}.</source>
        <translation>El archivo está en buen estado: {what}.</translation>
    </message>
    <message>
        <source>This is not the passphrase. Try again.</source>
        <translation>Esa no es la frase de contraseña. Inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>Unlocking…</source>
        <translation>Desbloqueando…</translation>
    </message>
    <message>
        <source>Verifying the copy, then restoring it. Closing the window before that is done changes nothing.</source>
        <translation>Verificando la copia y luego restaurándola. Si cierras la ventana antes, no cambia nada.</translation>
    </message>
    <message>
        <source>{n} conversations</source>
        <translation>{n} conversaciones</translation>
    </message>
    <message>
        <source>{n} could not be read.</source>
        <translation>{n} no se pudieron leer.</translation>
    </message>
    <message>
        <source>{n} messages</source>
        <translation>{n} mensajes</translation>
    </message>
    <message>
        <source>{n} notes and facts</source>
        <translation>{n} notas y hechos</translation>
    </message>
</context>
<context>
    <name>VersionDiff</name>
    <message>
        <source>Close the comparison</source>
        <translation>Cerrar la comparación</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>Diferencias</translation>
    </message>
    <message>
        <source>The words are the same; title or tags differ.</source>
        <translation>Las palabras son las mismas; cambian el título o las etiquetas.</translation>
    </message>
</context>
<context>
    <name>WeekView</name>
    <message>
        <source>1 run this week.</source>
        <translation>1 ejecución esta semana.</translation>
    </message>
    <message>
        <source>Week</source>
        <translation>Semana</translation>
    </message>
    <message>
        <source>{n} runs</source>
        <translation>{n} ejecuciones</translation>
    </message>
    <message>
        <source>{n} runs this week.</source>
        <translation>{n} ejecuciones esta semana.</translation>
    </message>
</context>
<context>
    <name>WelcomeDialog</name>
    <message>
        <source>A backup is made every day, and what you, an agent or a job changed can be undone.</source>
        <translation>Cada día se hace una copia, y lo que cambias tú, un agente o una tarea se puede deshacer.</translation>
    </message>
    <message>
        <source>A memory of your own</source>
        <translation>Una memoria propia</translation>
    </message>
    <message>
        <source>Agents read your memory only after you allow them, and you can pause them at any time.</source>
        <translation>Los agentes leen tu memoria solo después de que lo permitas, y puedes pausarlos cuando quieras.</translation>
    </message>
    <message>
        <source>All of it lies in one folder on this machine. Nothing is sent away unless you set that up.</source>
        <translation>Todo está en una carpeta de este equipo. Nada se envía fuera a menos que lo configures.</translation>
    </message>
    <message>
        <source>An export of ChatGPT or Claude, or a folder of Markdown notes. You see first what will be made.</source>
        <translation>Una exportación de ChatGPT o Claude, o una carpeta de notas Markdown. Ves primero lo que se hará.</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Atrás</translation>
    </message>
    <message>
        <source>Bring things in</source>
        <translation>Traer contenido</translation>
    </message>
    <message>
        <source>Closing the window can leave Keepsake in the tray, where your agents still reach it.</source>
        <translation>Al cerrar la ventana, Keepsake puede quedarse en la bandeja del sistema, donde tus agentes aún pueden acceder a él.</translation>
    </message>
    <message>
        <source>Closing the window can leave Keepsake running, hidden. Start it again to see the window.</source>
        <translation>Al cerrar la ventana, Keepsake puede seguir en marcha, oculto. Inícialo de nuevo para ver la ventana.</translation>
    </message>
    <message>
        <source>Connect agents</source>
        <translation>Conectar agentes</translation>
    </message>
    <message>
        <source>How it works for you</source>
        <translation>Cómo trabaja para ti</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importar…</translation>
    </message>
    <message>
        <source>Keepsake keeps your conversations, notes and facts, and finds them again by words and meaning.</source>
        <translation>Keepsake guarda tus conversaciones, notas y hechos, y los vuelve a encontrar por palabras y significado.</translation>
    </message>
    <message>
        <source>Look at a sample vault</source>
        <translation>Ver una bóveda de ejemplo</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Siguiente</translation>
    </message>
    <message>
        <source>Or start empty: Quick capture in the File menu saves a thought as a note.</source>
        <translation>O empieza en vacío: Captura rápida, en el menú Archivo, guarda una idea como nota.</translation>
    </message>
    <message>
        <source>See backups</source>
        <translation>Ver copias de seguridad</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Omitir</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Empezar</translation>
    </message>
    <message>
        <source>Step {n} of {count}</source>
        <translation>Paso {n} de {count}</translation>
    </message>
    <message>
        <source>The sample vault opens in a window of its own and leaves yours as it is.</source>
        <translation>La bóveda de ejemplo se abre en una ventana propia y deja la tuya como está.</translation>
    </message>
    <message>
        <source>Your vault: {folder}</source>
        <translation>Tu bóveda: {folder}</translation>
    </message>
</context>
<context>
    <name>WhyNotDialog</name>
    <message>
        <source>Choose what you expected among the results of ‘{query}’.</source>
        <translation>Elige lo que esperabas entre los resultados de «{query}».</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Cerrar</translation>
    </message>
    <message>
        <source>Conversations and memories</source>
        <translation>Conversaciones y recuerdos</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>Mirando…</translation>
    </message>
    <message>
        <source>Search that way</source>
        <translation>Buscar así</translation>
    </message>
    <message>
        <source>There is nothing with these words or this title in the vault.</source>
        <translation>No hay nada con estas palabras ni este título en la bóveda.</translation>
    </message>
    <message>
        <source>This is about the message of the conversation that fits best.</source>
        <translation>Esto es sobre el mensaje de la conversación que mejor encaja.</translation>
    </message>
    <message>
        <source>This search shows it: {query}</source>
        <translation>Esta búsqueda lo muestra: {query}</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Sin título</translation>
    </message>
    <message>
        <source>What you expected</source>
        <translation>Lo que esperabas</translation>
    </message>
    <message>
        <source>Why not …?</source>
        <translation>¿Por qué no…?</translation>
    </message>
    <message>
        <source>Words of it, or its title…</source>
        <translation>Palabras que contiene, o su título…</translation>
    </message>
</context>
<context>
    <name>WhyPanel</name>
    <message>
        <source>A filled bar lifted the result, an outlined one lowered it.</source>
        <translation>Una barra llena subió el resultado, una con solo contorno lo bajó.</translation>
    </message>
    <message>
        <source>How it was found</source>
        <translation>Cómo se encontró</translation>
    </message>
    <message>
        <source>Importance</source>
        <translation>Importancia</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>Significado</translation>
    </message>
    <message>
        <source>Mentions</source>
        <translation>Menciones</translation>
    </message>
    <message>
        <source>Newness</source>
        <translation>Novedad</translation>
    </message>
    <message>
        <source>Next marked word</source>
        <translation>Siguiente palabra marcada</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Abrir</translation>
    </message>
    <message>
        <source>Other names</source>
        <translation>Otros nombres</translation>
    </message>
    <message>
        <source>Previous marked word</source>
        <translation>Palabra marcada anterior</translation>
    </message>
    <message>
        <source>Text of the result</source>
        <translation>Texto del resultado</translation>
    </message>
    <message>
        <source>What counted, and how much</source>
        <translation>Qué contó y cuánto</translation>
    </message>
    <message>
        <source>What else counted</source>
        <translation>Qué más contó</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>Palabras</translation>
    </message>
    <message>
        <source>place {rank}</source>
        <translation>puesto {rank}</translation>
    </message>
    <message>
        <source>{m} marked</source>
        <translation>{m} marcados</translation>
    </message>
    <message>
        <source>{n} of {m}</source>
        <translation>{n} de {m}</translation>
    </message>
</context>
<context>
    <name>Window</name>
    <message>
        <source>Choose a search model</source>
        <translation>Elegir un modelo de búsqueda</translation>
    </message>
    <message>
        <source>Drop to import</source>
        <translation>Suelta para importar</translation>
    </message>
    <message>
        <source>Keepsake</source>
        <translation>Keepsake</translation>
    </message>
    <message>
        <source>Keepsake (safe mode)</source>
        <translation>Keepsake (modo seguro)</translation>
    </message>
    <message>
        <source>Only the window is in safe mode: another Keepsake has your memories open. Quit that one for all of it.</source>
        <translation>Solo la ventana está en modo seguro: otro Keepsake tiene abiertos tus recuerdos. Ciérralo para que valga en todo.</translation>
    </message>
    <message>
        <source>Safe mode: schedules, models and search by meaning are off, and the appearance is the default one. Settings that you change count from the next start.</source>
        <translation>Modo seguro: programaciones, modelos y búsqueda por significado están desactivados, y la apariencia es la predeterminada. Los ajustes que cambies cuentan desde el próximo inicio.</translation>
    </message>
    <message>
        <source>Several machines</source>
        <translation>Varios equipos</translation>
    </message>
</context>
<context>
    <name>WindowActions</name>
    <message>
        <source>Choose in {pane} what ‘{title}’ is for. Then give the command again.</source>
        <translation>Elige primero en {pane} a qué se aplica «{title}» y repite la orden.</translation>
    </message>
    <message>
        <source>Created ‘{title}’</source>
        <translation>Se creó «{title}»</translation>
    </message>
    <message>
        <source>Keepsake ended unexpectedly on {time}. What was saved is kept. Copy the details if you want to report it.</source>
        <translation>Keepsake terminó de forma inesperada el {time}. Lo guardado se conserva. Copia los detalles si quieres informar de ello.</translation>
    </message>
    <message>
        <source>Link copied</source>
        <translation>Enlace copiado</translation>
    </message>
    <message>
        <source>No language model is set up. The settings llm.* name one.</source>
        <translation>No hay modelo de lenguaje configurado. Los ajustes llm.* nombran uno.</translation>
    </message>
    <message>
        <source>Open a note, conversation or search first; this place has no link</source>
        <translation>Abre primero una nota, conversación o búsqueda; este lugar no tiene enlace</translation>
    </message>
    <message>
        <source>{model} answered in {seconds} seconds. This month it cost {cost}.</source>
        <translation>{model} respondió en {seconds} segundos. Este mes costó {cost}.</translation>
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
        <translation>Un mensaje de varias frases</translation>
    </message>
    <message>
        <source>A question came before</source>
        <translation>Antes vino una pregunta</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>Aceptado</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>Archivado</translation>
    </message>
    <message>
        <source>As in the settings</source>
        <translation>Como en los ajustes</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Asistente</translation>
    </message>
    <message>
        <source>Best match overall</source>
        <translation>Mejor coincidencia en conjunto</translation>
    </message>
    <message>
        <source>By conversation</source>
        <translation>Por conversación</translation>
    </message>
    <message>
        <source>By day</source>
        <translation>Por día</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Cambiado</translation>
    </message>
    <message>
        <source>Condensed</source>
        <translation>Condensado</translation>
    </message>
    <message>
        <source>Confirmed</source>
        <translation>Confirmado</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>Fecha</translation>
    </message>
    <message>
        <source>Dates</source>
        <translation>Fechas</translation>
    </message>
    <message>
        <source>Deleted</source>
        <translation>Eliminado</translation>
    </message>
    <message>
        <source>Deleted from the archive</source>
        <translation>Eliminado del archivo</translation>
    </message>
    <message>
        <source>Digest</source>
        <translation>Extracto</translation>
    </message>
    <message>
        <source>Digests</source>
        <translation>Extractos</translation>
    </message>
    <message>
        <source>E-mail address</source>
        <translation>Dirección de correo</translation>
    </message>
    <message>
        <source>E-mail addresses</source>
        <translation>Direcciones de correo</translation>
    </message>
    <message>
        <source>Fact</source>
        <translation>Hecho</translation>
    </message>
    <message>
        <source>Facts</source>
        <translation>Hechos</translation>
    </message>
    <message>
        <source>Follows a person</source>
        <translation>Sigue a una persona</translation>
    </message>
    <message>
        <source>Found because it {reasons}.</source>
        <translation>Encontrado porque {reasons}.</translation>
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
        <translation>Lo nuevo que es</translation>
    </message>
    <message>
        <source>How new the conversation is</source>
        <translation>Lo nueva que es la conversación</translation>
    </message>
    <message>
        <source>How results are grouped</source>
        <translation>Cómo se agrupan los resultados</translation>
    </message>
    <message>
        <source>How results are ranked</source>
        <translation>Cómo se clasifican los resultados</translation>
    </message>
    <message>
        <source>Import ({origin})</source>
        <translation>Importación ({origin})</translation>
    </message>
    <message>
        <source>It does not say {lacking}.</source>
        <translation>No dice {lacking}.</translation>
    </message>
    <message>
        <source>It is a note or fact</source>
        <translation>Es una nota o un hecho</translation>
    </message>
    <message>
        <source>It is a question</source>
        <translation>Es una pregunta</translation>
    </message>
    <message>
        <source>It is about who hears it</source>
        <translation>Trata de quien lo oye</translation>
    </message>
    <message>
        <source>It is about who says it</source>
        <translation>Trata de quien lo dice</translation>
    </message>
    <message>
        <source>It is in the archive, which searches leave out. Add is:archived.</source>
        <translation>Está en el archivo, que las búsquedas dejan fuera. Añade is:archived.</translation>
    </message>
    <message>
        <source>It is no longer there.</source>
        <translation>Ya no está.</translation>
    </message>
    <message>
        <source>It is not ready to be searched yet, or has no words of its own.</source>
        <translation>Aún no está listo para la búsqueda, o no tiene palabras propias.</translation>
    </message>
    <message>
        <source>It is of your project</source>
        <translation>Es de tu proyecto</translation>
    </message>
    <message>
        <source>It says a number</source>
        <translation>Dice un número</translation>
    </message>
    <message>
        <source>It says when</source>
        <translation>Dice cuándo</translation>
    </message>
    <message>
        <source>It says {words}, but not {lacking}, and others fit better.</source>
        <translation>Dice {words}, pero no {lacking}, y otros encajan mejor.</translation>
    </message>
    <message>
        <source>It says {words}, but so many others do that it did not come among the best.</source>
        <translation>Dice {words}, pero tantos otros también que no llegó a estar entre los mejores.</translation>
    </message>
    <message>
        <source>It shares no word with your search, and others are nearer in meaning.</source>
        <translation>No comparte ninguna palabra con tu búsqueda, y otros están más cerca en significado.</translation>
    </message>
    <message>
        <source>It was deleted. Restore it from the trash, and searches find it again.</source>
        <translation>Se eliminó. Restáuralo de la papelera y las búsquedas lo encontrarán de nuevo.</translation>
    </message>
    <message>
        <source>It was found, but only as number {place}; the first {limit} are shown.</source>
        <translation>Se encontró, pero solo en el puesto {place}; se muestran los primeros {limit}.</translation>
    </message>
    <message>
        <source>It was found: it is number {place} of the results.</source>
        <translation>Se encontró: es el número {place} de los resultados.</translation>
    </message>
    <message>
        <source>Its conversation is like the best ones</source>
        <translation>Su conversación se parece a las mejores</translation>
    </message>
    <message>
        <source>Its conversation is the newest of those</source>
        <translation>Su conversación es la más nueva de ellas</translation>
    </message>
    <message>
        <source>Its conversation was deleted.</source>
        <translation>Su conversación se eliminó.</translation>
    </message>
    <message>
        <source>Its words fit those of the question in meaning</source>
        <translation>Sus palabras encajan en sentido con las de la pregunta</translation>
    </message>
    <message>
        <source>Judged by the reading model</source>
        <translation>Juzgado por el modelo que lee</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>Longitud</translation>
    </message>
    <message>
        <source>Length of the conversation</source>
        <translation>Longitud de la conversación</translation>
    </message>
    <message>
        <source>Length of the question</source>
        <translation>Longitud de la pregunta</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>Significado</translation>
    </message>
    <message>
        <source>Meaning around it</source>
        <translation>Significado alrededor</translation>
    </message>
    <message>
        <source>Meaning before words</source>
        <translation>Significado antes que palabras</translation>
    </message>
    <message>
        <source>Meaning of the conversation</source>
        <translation>Significado de la conversación</translation>
    </message>
    <message>
        <source>Meaning of the message after</source>
        <translation>Significado del mensaje siguiente</translation>
    </message>
    <message>
        <source>Meaning of the message before</source>
        <translation>Significado del mensaje anterior</translation>
    </message>
    <message>
        <source>Mention</source>
        <translation>Mención</translation>
    </message>
    <message>
        <source>Mentions</source>
        <translation>Menciones</translation>
    </message>
    <message>
        <source>Mentions what you name</source>
        <translation>Menciona lo que nombras</translation>
    </message>
    <message>
        <source>Merged</source>
        <translation>Fusionado</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Mensaje</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Mensajes</translation>
    </message>
    <message>
        <source>Most of your words in one of its messages</source>
        <translation>La mayoría de tus palabras en uno de sus mensajes</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nombre</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>Nombres</translation>
    </message>
    <message>
        <source>Names in it</source>
        <translation>Nombres en él</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Nota</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notas</translation>
    </message>
    <message>
        <source>Observation</source>
        <translation>Observación</translation>
    </message>
    <message>
        <source>Observations</source>
        <translation>Observaciones</translation>
    </message>
    <message>
        <source>One list, best first</source>
        <translation>Una lista, los mejores primero</translation>
    </message>
    <message>
        <source>Only the meaning</source>
        <translation>Solo el significado</translation>
    </message>
    <message>
        <source>Only your words</source>
        <translation>Solo tus palabras</translation>
    </message>
    <message>
        <source>Organization</source>
        <translation>Organización</translation>
    </message>
    <message>
        <source>Organizations</source>
        <translation>Organizaciones</translation>
    </message>
    <message>
        <source>Other messages of its conversation came first.</source>
        <translation>Otros mensajes de su conversación quedaron antes.</translation>
    </message>
    <message>
        <source>Other name</source>
        <translation>Otro nombre</translation>
    </message>
    <message>
        <source>Other names</source>
        <translation>Otros nombres</translation>
    </message>
    <message>
        <source>People</source>
        <translation>Personas</translation>
    </message>
    <message>
        <source>Person</source>
        <translation>Persona</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Lugar</translation>
    </message>
    <message>
        <source>Place by meaning</source>
        <translation>Puesto por significado</translation>
    </message>
    <message>
        <source>Place by words</source>
        <translation>Puesto por palabras</translation>
    </message>
    <message>
        <source>Places</source>
        <translation>Lugares</translation>
    </message>
    <message>
        <source>Private</source>
        <translation>Privado</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Proyecto</translation>
    </message>
    <message>
        <source>Projects</source>
        <translation>Proyectos</translation>
    </message>
    <message>
        <source>Read from the history</source>
        <translation>Leído del historial</translation>
    </message>
    <message>
        <source>Reflection</source>
        <translation>Reflexión</translation>
    </message>
    <message>
        <source>Reflections</source>
        <translation>Reflexiones</translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation>Rechazado</translation>
    </message>
    <message>
        <source>Renamed</source>
        <translation>Renombrado</translation>
    </message>
    <message>
        <source>Restored</source>
        <translation>Restaurado</translation>
    </message>
    <message>
        <source>Said again</source>
        <translation>Dicho otra vez</translation>
    </message>
    <message>
        <source>Said by a person</source>
        <translation>Dicho por una persona</translation>
    </message>
    <message>
        <source>Said by someone you name</source>
        <translation>Dicho por alguien que nombras</translation>
    </message>
    <message>
        <source>Said by whom you name first</source>
        <translation>Dicho por quien nombras primero</translation>
    </message>
    <message>
        <source>Said soon after the time named</source>
        <translation>Dicho poco después de la hora nombrada</translation>
    </message>
    <message>
        <source>Said to someone you name</source>
        <translation>Dicho a alguien que nombras</translation>
    </message>
    <message>
        <source>Share of your words around it</source>
        <translation>Parte de tus palabras alrededor</translation>
    </message>
    <message>
        <source>Share of your words in it</source>
        <translation>Parte de tus palabras en él</translation>
    </message>
    <message>
        <source>Share of your words in the conversation</source>
        <translation>Parte de tus palabras en la conversación</translation>
    </message>
    <message>
        <source>Share of your words in the message before</source>
        <translation>Parte de tus palabras en el mensaje anterior</translation>
    </message>
    <message>
        <source>Share of your words two messages later</source>
        <translation>Parte de tus palabras dos mensajes después</translation>
    </message>
    <message>
        <source>Shared</source>
        <translation>Compartido</translation>
    </message>
    <message>
        <source>Social</source>
        <translation>Social</translation>
    </message>
    <message>
        <source>Some nearest, some important, some latest</source>
        <translation>Algunos cercanos, algunos importantes, algunos recientes</translation>
    </message>
    <message>
        <source>System</source>
        <translation>Sistema</translation>
    </message>
    <message>
        <source>The date fits</source>
        <translation>La fecha encaja</translation>
    </message>
    <message>
        <source>The message before asks about your words</source>
        <translation>El mensaje anterior pregunta por tus palabras</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Herramienta</translation>
    </message>
    <message>
        <source>Web address</source>
        <translation>Dirección web</translation>
    </message>
    <message>
        <source>Web addresses</source>
        <translation>Direcciones web</translation>
    </message>
    <message>
        <source>What words, meaning and names agree on</source>
        <translation>En lo que coinciden palabras, significado y nombres</translation>
    </message>
    <message>
        <source>Whether texts are chat or long</source>
        <translation>Si los textos son de chat o largos</translation>
    </message>
    <message>
        <source>Words and meaning alike</source>
        <translation>Palabras y significado por igual</translation>
    </message>
    <message>
        <source>Words and meaning, newer and repeated first</source>
        <translation>Palabras y significado, lo nuevo y repetido primero</translation>
    </message>
    <message>
        <source>Words around it</source>
        <translation>Palabras alrededor</translation>
    </message>
    <message>
        <source>Words of the conversation</source>
        <translation>Palabras de la conversación</translation>
    </message>
    <message>
        <source>Words of the message</source>
        <translation>Palabras del mensaje</translation>
    </message>
    <message>
        <source>Words of the message after</source>
        <translation>Palabras del mensaje siguiente</translation>
    </message>
    <message>
        <source>Words of the message before</source>
        <translation>Palabras del mensaje anterior</translation>
    </message>
    <message>
        <source>Words of the passage</source>
        <translation>Palabras del pasaje</translation>
    </message>
    <message>
        <source>Words of the person in it</source>
        <translation>Palabras de la persona en él</translation>
    </message>
    <message>
        <source>Words of the whole conversation</source>
        <translation>Palabras de toda la conversación</translation>
    </message>
    <message>
        <source>Words side by side</source>
        <translation>Palabras juntas</translation>
    </message>
    <message>
        <source>Words, for its length</source>
        <translation>Palabras, según su longitud</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>Escrito</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Tú</translation>
    </message>
    <message>
        <source>Your search leaves it out because of {operators}.</source>
        <translation>Tu búsqueda lo deja fuera por {operators}.</translation>
    </message>
    <message>
        <source>Your search rules it out by {words}.</source>
        <translation>Tu búsqueda lo excluye con {words}.</translation>
    </message>
    <message>
        <source>a change</source>
        <translation>un cambio</translation>
    </message>
    <message>
        <source>a decision</source>
        <translation>una decisión</translation>
    </message>
    <message>
        <source>a discovery</source>
        <translation>un descubrimiento</translation>
    </message>
    <message>
        <source>a plan</source>
        <translation>un plan</translation>
    </message>
    <message>
        <source>a preference</source>
        <translation>una preferencia</translation>
    </message>
    <message>
        <source>a problem</source>
        <translation>un problema</translation>
    </message>
    <message>
        <source>an event</source>
        <translation>un acontecimiento</translation>
    </message>
    <message>
        <source>comes from {agent}</source>
        <translation>viene de {agent}</translation>
    </message>
    <message>
        <source>has your words in its title or around it</source>
        <translation>tiene tus palabras en su título o alrededor</translation>
    </message>
    <message>
        <source>is a {kind}</source>
        <translation>es de tipo «{kind}»</translation>
    </message>
    <message>
        <source>is about {names}</source>
        <translation>trata de {names}</translation>
    </message>
    <message>
        <source>is among the newest</source>
        <translation>está entre los más nuevos</translation>
    </message>
    <message>
        <source>is from {month}</source>
        <translation>es de {month}</translation>
    </message>
    <message>
        <source>is important</source>
        <translation>es importante</translation>
    </message>
    <message>
        <source>is near in meaning</source>
        <translation>es cercano en significado</translation>
    </message>
    <message>
        <source>is pinned</source>
        <translation>está fijado</translation>
    </message>
    <message>
        <source>is tagged {tags}</source>
        <translation>tiene la etiqueta {tags}</translation>
    </message>
    <message>
        <source>linked in a note</source>
        <translation>enlazado en una nota</translation>
    </message>
    <message>
        <source>linked in {n} notes</source>
        <translation>enlazado en {n} notas</translation>
    </message>
    <message>
        <source>mentions what you name</source>
        <translation>menciona lo que nombras</translation>
    </message>
    <message>
        <source>more of your words</source>
        <translation>más palabras tuyas</translation>
    </message>
    <message>
        <source>says {words}</source>
        <translation>dice {words}</translation>
    </message>
    <message>
        <source>something learned</source>
        <translation>algo aprendido</translation>
    </message>
    <message>
        <source>stands beside what fits</source>
        <translation>está junto a lo que encaja</translation>
    </message>
    <message>
        <source>stands in ‘{title}’</source>
        <translation>está en «{title}»</translation>
    </message>
    <message>
        <source>was said often</source>
        <translation>se dijo a menudo</translation>
    </message>
    <message>
        <source>{parts} and {last}</source>
        <translation>{parts} y {last}</translation>
    </message>
</context>
<context>
    <name>_TitleField</name>
    <message>
        <source>Title</source>
        <translation>Título</translation>
    </message>
</context>
</TS>
