; Inno Setup script of the Windows installer, for one person and without administrator rights.
; Has never been run: it needs Windows. Build with: iscc /DVersion=0.1.0 packaging\windows\keepsake.iss

#ifndef Version
  #error Give the version: iscc /DVersion=0.1.0 keepsake.iss
#endif
#define Name "Keepsake"
#define AppUserModelId "Keepsake.Keepsake"

[Setup]
AppId={{8B0C2F64-7B0F-4E0A-9D5B-0B9E4B1E7C55}
AppName={#Name}
AppVersion={#Version}
AppPublisher=The Keepsake team
DefaultDirName={autopf}\{#Name}
DefaultGroupName={#Name}
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
ChangesEnvironment=yes
CloseApplications=yes
Compression=lzma2/max
SolidCompression=yes
LicenseFile=..\..\LICENSE
OutputDir=..\..\dist
OutputBaseFilename=keepsake-{#Version}-windows-x64
SetupIconFile=..\..\build\packages\icons\keepsake.ico
UninstallDisplayIcon={app}\keepsake.exe
WizardStyle=modern

[Languages]
Name: "english"; MessagesFile: "compiler:Default.isl"
Name: "german"; MessagesFile: "compiler:Languages\German.isl"
Name: "spanish"; MessagesFile: "compiler:Languages\Spanish.isl"

[Tasks]
Name: "startup"; Description: "Start Keepsake in the tray when I log in"; Flags: unchecked
Name: "path"; Description: "Let terminals and agents find the command 'keepsake-cli'"

[Files]
Source: "..\..\dist\keepsake\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs

[Icons]
Name: "{group}\{#Name}"; Filename: "{app}\keepsake.exe"; AppUserModelID: "{#AppUserModelId}"

[Registry]
; Links of the form keepsake://…
Root: HKA; Subkey: "Software\Classes\keepsake"; ValueType: string; ValueData: "URL:Keepsake"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\keepsake"; ValueType: string; ValueName: "URL Protocol"; ValueData: ""
Root: HKA; Subkey: "Software\Classes\keepsake\shell\open\command"; ValueType: string; ValueData: """{app}\keepsake.exe"" --open ""%1"""
Root: HKCU; Subkey: "Software\Microsoft\Windows\CurrentVersion\Run"; ValueType: string; ValueName: "Keepsake"; ValueData: """{app}\keepsake.exe"" --hidden"; Tasks: startup; Flags: uninsdeletevalue
Root: HKCU; Subkey: "Environment"; ValueType: expandsz; ValueName: "Path"; ValueData: "{olddata};{app}"; Tasks: path; Check: IsMissingFromPath(ExpandConstant('{app}'))

[Run]
Filename: "{app}\keepsake-cli.exe"; Parameters: "--self-test"; Description: "Test the installation"; Flags: postinstall skipifsilent unchecked
Filename: "{app}\keepsake.exe"; Description: "Open Keepsake"; Flags: postinstall nowait skipifsilent

; The vault lies in the person's data folder and is not touched by the uninstaller.

[Code]
function IsMissingFromPath(Folder: string): Boolean;
var
  Path: string;
begin
  if not RegQueryStringValue(HKCU, 'Environment', 'Path', Path) then
    Path := '';
  Result := Pos(';' + Uppercase(Folder) + ';', ';' + Uppercase(Path) + ';') = 0;
end;
