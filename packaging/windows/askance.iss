; The installer for Windows: for one user, without an administrator. packaging/windows/installer.py compiles it.

#ifndef Version
  #error "Let packaging/windows/installer.py compile this."
#endif
#define Data "{localappdata}\askance"

[Setup]
; Windows knows by this that a version replaces another one: it never changes.
AppId={{77BF26E8-2015-4160-80ED-8C54DF59F6F8}
AppName=Askance
AppVersion={#Version}
AppVerName=Askance {#Version}
AppPublisher=The Askance authors
VersionInfoVersion={#NumericVersion}
PrivilegesRequired=lowest
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
; What Qt 6 asks for.
MinVersion=10.0.17763
DefaultDirName={autopf}\Askance
DisableDirPage=auto
DisableProgramGroupPage=yes
; A window that is open holds files of the program: it is closed before they are replaced.
CloseApplications=force
RestartApplications=no
SetupIconFile={#Icon}
UninstallDisplayIcon={app}\askance-window.exe
UninstallDisplayName=Askance
SourceDir={#Folder}
OutputDir={#Output}
OutputBaseFilename=askance-{#Version}-windows-x86_64-setup
Compression=lzma2/max
SolidCompression=yes
WizardStyle=modern

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"
Name: "de"; MessagesFile: "compiler:Languages\German.isl"

[CustomMessages]
en.Autostart=Start Askance when I sign in
de.Autostart=Askance bei der Anmeldung starten
en.DataStays=Settings, conversations and library stay in %1. To remove them, too, delete that folder.
de.DataStays=Einstellungen, Gespräche und Bibliothek bleiben in %1. Wer auch sie entfernen will, löscht diesen Ordner.

[Tasks]
Name: "autostart"; Description: "{cm:Autostart}"; Flags: unchecked

; Modules of an older version must not be found beside those of the new one, nor its metadata.
[InstallDelete]
Type: filesandordirs; Name: "{app}\_internal"
Type: filesandordirs; Name: "{app}\licences"
Type: files; Name: "{app}\askance*.exe"

[Files]
Source: "*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs

[Icons]
Name: "{autoprograms}\Askance"; Filename: "{app}\askance-window.exe"

; The name and the place of src/askance/system/autostart.py, so that the settings show and change it.
[Registry]
Root: HKCU; Subkey: "Software\Microsoft\Windows\CurrentVersion\Run"; ValueType: string; ValueName: "Askance"; ValueData: """{app}\askance-window.exe"" --hidden"; Tasks: autostart
Root: HKCU; Subkey: "Software\Microsoft\Windows\CurrentVersion\Run"; ValueType: none; ValueName: "Askance"; Flags: dontcreatekey uninsdeletevalue

[Run]
Filename: "{app}\askance-window.exe"; Description: "{cm:LaunchProgram,Askance}"; Flags: nowait postinstall skipifsilent

[UninstallDelete]
Type: filesandordirs; Name: "{app}\_internal"

[Code]
procedure CurUninstallStepChanged(CurUninstallStep: TUninstallStep);
begin
  if (CurUninstallStep = usPostUninstall) and not UninstallSilent and DirExists(ExpandConstant('{#Data}')) then
    MsgBox(FmtMessage(CustomMessage('DataStays'), [ExpandConstant('{#Data}')]), mbInformation, MB_OK);
end;
