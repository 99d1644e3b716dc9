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
; Programs that start from now on get the PATH as it is then.
ChangesEnvironment=yes
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
en.Path=Let terminals and other programs find the command askance (PATH)
de.Path=Den Befehl askance in Terminals und anderen Programmen auffindbar machen (PATH)
en.DataStays=Settings, conversations and library stay in %1. To remove them, too, delete that folder.
de.DataStays=Einstellungen, Gespräche und Bibliothek bleiben in %1. Wer auch sie entfernen will, löscht diesen Ordner.

[Tasks]
Name: "path"; Description: "{cm:Path}"
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

; The name and the place of src/askance/system/integration.py, so that the settings show and change it.
[Registry]
Root: HKCU; Subkey: "Software\Microsoft\Windows\CurrentVersion\Run"; ValueType: string; ValueName: "Askance"; ValueData: """{app}\askance-window.exe"" --hidden"; Tasks: autostart
Root: HKCU; Subkey: "Software\Microsoft\Windows\CurrentVersion\Run"; ValueType: none; ValueName: "Askance"; Flags: dontcreatekey uninsdeletevalue

[Run]
Filename: "{app}\askance-window.exe"; Description: "{cm:LaunchProgram,Askance}"; Flags: nowait postinstall skipifsilent

[UninstallDelete]
Type: filesandordirs; Name: "{app}\_internal"

[Code]
{ The user's PATH lacks what is the system's, and may have variables in it: it is written back as it was read. }
function UserPath: String;
begin
  if not RegQueryStringValue(HKCU, 'Environment', 'Path', Result) then
    Result := '';
end;

{ Has the folder of the program in the user's PATH once, or not at all; all else stays as it is. }
procedure SetInPath(const Wanted: Boolean);
var
  Before, Path, Entry: String;
  At: Integer;
begin
  Before := UserPath;
  Path := ';' + Before + ';';
  Entry := ';' + ExpandConstant('{app}') + ';';
  At := Pos(Uppercase(Entry), Uppercase(Path));
  if Wanted = (At > 0) then
    exit;
  if Wanted then
  begin
    Path := Before;
    if (Path <> '') and (Path[Length(Path)] <> ';') then
      Path := Path + ';';
    Path := Path + ExpandConstant('{app}');
  end
  else
  begin
    Delete(Path, At, Length(Entry) - 1);
    Path := Copy(Path, 2, Length(Path) - 2);
  end;
  if Path = '' then
    RegDeleteValue(HKCU, 'Environment', 'Path')
  else
    RegWriteExpandStringValue(HKCU, 'Environment', 'Path', Path);
end;

procedure CurStepChanged(CurStep: TSetupStep);
begin
  if CurStep = ssPostInstall then
    SetInPath(WizardIsTaskSelected('path'));
end;

procedure CurUninstallStepChanged(CurUninstallStep: TUninstallStep);
begin
  if CurUninstallStep = usUninstall then
    SetInPath(False);
  if (CurUninstallStep = usPostUninstall) and not UninstallSilent and DirExists(ExpandConstant('{#Data}')) then
    MsgBox(FmtMessage(CustomMessage('DataStays'), [ExpandConstant('{#Data}')]), mbInformation, MB_OK);
end;
