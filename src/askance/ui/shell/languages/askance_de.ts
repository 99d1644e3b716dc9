<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
    <context>
        <name>Askance</name>
        <message>
            <location filename="../../adapters/containers/compose.py" />
            <source>Install podman-compose 1.1 or newer, or Docker's compose.</source>
            <translation>podman-compose ab 1.1 oder das Compose von Docker installieren.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose.py" />
            <source>See {address} for how to install it.</source>
            <translation>Wie es installiert wird, steht unter {address}.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose.py" />
            <source>Install a newer Docker Desktop.</source>
            <translation>Ein neueres Docker Desktop installieren.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose.py" />
            <source>Or use Podman, which is here: `askance config set services.runtime podman`.</source>
            <translation>Oder Podman nehmen, das hier ist: `askance config set services.runtime podman`.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose.py" />
            <source>services.runtime = {said} is not allowed: it must be docker, podman or empty.</source>
            <translation>services.runtime = {said} ist nicht erlaubt: möglich sind docker, podman oder nichts.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose.py" />
            <source>`askance config set services.runtime docker` sets it.</source>
            <translation>`askance config set services.runtime docker` setzt es.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose.py" />
            <source>Windows, which keeps ranges of ports for itself</source>
            <translation>Windows, das Bereiche von Ports für sich behält</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose_project.py" />
            <source>The engine list that comes with Askance has changed; yours, {file}, stays as it is. The new one is {shipped}.</source>
            <translation>Die mitgelieferte Liste der Suchmaschinen ist neu; die eigene, {file}, bleibt, wie sie ist. Die neue ist {shipped}.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose_project.py" />
            <source>Fix it, or delete it: `askance up` then creates a new one.</source>
            <translation>Berichtigen oder löschen: `askance up` legt dann eine neue an.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose_project.py" />
            <source>{setting} = {address} is an address of this machine alone, which a container cannot reach.</source>
            <translation>{setting} = {address} ist eine Adresse nur dieses Rechners; ein Container erreicht sie nicht.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose_project.py" />
            <source>Let the proxy listen on an address of your network and name that one, or set reader.mode to inprocess, then run `askance up` again.</source>
            <translation>Den Proxy auf einer Adresse des eigenen Netzes lauschen lassen und diese nennen, oder reader.mode auf inprocess setzen, dann noch einmal `askance up`.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose_project.py" />
            <source>Let the proxy listen on an address of your network and name that one, then run `askance up` again.</source>
            <translation>Den Proxy auf einer Adresse des eigenen Netzes lauschen lassen und diese nennen, dann noch einmal `askance up`.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose_project.py" />
            <source>{name} would be {said}: it must not have a line break or a backslash in it.</source>
            <translation>{name} wäre {said}: Zeilenumbruch und umgekehrter Schrägstrich sind darin nicht erlaubt.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose_project.py" />
            <source>The engine list {file} has no settings in it.</source>
            <translation>In der Liste der Suchmaschinen {file} steht nichts.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose_project.py" />
            <location filename="../../adapters/llm/model_hub.py" />
            <location filename="../../app/attachments.py" />
            <location filename="../../app/past_conversations.py" />
            <source>{file} cannot be written: {problem}.</source>
            <translation>{file} lässt sich nicht schreiben: {problem}.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose_project.py" />
            <location filename="../../adapters/library/files/adding.py" />
            <location filename="../../app/library.py" />
            <source>{file} cannot be read: {problem}.</source>
            <translation>{file} ist nicht lesbar: {problem}.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose_project.py" />
            <source>The engine list {file} cannot be read: {problem}.</source>
            <translation>Die Liste der Suchmaschinen {file} ist nicht lesbar: {problem}.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose_project.py" />
            <source>The engine list {file} is not valid YAML, line {status}.</source>
            <translation>Die Liste der Suchmaschinen {file} ist kein gültiges YAML, Zeile {status}.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose_project.py" />
            <source>The engine list {file} is not valid YAML.</source>
            <translation>Die Liste der Suchmaschinen {file} ist kein gültiges YAML.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose_project.py" />
            <source>Check its owner and the free space.</source>
            <translation>Besitzer und freien Platz prüfen.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/compose_project.py" />
            <source>Fix or delete it.</source>
            <translation>Berichtigen oder löschen.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/container_services.py" />
            <source>ended with status {status}</source>
            <translation>endete mit Status {status}</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/container_services.py" />
            <source>answered with status {status}</source>
            <translation>hat mit Status {status} geantwortet</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/container_services.py" />
            <source>reports that it is unhealthy</source>
            <translation>meldet, dass er nicht bereit ist</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/container_services.py" />
            <source>There is no service {name}.</source>
            <translation>Es gibt keinen Dienst {name}.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/container_services.py" />
            <source>There are {names}.</source>
            <translation>Es gibt {names}.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/container_services.py" />
            <source>{file} cannot be removed: {problem}.</source>
            <translation>{file} lässt sich nicht entfernen: {problem}.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/container_services.py" />
            <source>the container {name}</source>
            <translation>den Container {name}</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/container_services.py" />
            <source>did not answer within {n} s</source>
            <translation>hat in {n} s nicht geantwortet</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/container_services.py" />
            <source>does not answer ({said})</source>
            <translation>antwortet nicht ({said})</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/container_services.py" />
            <location filename="../../server/clients.py" />
            <location filename="../../system/integration.py" />
            <source>Check its owner and permissions.</source>
            <translation>Besitzer und Rechte prüfen.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/container_services.py" />
            <source>ends with status {status} each time that it is started</source>
            <translation>endet nach jedem Start mit Status {status}</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/container_services.py" />
            <source>ends each time that it is started</source>
            <translation>endet nach jedem Start</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/engine.py" />
            <source>it ran out of memory</source>
            <translation>der Speicher war zu klein</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/engine.py" />
            <source>There is no container of {names}.</source>
            <translation>Es gibt keinen Container für {names}.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/engine.py" />
            <source>`askance up` starts it.</source>
            <translation>`askance up` startet ihn.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>Start it: `sudo systemctl start docker`, or Docker Desktop where that is installed.</source>
            <translation>`sudo systemctl start docker` startet es; oder Docker Desktop, wo das installiert ist.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>Add yourself to the group docker, `sudo usermod -aG docker $USER`, then log out and in again; or use rootless Docker or Podman.</source>
            <translation>Den eigenen Benutzer in die Gruppe docker aufnehmen, `sudo usermod -aG docker $USER`, dann ab- und wieder anmelden; oder Docker ohne Root oder Podman nehmen.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>Its last lines: “{lines}”.</source>
            <translation>Die letzten Zeilen: „{lines}“.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>Start Docker Desktop and wait until it is running.</source>
            <translation>Docker Desktop starten und warten, bis es läuft.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>Use the socket of your own user: `systemctl --user enable --now podman.socket`.</source>
            <translation>Den Socket des eigenen Benutzers nehmen: `systemctl --user enable --now podman.socket`.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>it gave no reason.</source>
            <translation>ohne Angabe von Gründen.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>{name}'s compose {version} is too old: 2.20 is needed.</source>
            <translation>Das Compose {version} von {name} ist zu alt: 2.20 ist nötig.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>{name} is there, but it has no compose.</source>
            <translation>{name} ist da, hat aber kein Compose.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>This user may not use {name} at {address}.</source>
            <translation>{name} unter {address} lässt diesen Benutzer nicht zu.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>{name} does not answer at {address}.</source>
            <translation>{name} antwortet nicht unter {address}.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>The container engine at {address} is on another machine, and so would be its ports.</source>
            <translation>Die Engine unter {address} läuft auf einem anderen Rechner, und ihre Ports wären dort.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>Stop what uses it, or take another port: `askance config set {setting} {address}`; then run `askance up` again.</source>
            <translation>Beenden, was ihn belegt, oder einen anderen Port nehmen: `askance config set {setting} {address}`; dann noch einmal `askance up`.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>Stop what uses it; then run `askance up` again.</source>
            <translation>Beenden, was ihn belegt; dann noch einmal `askance up`.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>Port {port} of this machine is taken by {name}.</source>
            <translation>Port {port} dieses Rechners ist belegt durch {name}.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>Port {port} of this machine is taken.</source>
            <translation>Port {port} dieses Rechners ist belegt.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <location filename="../../adapters/reader/network.py" />
            <location filename="../../adapters/reader/workers.py" />
            <source>this machine</source>
            <translation>dieser Rechner</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>{name} failed: {problem}</source>
            <translation>{name} ist fehlgeschlagen: {problem}</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>Start its machine: `podman machine start`.</source>
            <translation>`podman machine start` startet seine Maschine.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>Start its socket: `systemctl --user enable --now podman.socket`.</source>
            <translation>`systemctl --user enable --now podman.socket` startet seinen Socket.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>{name} was not found on this machine.</source>
            <translation>{name} gibt es auf diesem Rechner nicht.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>Neither Docker nor Podman was found on this machine.</source>
            <translation>Auf diesem Rechner gibt es weder Docker noch Podman.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>Install Docker (https://docs.docker.com/get-docker/) or Podman with podman-compose, and run `askance up` again. Without them pages are read in this program.</source>
            <translation>Docker (https://docs.docker.com/get-docker/) oder Podman mit podman-compose installieren, dann noch einmal `askance up`. Ohne sie werden Seiten in diesem Programm gelesen.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>Unset DOCKER_HOST, or run `docker context use default`.</source>
            <translation>DOCKER_HOST leeren oder `docker context use default` ausführen.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>The image {image} is not on this machine and could not be downloaded: {problem}</source>
            <translation>Das Image {image} ist nicht auf diesem Rechner und ließ sich nicht herunterladen: {problem}</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>The base of the reader's image is not on this machine and could not be downloaded: {problem}</source>
            <translation>Die Grundlage für das Image des Seitenlesers ist nicht auf diesem Rechner und ließ sich nicht herunterladen: {problem}</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>Connect this machine to the internet once and run `askance up` again. Behind a proxy, set it for the container engine, too.</source>
            <translation>Diesen Rechner einmal mit dem Internet verbinden, dann noch einmal `askance up`. Hinter einem Proxy muss auch die Engine ihn kennen.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>The reader's image could not be built: {problem}</source>
            <translation>Das Image des Seitenlesers war nicht zu bauen: {problem}</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>Run `askance up` again. If it fails again, report these lines.</source>
            <translation>Erneut `askance up`; bleibt es dabei, diese Zeilen melden.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>The container of {name} {how}.</source>
            <translation>Der Container {name} {how}.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>`askance logs {name}` shows more.</source>
            <translation>`askance logs {name}` zeigt mehr.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>{names} is not ready after {n} s.</source>
            <translation>{names} ist nach {n} s noch nicht bereit.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>{names} are not ready after {n} s.</source>
            <translation>{names} sind nach {n} s noch nicht bereit.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>`askance status` tells when that changes, `askance logs` what goes on.</source>
            <translation>`askance status` sagt, wann sich das ändert, `askance logs`, was vor sich geht.</translation>
        </message>
        <message>
            <location filename="../../adapters/containers/problems.py" />
            <source>`askance logs` may show more.</source>
            <translation>`askance logs` sagt vielleicht mehr.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/model_folders.py" />
            <source>Put the files of a model such as {model} into a folder, and set {setting} to it.</source>
            <translation>Die Dateien eines Modells wie {model} in einen Ordner legen und {setting} darauf setzen.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/model_folders.py" />
            <source>The folder {file} is not there.</source>
            <translation>Den Ordner {file} gibt es nicht.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/model_folders.py" />
            <source>{setting} names no folder.</source>
            <translation>{setting} nennt keinen Ordner.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/model_folders.py" />
            <source>The folder {file} holds no {name}.</source>
            <translation>Im Ordner {file} liegt kein {name}.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/model_folders.py" />
            <source>The model {model} failed: {problem}.</source>
            <translation>Das Modell {model} ist fehlgeschlagen: {problem}.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/model_folders.py" />
            <location filename="../../adapters/llm/embedded.py" />
            <source>The model file {file} cannot be read: {problem}.</source>
            <translation>Die Modelldatei {file} ist nicht lesbar: {problem}.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/model_folders.py" />
            <source>it gives no scores for a pair of texts</source>
            <translation>es gibt zu einem Textpaar keine Werte aus</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/model_folders.py" />
            <source>{file} does not say which score is that of entailment.</source>
            <translation>{file} sagt nicht, welcher Wert der für „entailment“ ist.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/model_folders.py" />
            <source>it holds no table of vectors</source>
            <translation>sie enthält keine Tabelle von Vektoren</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/model_folders.py" />
            <source>Put the files of the model into it.</source>
            <translation>Die Dateien des Modells hineinlegen.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/model_folders.py" />
            <source>Put the files of the model into its folder anew.</source>
            <translation>Die Dateien des Modells erneut in seinen Ordner legen.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/model_folders.py" />
            <source>Name it "entailment" in its `id2label`.</source>
            <translation>Ihn dort in `id2label` „entailment“ nennen.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/model_folders.py" />
            <source>A model in a folder needs {name}, which is not installed.</source>
            <translation>Ein Modell in einem Ordner braucht {name}, das nicht installiert ist.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/model_folders.py" />
            <source>it ends too early</source>
            <translation>sie endet zu früh</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/model_folders.py" />
            <source>This build of Askance comes without it: install another with pip, or embed with Ollama.</source>
            <translation>Diese Fassung von Askance enthält es nicht: eine andere mit pip installieren oder mit Ollama einbetten.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/model_folders.py" />
            <source>Install it with `pip install 'askance[embeddings]'`.</source>
            <translation>Mit `pip install 'askance[embeddings]'` installieren.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/servers.py" />
            <source>The embedding server</source>
            <translation>Der Einbettungsserver</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/servers.py" />
            <source>It asks for a key: set embeddings.api_key.</source>
            <translation>Er verlangt einen Schlüssel: embeddings.api_key setzen.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/servers.py" />
            <source>Check that embeddings.api and embeddings.url name the same server.</source>
            <translation>Prüfen, ob embeddings.api und embeddings.url denselben Server nennen.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/servers.py" />
            <source>Use a smaller model.</source>
            <translation>Ein kleineres Modell verwenden.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/servers.py" />
            <source>See the server's log, and which model embeddings.model names.</source>
            <translation>Das Protokoll des Servers ansehen, und welches Modell embeddings.model nennt.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/servers.py" />
            <source>{n} vectors where {of} were asked for</source>
            <translation>{n} Vektoren, wo {of} verlangt waren</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/servers.py" />
            <source>Set embeddings.path to the path of a GGUF file with an embedding model.</source>
            <translation>embeddings.path auf den Pfad einer GGUF-Datei mit einem Einbettungsmodell setzen.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/servers.py" />
            <source>vectors without a direction</source>
            <translation>Vektoren ohne Richtung</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/servers.py" />
            <source>Ollama at {address} has no embedding model.</source>
            <translation>Ollama unter {address} hat kein Einbettungsmodell.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/servers.py" />
            <source>vectors of {n} numbers where {of} are expected</source>
            <translation>Vektoren aus {n} Zahlen, wo {of} erwartet werden</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/servers.py" />
            <source>Download one, for example with `ollama pull embeddinggemma`.</source>
            <translation>Eines herunterladen, zum Beispiel mit `ollama pull embeddinggemma`.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/servers.py" />
            <source>Start it, or set embeddings.url.</source>
            <translation>Ihn starten, oder embeddings.url setzen.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/servers.py" />
            <source>The embedding server at {address} has no model.</source>
            <translation>Der Einbettungsserver unter {address} hat kein Modell.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/servers.py" />
            <source>Set embeddings.path to another GGUF file, with an embedding model.</source>
            <translation>embeddings.path auf eine andere GGUF-Datei setzen, mit einem Einbettungsmodell.</translation>
        </message>
        <message>
            <location filename="../../adapters/embeddings/servers.py" />
            <source>Load an embedding model there.</source>
            <translation>Dort ein Einbettungsmodell laden.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/adding.py" />
            <source>Reading it was interrupted.</source>
            <translation>Das Lesen wurde unterbrochen.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/adding.py" />
            <source>It changed while it was read; it will be read again.</source>
            <translation>Die Datei wurde beim Lesen geändert; sie wird erneut gelesen.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/adding.py" />
            <source>It vanished while the folder was read.</source>
            <translation>Die Datei verschwand, während der Ordner gelesen wurde.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/adding.py" />
            <location filename="../../app/library.py" />
            <source>Check that it is there, and that you may read it.</source>
            <translation>Prüfen, ob der Ort vorhanden ist und gelesen werden darf.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/adding.py" />
            <source>It grew while it was read.</source>
            <translation>Die Datei wurde größer, während sie gelesen wurde.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/attaching.py" />
            <source>It changed while it was read.</source>
            <translation>Die Datei hat sich beim Lesen geändert.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/attaching.py" />
            <source>Tesseract would read it, which is not installed.</source>
            <translation>Tesseract würde das lesen, ist aber nicht installiert.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/attaching.py" />
            <source>Tesseract could not read it.</source>
            <translation>Tesseract konnte das nicht lesen.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/collected.py" />
            <source>{n} of {available} entries hold no document; the first of them is number {number}.</source>
            <translation>{n} von {available} Einträgen enthalten kein Dokument; der erste davon ist Nummer {number}.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/collected.py" />
            <source>{n} of {available} entries are copies of files, which are read where they lie.</source>
            <translation>{n} von {available} Einträgen sind Kopien von Dateien; die werden dort gelesen, wo sie liegen.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/collected.py" />
            <source>Reading it took too long: only the first {n} entries were read.</source>
            <translation>Das Lesen dauerte zu lange: Nur die ersten {n} Einträge wurden gelesen.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/collected.py" />
            <source>It holds no document.</source>
            <translation>Die Datei enthält kein Dokument.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/opening.py" />
            <source>It is larger than {n} MiB (library.max_file_mb).</source>
            <translation>Die Datei ist größer als {n} MiB (library.max_file_mb).</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/parsing.py" />
            <source>It has no text.</source>
            <translation>Die Datei enthält keinen Text.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/parsing.py" />
            <source>LibreOffice would read it, which is not installed.</source>
            <translation>LibreOffice würde sie lesen, ist aber nicht installiert.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/parsing.py" />
            <source>LibreOffice could not read it.</source>
            <translation>LibreOffice konnte sie nicht lesen.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/parsing.py" />
            <source>Reading it took longer than {n} s.</source>
            <translation>Das Lesen dauerte länger als {n} s.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>Files of this kind are not read.</source>
            <translation>Dateien dieser Art werden nicht gelesen.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>It is empty.</source>
            <translation>Die Datei ist leer.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <location filename="../../app/attachments.py" />
            <source>It cannot be read: {problem}.</source>
            <translation>Das kann nicht gelesen werden: {problem}.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>{rule} excludes it.</source>
            <translation>{rule} schließt das aus.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>It is in no folder that was added. `askance library add` adds it.</source>
            <translation>Die Datei liegt in keinem hinzugefügten Ordner. `askance library add` fügt sie hinzu.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>It is {file}, which {rule} excludes, under another name.</source>
            <translation>Das ist {file} unter anderem Namen, und {rule} schließt es aus.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>This name is excluded.</source>
            <translation>Dieser Name ist ausgeschlossen.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>It is in no folder that was added, and {rule} (library.exclude) would exclude it.</source>
            <translation>Die Datei liegt in keinem hinzugefügten Ordner, und {rule} (library.exclude) würde sie ausschließen.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>It is a folder. `askance library status --all` names its files.</source>
            <translation>Das ist ein Ordner. `askance library status --all` nennt seine Dateien.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>It was not read yet. `askance library add` reads it.</source>
            <translation>Noch nicht gelesen. `askance library add` liest die Datei.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>It has changed since it was read. `askance library add` reads it.</source>
            <translation>Geändert, seit gelesen wurde. `askance library add` liest die Datei.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>Its name is not UTF-8. Give it another name.</source>
            <translation>Der Name ist kein UTF-8. Die Datei braucht einen anderen.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>The disk that was here is not there. What it held stays in the library.</source>
            <translation>Der Datenträger, der hier war, ist nicht da. Was er enthielt, bleibt in der Bibliothek.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>It was removed from the library; add it by its path to have it back.</source>
            <translation>Die Datei wurde aus der Bibliothek entfernt; über ihren Pfad kann sie wieder hinzugefügt werden.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>It is not there.</source>
            <translation>Die Datei ist nicht da.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>It is a link, and links are not followed.</source>
            <translation>Das ist eine Verknüpfung, und Verknüpfungen wird nicht gefolgt.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>It lies more than {n} folders deep.</source>
            <translation>Er liegt mehr als {n} Ordner tief.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>It is no file that can be read.</source>
            <translation>Das ist keine Datei, die gelesen werden kann.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>It is not among the files to include.</source>
            <translation>Die Datei gehört nicht zu den Dateien, die aufgenommen werden.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/walking.py" />
            <source>{file}: {problem}</source>
            <translation>{file}: {problem}</translation>
        </message>
        <message>
            <location filename="../../adapters/library/files/watching.py" />
            <source>The system does not tell of all changes: {problem}. Askance looks every {n} s instead.</source>
            <translation>Das System meldet nicht alle Änderungen: {problem}. Askance sieht stattdessen alle {n} s nach.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/library_tables.py" />
            <source>The library</source>
            <translation>Die Bibliothek</translation>
        </message>
        <message>
            <location filename="../../adapters/library/library_tables.py" />
            <source>The index lacks passages: {n}.</source>
            <translation>Im Index fehlen Textstellen: {n}.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/library_tables.py" />
            <source>The index holds passages that are not kept: {n}.</source>
            <translation>Der Index enthält Textstellen, die nicht gespeichert sind: {n}.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/library_tables.py" />
            <source>Texts are found that should not be, or the reverse: {n}.</source>
            <translation>Texte werden gefunden, die nicht gefunden werden sollen, oder umgekehrt: {n}.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/library_tables.py" />
            <source>Texts are kept that no document has: {n}.</source>
            <translation>Texte sind gespeichert, die kein Dokument hat: {n}.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/library_tables.py" />
            <source>The number of passages is wrong.</source>
            <translation>Die Anzahl der Textstellen stimmt nicht.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/library_tables.py" />
            <source>The index is damaged: {problem}.</source>
            <translation>Der Index ist beschädigt: {problem}.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/qdrant_vectors.py" />
            <source>Qdrant does not answer at {url}.</source>
            <translation>Qdrant antwortet nicht unter {url}.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/qdrant_vectors.py" />
            <source>What Qdrant at {url} sends cannot be read.</source>
            <translation>Was Qdrant unter {url} sendet, ist nicht zu lesen.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/qdrant_vectors.py" />
            <source>Qdrant at {url} is too slow: it has taken {n} s.</source>
            <translation>Qdrant unter {url} ist zu langsam: Es hat {n} s gebraucht.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/qdrant_vectors.py" />
            <source>Qdrant at {url} answered {status}.</source>
            <translation>Qdrant unter {url} antwortete mit {status}.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/qdrant_vectors.py" />
            <source>Start it, or set library.qdrant_url.</source>
            <translation>Den Server starten oder library.qdrant_url setzen.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/qdrant_vectors.py" />
            <source>Look into the server's own log.</source>
            <translation>Im Protokoll des Servers nachsehen.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/qdrant_vectors.py" />
            <source>Qdrant at {url} refuses the key.</source>
            <translation>Qdrant unter {url} weist den Schlüssel zurück.</translation>
        </message>
        <message>
            <location filename="../../adapters/library/qdrant_vectors.py" />
            <source>Set library.qdrant_key.</source>
            <translation>library.qdrant_key setzen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>The embedded llama.cpp</source>
            <translation>Das eingebaute llama.cpp</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>Set llm.api to ollama: this build of Askance comes without llama.cpp.</source>
            <translation>llm.api auf ollama setzen: Dieses Askance ist ohne llama.cpp gebaut.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>Set llm.gguf to the path of a GGUF file with an instruction-tuned model.</source>
            <translation>llm.gguf braucht den Pfad einer GGUF-Datei mit einem Modell, das Anweisungen folgt.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>Set llm.gguf to another GGUF file, or install a newer xllamacpp.</source>
            <translation>llm.gguf auf eine andere GGUF-Datei setzen oder ein neueres xllamacpp installieren.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>signal {said}</source>
            <translation>Signal {said}</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>exit status {status}</source>
            <translation>Status {status}</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>Try a smaller GGUF file: memory may have run out.</source>
            <translation>Eine kleinere GGUF-Datei versuchen: Der Speicher war vielleicht zu klein.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>The embedded model needs xllamacpp, which is not installed.</source>
            <translation>Das eingebaute Modell braucht xllamacpp, und das ist nicht installiert.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>{setting} names no file.</source>
            <translation>{setting} nennt keine Datei.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>The file {file} is not a GGUF file.</source>
            <translation>Die Datei {file} ist keine GGUF-Datei.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>Start Askance again.</source>
            <translation>Askance neu starten.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>{service} did not load {model} within {n} s.</source>
            <translation>{service} hat {model} nicht in {n} s geladen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>Use a smaller GGUF file, or raise llm.load_timeout_s.</source>
            <translation>Eine kleinere GGUF-Datei verwenden oder llm.load_timeout_s erhöhen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>{service} ended while loading {model} ({how}): {said}.</source>
            <translation>{service} endete beim Laden von {model} ({how}): {said}.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>{service} ended ({how}): {said}.</source>
            <translation>{service} endete ({how}): {said}.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>{service} ended while loading {model} ({how}).</source>
            <translation>{service} endete beim Laden von {model} ({how}).</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>{service} ended ({how}).</source>
            <translation>{service} endete ({how}).</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>Set {setting} to the path of one that is.</source>
            <translation>{setting} braucht den Pfad einer echten.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>Install it with `pip install 'askance[embedded]'`.</source>
            <translation>`pip install 'askance[embedded]'` installiert es.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/embedded.py" />
            <source>Set {setting} to the path of a GGUF file.</source>
            <translation>{setting} auf den Pfad einer GGUF-Datei setzen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_hub.py" />
            <source>{host} leads from one address to another.</source>
            <translation>{host} führt von einer Adresse zur anderen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_hub.py" />
            <source>{host} answered {status}.</source>
            <translation>{host} hat mit {status} geantwortet.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_hub.py" />
            <source>{host} does not describe {file}.</source>
            <translation>{host} beschreibt {file} nicht.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_hub.py" />
            <location filename="../../adapters/releases.py" />
            <source>{host} cannot be reached: {problem}.</source>
            <translation>{host} ist nicht zu erreichen: {problem}.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_hub.py" />
            <source>The connection was cut.</source>
            <translation>Die Verbindung wurde unterbrochen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_hub.py" />
            <source>{host} leads to a connection that is not safe.</source>
            <translation>{host} führt zu einer Verbindung, die nicht sicher ist.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>It asks for a key: set llm.api_key.</source>
            <translation>Er verlangt einen Schlüssel: llm.api_key setzen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>It does not take the key: check llm.api_key.</source>
            <translation>Er nimmt den Schlüssel nicht an: llm.api_key prüfen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>Wait a moment, then ask again.</source>
            <translation>Einen Augenblick warten, dann noch einmal fragen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>Start it with `ollama serve` ({address} has it), or set llm.url.</source>
            <translation>`ollama serve` startet Ollama (zu haben unter {address}); ist es woanders, gehört seine Adresse in llm.url.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>Check that llm.api and llm.url name the same server.</source>
            <translation>llm.api und llm.url müssen zum selben Server passen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>Start Ollama on that machine, or set llm.url.</source>
            <translation>Ollama auf jenem Rechner starten oder llm.url setzen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>Use a smaller model, or raise {setting}.</source>
            <translation>Ein kleineres Modell verwenden oder {setting} erhöhen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>{service} broke off its reply before the end.</source>
            <translation>{service} hat die Antwort vor dem Ende abgebrochen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>{service} sent what cannot be understood ({said}).</source>
            <translation>{service} hat etwas Unverständliches geschickt ({said}).</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>{service} failed in the middle of its reply: {said}</source>
            <translation>{service} hat mitten in der Antwort aufgegeben: {said}</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>See the server's log.</source>
            <translation>Mehr steht im Protokoll des Servers.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>It may not speak HTTPS: try llm.url = {address}.</source>
            <translation>Vielleicht spricht er kein HTTPS: llm.url = {address} versuchen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>a web page, “{title}”</source>
            <translation>eine Webseite, „{title}“</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>{service} is not there: {address} leads to {there}.</source>
            <translation>{service} ist nicht dort: {address} führt zu {there}.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>{service} refused the request with status {status}: {said}</source>
            <translation>{service} hat die Anfrage mit Status {status} abgelehnt: {said}</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>{service} refused the request with status {status}.</source>
            <translation>{service} hat die Anfrage mit Status {status} abgelehnt.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>Set llm.model to a model that chats.</source>
            <translation>llm.model auf ein Modell setzen, das chattet.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>Set llm.keep_alive to a duration such as `30m`, or to a number of seconds.</source>
            <translation>llm.keep_alive auf eine Dauer wie `30m` oder auf eine Zahl von Sekunden setzen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>{service} at {address} did not answer for {n} s.</source>
            <translation>{service} unter {address} hat {n} s lang nicht geantwortet.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>{service} does not answer at {address}.</source>
            <translation>{service} antwortet nicht unter {address}.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>Set llm.url to the address that it leads to.</source>
            <translation>llm.url auf die Adresse setzen, zu der es führt.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>{service} at {address} sends no reply.</source>
            <translation>{service} unter {address} sendet keine Antwort.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/model_server.py" />
            <source>a compressed body, unasked</source>
            <translation>ein ungefragt komprimierter Inhalt</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>https://ollama.com/search lists them.</source>
            <translation>https://ollama.com/search zählt sie auf.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>Ollama ended at once, with status {status}.</source>
            <translation>Ollama endete sofort, mit Status {status}.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>Run `OLLAMA_HOST={place} ollama serve` in a terminal to see why.</source>
            <translation>`OLLAMA_HOST={place} ollama serve` in einem Terminal zeigt, warum.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>Ollama does not have the model {model}.</source>
            <translation>Ollama hat das Modell {model} nicht.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>The model {model} does not run on this machine but in a cloud.</source>
            <translation>Das Modell {model} läuft nicht auf diesem Rechner, sondern in einer Cloud.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>Ollama ended at once, with status {status}: {name} listens at {place} already.</source>
            <translation>Ollama endete sofort, mit Status {status}: An {place} lauscht schon {name}.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>Stop that, or set llm.url to another port.</source>
            <translation>Jenes beenden oder llm.url auf einen anderen Port setzen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>Ollama cannot connect to the site that models are downloaded from: {said}.</source>
            <translation>Ollama erreicht die Seite nicht, von der Modelle heruntergeladen werden: {said}.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>Connect this computer to the internet and download it again: it continues where it stopped. Behind a proxy, start Ollama with HTTPS_PROXY.</source>
            <translation>Diesen Computer mit dem Internet verbinden und noch einmal herunterladen: Es geht da weiter, wo es aufgehört hat. Hinter einem Proxy Ollama mit HTTPS_PROXY starten.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>The disk is full on which Ollama keeps its models.</source>
            <translation>Der Datenträger, auf dem Ollama seine Modelle hält, ist voll.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>This Ollama is too old for {model}.</source>
            <translation>Dieses Ollama ist zu alt für {model}.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>Update it: {address} has the newest.</source>
            <translation>Ollama aktualisieren: Das neueste liegt unter {address}.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>Ollama at {address} has no chat model.</source>
            <translation>Ollama unter {address} hat kein Modell für Gespräche.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>Download it with `ollama pull {model}`, or set {setting} to one that `ollama list` shows.</source>
            <translation>Mit `ollama pull {model}` herunterladen, oder {setting} auf eines setzen, das `ollama list` zeigt.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>Set llm.model to a local model; `ollama list` shows them with their size.</source>
            <translation>llm.model muss ein lokales Modell nennen; `ollama list` zeigt sie mit ihrer Größe.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>No model is named for the download.</source>
            <translation>Für das Herunterladen ist kein Modell genannt.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>another program</source>
            <translation>ein anderes Programm</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>There is no model {model} to download.</source>
            <translation>Ein Modell {model} gibt es nicht zum Herunterladen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>Download one, for example with `ollama pull qwen3:4b`.</source>
            <translation>Eines herunterladen, zum Beispiel mit `ollama pull qwen3:4b`.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>Ollama cannot be started: {problem}.</source>
            <translation>Ollama lässt sich nicht starten: {problem}.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>Ollama was started, and does not answer at {address} yet.</source>
            <translation>Ollama ist gestartet und antwortet unter {address} noch nicht.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <location filename="../../adapters/storage/database.py" />
            <source>Free some space on it.</source>
            <translation>Dort Platz schaffen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>The model {model} cannot chat.</source>
            <translation>Das Modell {model} führt keine Gespräche.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>Set llm.model to a chat model; `ollama list` shows what is there.</source>
            <translation>llm.model muss ein Gesprächsmodell nennen; `ollama list` zeigt, welche da sind.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/ollama.py" />
            <source>Check again in a moment.</source>
            <translation>Gleich erneut prüfen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/openai.py" />
            <location filename="../../adapters/model_choice.py" />
            <location filename="../../app/checks/first_steps.py" />
            <source>The model server</source>
            <translation>Der Modellserver</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/openai.py" />
            <source>Start it, or set llm.url.</source>
            <translation>Starten, oder seine Adresse in llm.url eintragen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/openai.py" />
            <source>{service} at {address} does not have a chat model.</source>
            <translation>{service} unter {address} hat kein Modell für Gespräche.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/openai.py" />
            <source>Load a model into it.</source>
            <translation>Dort eines laden.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/openai.py" />
            <source>{service} at {address} gives no list of models (status {status}).</source>
            <translation>{service} unter {address} gibt keine Liste von Modellen heraus (Status {status}).</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/openai.py" />
            <source>Set llm.model, or check that llm.api and llm.url name the same server.</source>
            <translation>llm.model setzen, oder prüfen, ob llm.api und llm.url denselben Server nennen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/openai.py" />
            <source>Set llm.model to a model that chats; {model} was taken because none is set.</source>
            <translation>llm.model auf ein Modell setzen, das chattet; {model} wurde genommen, weil keines gesetzt ist.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/openai.py" />
            <source>{service} at {address} does not have the model {model}.</source>
            <translation>{service} unter {address} hat das Modell {model} nicht.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/openai.py" />
            <source>Load a model into it, or set llm.model.</source>
            <translation>Ein Modell hineinladen, oder llm.model setzen.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/openai.py" />
            <source>Set llm.model to one of: {names}.</source>
            <translation>llm.model auf eines davon setzen: {names}.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/openai.py" />
            <source>{service} at {address} still says {said} after {n} s.</source>
            <translation>{service} unter {address} meldet nach {n} s noch immer {said}.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/server_replies.py" />
            <source>Raise llm.context_tokens, or lower evidence.first_round_tokens.</source>
            <translation>llm.context_tokens erhöhen oder evidence.first_round_tokens senken.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/server_replies.py" />
            <source>The prompt has {needed} tokens; the context of {model} holds {available}.</source>
            <translation>Die Eingabe hat {needed} Token; der Kontext von {model} fasst {available}.</translation>
        </message>
        <message>
            <location filename="../../adapters/llm/server_replies.py" />
            <source>The prompt is too long; the context of {model} holds {available}.</source>
            <translation>Die Eingabe ist zu lang; der Kontext von {model} fasst {available}.</translation>
        </message>
        <message>
            <location filename="../../adapters/network/guarded_http.py" />
            <location filename="../../adapters/storage/ledger.py" />
            <location filename="../../app/client_service.py" />
            <location filename="../../engine/library_router.py" />
            <location filename="../../engine/run_progress.py" />
            <source>this program</source>
            <translation>dieses Programm</translation>
        </message>
        <message>
            <location filename="../../adapters/network/guarded_http.py" />
            <location filename="../../adapters/reader/service.py" />
            <source>the proxy {address}</source>
            <translation>der Proxy {address}</translation>
        </message>
        <message>
            <location filename="../../adapters/network/guarded_http.py" />
            <source>the name is not known</source>
            <translation>sein Name ist unbekannt</translation>
        </message>
        <message>
            <location filename="../../adapters/network/guarded_http.py" />
            <location filename="../../domain/messages.py" />
            <source>timed out</source>
            <translation>Zeit abgelaufen</translation>
        </message>
        <message>
            <location filename="../../adapters/network/guarded_http.py" />
            <source>no connection</source>
            <translation>keine Verbindung</translation>
        </message>
        <message>
            <location filename="../../adapters/network/guarded_http.py" />
            <source>{said} is not an address: {problem}.</source>
            <translation>{said} ist keine Adresse: {problem}.</translation>
        </message>
        <message>
            <location filename="../../adapters/network/own_services.py" />
            <source>`askance up` renews it; `askance status` shows what listens where.</source>
            <translation>`askance up` erneuert es; `askance status` zeigt, was wo lauscht.</translation>
        </message>
        <message>
            <location filename="../../adapters/network/own_services.py" />
            <source>The reader service</source>
            <translation>Der Seitenleser</translation>
        </message>
        <message>
            <location filename="../../adapters/network/own_services.py" />
            <source>What answers at {address} does not prove that it knows this program's token: another program listens there, or the token is not the one that it was started with.</source>
            <translation>Was unter {address} antwortet, weist nicht nach, dass es das Token dieses Programms kennt: Dort lauscht ein anderes Programm, oder es wurde mit einem anderen Token gestartet.</translation>
        </message>
        <message>
            <location filename="../../adapters/network/own_services.py" />
            <source>What answers at {address} is not {service}.</source>
            <translation>Was unter {address} antwortet, ist nicht {service}.</translation>
        </message>
        <message>
            <location filename="../../adapters/network/own_services.py" />
            <source>The token for {address} cannot be read from {file}.</source>
            <translation>Das Token für {address} ist aus {file} nicht zu lesen.</translation>
        </message>
        <message>
            <location filename="../../adapters/network/own_services.py" />
            <source>{service} at {address} does not answer within {n} s.</source>
            <translation>{service} unter {address} antwortet nicht in {n} s.</translation>
        </message>
        <message>
            <location filename="../../adapters/network/own_services.py" />
            <source>Nothing answers at {address}.</source>
            <translation>Unter {address} antwortet nichts.</translation>
        </message>
        <message>
            <location filename="../../adapters/network/own_services.py" />
            <source>`askance up` renews it.</source>
            <translation>`askance up` erneuert es.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/inprocess.py" />
            <source>The page is larger than {n} bytes.</source>
            <translation>Die Seite ist größer als {n} Bytes.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/inprocess.py" />
            <source>The page redirects more than {n} times.</source>
            <translation>Die Seite leitet öfter als {n} Mal weiter.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/inprocess.py" />
            <source>The page is {said}, which holds no readable text.</source>
            <translation>Die Seite ist {said} und enthält keinen lesbaren Text.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/inprocess.py" />
            <source>{host} is left out of this search.</source>
            <translation>{host} bleibt bei dieser Suche außen vor.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/inprocess.py" />
            <source>The proxy opens no way to {host}: {problem}.</source>
            <translation>Der Proxy öffnet keinen Weg zu {host}: {problem}.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/inprocess.py" />
            <source>The page redirects in a circle.</source>
            <translation>Die Seite leitet im Kreis weiter.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/inprocess.py" />
            <source>The address can be read in two ways.</source>
            <translation>Die Adresse lässt sich auf zwei Arten lesen.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/inprocess.py" />
            <source>The server answered {status} ({said}).</source>
            <translation>Der Server hat {status} geantwortet ({said}).</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/inprocess.py" />
            <source>The server answered {status}.</source>
            <translation>Der Server hat {status} geantwortet.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/inprocess.py" />
            <source>The page is packed as {said}, which was not asked for.</source>
            <translation>Die Seite ist als {said} gepackt, und das war nicht verlangt.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/inprocess.py" />
            <source>The certificate of {host} is not valid.</source>
            <translation>Das Zertifikat von {host} ist nicht gültig.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/inprocess.py" />
            <location filename="../../adapters/reader/workers.py" />
            <source>The page took longer than {n} seconds.</source>
            <translation>Die Seite brauchte länger als {n} Sekunden.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/inprocess.py" />
            <source>Reading the page failed inside the reader; its log says where.</source>
            <translation>Das Lesen der Seite ist im Seitenleser selbst fehlgeschlagen; sein Protokoll sagt, wo.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/inprocess.py" />
            <location filename="../../adapters/reader/network.py" />
            <source>The address is malformed.</source>
            <translation>Die Adresse ist fehlerhaft.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/inprocess.py" />
            <source>No connection to {host}.</source>
            <translation>Keine Verbindung zu {host}.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/inprocess.py" />
            <source>The connection to {host} broke.</source>
            <translation>Die Verbindung zu {host} ist abgerissen.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/inprocess.py" />
            <source>The packed page is damaged.</source>
            <translation>Die gepackte Seite ist beschädigt.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>the local link</source>
            <translation>die lokale Verbindung</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>not in use on the public internet</source>
            <translation>im öffentlichen Internet nicht in Gebrauch</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <location filename="../../app/library.py" />
            <source>Only http:// and https:// addresses are read.</source>
            <translation>Gelesen werden nur Adressen mit http:// und https://.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>The address carries a user name.</source>
            <translation>Die Adresse enthält einen Benutzernamen.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>Port {port} is not one that pages are read from.</source>
            <translation>Von Port {port} werden keine Seiten gelesen.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>The redirect is malformed.</source>
            <translation>Die Weiterleitung ist fehlerhaft.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>{host} leads inside: {address} is not a public address ({network}).</source>
            <translation>{host} führt nach innen: {address} ist keine öffentliche Adresse ({network}).</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>{host} is a name without a dot: it belongs to an inner network.</source>
            <translation>{host} ist ein Name ohne Punkt: Er gehört zu einem inneren Netz.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>Names under .{host} belong to an inner network.</source>
            <translation>Namen unter .{host} gehören zu einem inneren Netz.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>The host is not a name.</source>
            <translation>Der Host ist kein Name.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>The host is not an address, nor a name.</source>
            <translation>Der Host ist weder eine Adresse noch ein Name.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>it does not accept a name as long as that</source>
            <translation>so lange Namen nimmt er nicht</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>{address} is not a public address ({network}).</source>
            <translation>{address} ist keine öffentliche Adresse ({network}).</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>The port is malformed.</source>
            <translation>Der Port ist fehlerhaft.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>The host is not an IPv6 address.</source>
            <translation>Der Host ist keine IPv6-Adresse.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>The name {host} has no address.</source>
            <translation>Der Name {host} hat keine Adresse.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>it is no SOCKS5 proxy</source>
            <translation>er ist kein SOCKS5-Proxy</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>it asks for another name and password</source>
            <translation>er verlangt andere Zugangsdaten</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>it gets nowhere (SOCKS code {n})</source>
            <translation>er kommt nicht durch (SOCKS-Code {n})</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>it closed the connection</source>
            <translation>er hat die Verbindung geschlossen</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>this network</source>
            <translation>dieses Netz</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>a private network</source>
            <translation>ein privates Netz</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>a provider's inner network</source>
            <translation>das innere Netz eines Anbieters</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>a cloud's inner service</source>
            <translation>ein innerer Dienst einer Cloud</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>the local link, and cloud metadata</source>
            <translation>die lokale Verbindung und Metadaten einer Cloud</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>protocol assignments</source>
            <translation>für Protokolle vergeben</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>reserved, and broadcast</source>
            <translation>reserviert und für Rundsendungen</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>no address</source>
            <translation>keine Adresse</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>a local translator</source>
            <translation>ein lokaler Übersetzer</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>a private site</source>
            <translation>ein privater Standort</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>The name {host} is not known.</source>
            <translation>Der Name {host} ist nicht bekannt.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/network.py" />
            <source>it does not answer</source>
            <translation>er antwortet nicht</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/reader_protocol.py" />
            <source>The reader failed over this page.</source>
            <translation>Der Seitenleser ist bei dieser Seite fehlgeschlagen.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>the reader service</source>
            <translation>der Seitenleser</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>its answer is not understood</source>
            <translation>seine Antwort ist unverständlich</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>`askance up` starts it; `askance logs reader` says why it failed.</source>
            <translation>`askance up` startet ihn; `askance logs reader` sagt, woran es lag.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>What answers at {address} is not this reader: {problem}.</source>
            <translation>Was unter {address} antwortet, ist nicht dieser Seitenleser: {problem}.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>`askance up` updates it to this version; reader.url says where it is.</source>
            <translation>`askance up` bringt ihn auf diesen Stand; reader.url sagt, wo er ist.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>The reader service at {address} broke off its answer ({said}).</source>
            <translation>Der Seitenleser unter {address} hat seine Antwort abgebrochen ({said}).</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>Nothing answers at {address}, where the reader service should be ({said}).</source>
            <translation>Unter {address} antwortet nichts; dort sollte der Seitenleser sein ({said}).</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>The reader service at {address} {said}.</source>
            <translation>Der Seitenleser unter {address} {said}.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>the reader service at {host}</source>
            <translation>der Seitenleser unter {host}</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>a page comes from no address of the web</source>
            <translation>eine Seite kommt von keiner Adresse im Web</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>There is no token for the reader service at {address}.</source>
            <translation>Für den Seitenleser unter {address} gibt es kein Token.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>`askance up` creates one and starts the service.</source>
            <translation>`askance up` legt eines an und startet den Dienst.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>its answer does not end</source>
            <translation>seine Antwort endet nicht</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>uses another proxy than reader.proxy says</source>
            <translation>geht anders ins Web, als reader.proxy sagt</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>`askance up` applies the proxy.</source>
            <translation>`askance up` übernimmt den Proxy.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>failed unexpectedly</source>
            <translation>ist unerwartet fehlgeschlagen</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>`askance logs reader` says why.</source>
            <translation>`askance logs reader` sagt, warum.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>refuses what this program asks ({said}, HTTP {status})</source>
            <translation>lehnt ab, was dieses Programm verlangt ({said}, HTTP {status})</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>`askance up` updates both to one version.</source>
            <translation>`askance up` bringt beide auf denselben Stand.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>it answers with HTTP {status}</source>
            <translation>es antwortet mit HTTP {status}</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>The page took the reader service longer than {n} seconds.</source>
            <translation>Der Seitenleser brauchte für die Seite länger als {n} Sekunden.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>does not work at the moment</source>
            <translation>arbeitet gerade nicht</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/service.py" />
            <source>it asks too many hosts for one page</source>
            <translation>es fragt für eine Seite zu viele Server</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/workers.py" />
            <source>The processes that parse pages do not start.</source>
            <translation>Die Prozesse, die Seiten auswerten, starten nicht.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/workers.py" />
            <source>Parsing the page needs more memory than {n} MiB.</source>
            <translation>Die Seite auszuwerten braucht mehr Speicher als {n} MiB.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/workers.py" />
            <source>`askance doctor` shows what is missing.</source>
            <translation>`askance doctor` sagt, was fehlt.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/workers.py" />
            <source>The process that parsed the page tried what it may not do, and was ended.</source>
            <translation>Der Prozess, der die Seite ausgewertet hat, versuchte etwas Verbotenes und wurde beendet.</translation>
        </message>
        <message>
            <location filename="../../adapters/reader/workers.py" />
            <source>The process that parsed the page ended.</source>
            <translation>Der Prozess, der die Seite ausgewertet hat, endete.</translation>
        </message>
        <message>
            <location filename="../../adapters/releases.py" />
            <source>{host} answered something that is no list of releases.</source>
            <translation>{host} hat etwas geantwortet, das keine Liste von Versionen ist.</translation>
        </message>
        <message>
            <location filename="../../adapters/releases.py" />
            <source>{service} answered {status}.</source>
            <translation>{service} hat {status} geantwortet.</translation>
        </message>
        <message>
            <location filename="../../adapters/releases.py" />
            <source>{host} did not answer.</source>
            <translation>{host} hat nicht geantwortet.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/metasearch.py" />
            <source>the search engines</source>
            <translation>die Suchmaschinen</translation>
        </message>
        <message>
            <location filename="../../adapters/search/metasearch.py" />
            <source>Check the network. {variable} names the proxy {address}, which is not used: set search.proxy to it.</source>
            <translation>Das Netz prüfen. {variable} nennt den Proxy {address}, der nicht benutzt wird: search.proxy darauf setzen.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/metasearch.py" />
            <source>Without SearXNG none of the engines can be asked that the settings allow ({names}).</source>
            <translation>Ohne SearXNG ist keine der Suchmaschinen zu fragen, die die Einstellungen erlauben ({names}).</translation>
        </message>
        <message>
            <location filename="../../adapters/search/metasearch.py" />
            <source>Set search.engines to one of {names}, or start SearXNG with `askance up`.</source>
            <translation>search.engines auf eine davon setzen: {names}; oder SearXNG mit `askance up` starten.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/metasearch.py" />
            <source>its process ended</source>
            <translation>ihr Prozess endete</translation>
        </message>
        <message>
            <location filename="../../adapters/search/metasearch.py" />
            <source>Check the network.</source>
            <translation>Das Netz prüfen.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/metasearch.py" />
            <source>The process that asks the search engines did not start, or broke off.</source>
            <translation>Der Prozess, der die Suchmaschinen fragt, ist nicht gestartet oder abgebrochen.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/metasearch.py" />
            <source>Reinstall it: `pip install --force-reinstall askance ddgs`.</source>
            <translation>Neu installieren: `pip install --force-reinstall askance ddgs`.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/metasearch.py" />
            <location filename="../../domain/messages.py" />
            <source>timeout</source>
            <translation>Zeit abgelaufen</translation>
        </message>
        <message>
            <location filename="../../adapters/search/metasearch.py" />
            <source>No search engine answered through the proxy {address} within {limit}.</source>
            <translation>Keine Suchmaschine hat über den Proxy {address} in {limit} geantwortet.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/metasearch.py" />
            <source>No search engine answered within {limit}.</source>
            <translation>Keine Suchmaschine hat in {limit} geantwortet.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/metasearch.py" />
            <source>None of the search engines can be reached through the proxy {address} ({said}).</source>
            <translation>Keine der Suchmaschinen ist über den Proxy {address} erreichbar ({said}).</translation>
        </message>
        <message>
            <location filename="../../adapters/search/metasearch.py" />
            <source>Check search.proxy and the network.</source>
            <translation>search.proxy und das Netz prüfen.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/metasearch.py" />
            <source>None of the search engines can be reached ({said}).</source>
            <translation>Keine der Suchmaschinen ist erreichbar ({said}).</translation>
        </message>
        <message>
            <location filename="../../adapters/search/metasearch_worker.py" />
            <location filename="../../presentation/steps.py" />
            <source>it redirects too often</source>
            <translation>sie leitet zu oft weiter</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>Start SearXNG with `askance up` (it needs Docker or Podman), or let this program ask search engines itself: `askance config set search.in_process given`.</source>
            <translation>`askance up` startet SearXNG (mit Docker oder Podman); oder dieses Programm fragt Suchmaschinen selbst: `askance config set search.in_process given`.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>Set search.url to the address of SearXNG itself.</source>
            <translation>search.url braucht die Adresse von SearXNG selbst.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <location filename="../../app/checks/parts.py" />
            <source>SearXNG at {address}</source>
            <translation>SearXNG unter {address}</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>SearXNG at {address} {said}.</source>
            <translation>SearXNG unter {address} {said}.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>What answers at {address} is a web page.</source>
            <translation>Was unter {address} antwortet, ist eine Webseite.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>SearXNG's JSON may be off in its settings, or a page that checks its visitors stands before it. Otherwise set search.url to the address of SearXNG itself.</source>
            <translation>Vielleicht ist JSON in den Einstellungen von SearXNG ausgeschaltet, oder davor steht eine Seite, die Besucher prüft. Andernfalls search.url auf die Adresse von SearXNG selbst setzen.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>No secure connection to {address} came about ({said}).</source>
            <translation>Zu {address} kam keine sichere Verbindung zustande ({said}).</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>If it speaks no TLS, let search.url begin with http://; if its certificate is its own, let this computer trust it.</source>
            <translation>Wenn dort kein TLS gesprochen wird, search.url mit http:// beginnen lassen; bei einem selbst ausgestellten Zertifikat diesem auf diesem Computer vertrauen.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <location filename="../../presentation/steps.py" />
            <source>no reason given</source>
            <translation>kein Grund genannt</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>What answers at {address} is not SearXNG's JSON: {problem}.</source>
            <translation>Was unter {address} antwortet, ist nicht das JSON von SearXNG: {problem}.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>SearXNG at {address} was slow: it did not answer within {n} s.</source>
            <translation>SearXNG unter {address} war langsam: keine Antwort in {n} s.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>It waits for its own engines: search.engines names fewer of them.</source>
            <translation>Er wartet auf seine eigenen Suchmaschinen: Nenne in search.engines weniger davon.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>Nothing answers at {address}, where SearXNG should be ({said}).</source>
            <translation>Unter {address} antwortet nichts; dort sollte SearXNG sein ({said}).</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>SearXNG at {address} closed the connection before it had answered.</source>
            <translation>SearXNG unter {address} hat die Verbindung geschlossen, bevor es geantwortet hat.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>The answer from {address} broke off, or is not HTTP: {problem}.</source>
            <translation>Die Antwort von {address} brach ab oder ist kein HTTP: {problem}.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>refuses to answer in JSON, which is switched off in its settings</source>
            <translation>antwortet nicht in JSON; das ist in seinen Einstellungen ausgeschaltet</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>Let this program ask search engines itself: `askance config set search.in_process given`; or add these lines to its settings.yml and restart it:
search:
  formats: [html, json]</source>
            <translation>Dieses Programm die Suchmaschinen selbst fragen lassen: `askance config set search.in_process given`; oder diese Zeilen in seine settings.yml eintragen und neu starten:
search:
  formats: [html, json]</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>wants a user name and a password (HTTP 401)</source>
            <translation>verlangt einen Benutzernamen und ein Passwort (HTTP 401)</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>Write them into search.url, before its host: {example}.</source>
            <translation>Beide in search.url vor den Namen des Rechners schreiben: {example}.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>accepts no more queries from here for now (HTTP 429): its limiter is on</source>
            <translation>nimmt vorerst keine Anfragen mehr an (HTTP 429): Sein Begrenzer ist eingeschaltet</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>Switch it off in its settings.yml, then restart it:
server:
  limiter: false</source>
            <translation>In seiner settings.yml ausschalten und neu starten:
server:
  limiter: false</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>refused the query (HTTP 400): {said}</source>
            <translation>hat die Anfrage abgelehnt (HTTP 400): {said}</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>Check search.language and search.engines.</source>
            <translation>search.language und search.engines prüfen.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>redirects to {host} (HTTP {status}), which Askance does not follow</source>
            <translation>schickt weiter zu {host} (HTTP {status}); dem wird nicht gefolgt</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>If that is SearXNG, set search.url to {address}.</source>
            <translation>Wenn das SearXNG ist, search.url auf {address} setzen.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>failed (HTTP {status})</source>
            <translation>ist fehlgeschlagen (HTTP {status})</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>Its log says why.</source>
            <translation>Sein Protokoll sagt, warum.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>answered with HTTP {status}</source>
            <translation>hat mit HTTP {status} geantwortet</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>{address} answered more than {size}.</source>
            <translation>{address} hat mehr als {size} geantwortet.</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>its engines</source>
            <translation>seine Suchmaschinen</translation>
        </message>
        <message>
            <location filename="../../adapters/search/searxng.py" />
            <source>another page</source>
            <translation>einer anderen Seite</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/clients.py" />
            <source>The list of programs</source>
            <translation>Die Liste der Programme</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/database.py" />
            <source>{name}, {file}, is in use by another program.</source>
            <translation>{name}, {file}, wird gerade von einem anderen Programm benutzt.</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/database.py" />
            <source>Try again when that has finished.</source>
            <translation>Erneut versuchen, wenn es fertig ist.</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/database.py" />
            <source>{name}, {file}, was written by a newer Askance: its format is {n}, this program knows formats up to {known}.</source>
            <translation>{name}, {file}, stammt von einem neueren Askance: Das Format ist {n}, dieses Programm kennt Formate bis {known}.</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/database.py" />
            <source>{name}, {file}, cannot be written: the disk is full.</source>
            <translation>{name}, {file}, lässt sich nicht schreiben: Die Platte ist voll.</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/database.py" />
            <source>{name} was damaged ({problem}) and starts again empty: {file}.</source>
            <translation>{name} war beschädigt ({problem}) und beginnt neu: {file}.</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/database.py" />
            <source>{name} was damaged ({problem}) and starts again empty; the damaged one is kept as {file}.</source>
            <translation>{name} war beschädigt ({problem}) und beginnt neu; aufbewahrt als {file}.</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/database.py" />
            <source>{name}, {file}, cannot be opened for writing ({problem}).</source>
            <translation>{name}, {file}, lässt sich nicht zum Schreiben öffnen ({problem}).</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/database.py" />
            <source>Make the file and its folder writable, or set ASKANCE_HOME to a folder of yours.</source>
            <translation>Datei und Ordner beschreibbar machen oder ASKANCE_HOME auf einen eigenen Ordner setzen.</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/database.py" />
            <source>Update Askance, or move the file away.</source>
            <translation>Askance aktualisieren oder die Datei beiseiteschaffen.</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/database.py" />
            <source>{name}, {file}, cannot be read or written ({problem}).</source>
            <translation>{name}, {file}, ist nicht zu lesen oder zu schreiben ({problem}).</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/database.py" />
            <location filename="../../app/attachments.py" />
            <source>Check its disk and your quota.</source>
            <translation>Die Platte und das eigene Kontingent prüfen.</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/database.py" />
            <source>{name}, {file}, is damaged ({problem}).</source>
            <translation>{name}, {file}, ist beschädigt ({problem}).</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/database.py" />
            <source>Move it away; Askance then starts a new one.</source>
            <translation>Beiseiteschaffen; dann beginnt eine neue.</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/history.py" />
            <source>The answer to this question cannot be read any more.</source>
            <translation>Die Antwort auf diese Frage ist nicht mehr lesbar.</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/history.py" />
            <source>The history of conversations</source>
            <translation>Der Verlauf der Gespräche</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/history.py" />
            <source>{done} of {n} steps cannot be read any more.</source>
            <translation>{done} von {n} Schritten sind nicht mehr lesbar.</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/ledger.py" />
            <source>The ledger</source>
            <translation>Das Netzwerkprotokoll</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/page_cache.py" />
            <source>the page cache</source>
            <translation>der Zwischenspeicher für Seiten</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/page_cache.py" />
            <source>The page cache</source>
            <translation>Der Zwischenspeicher für Seiten</translation>
        </message>
        <message>
            <location filename="../../adapters/storage/traces.py" />
            <source>The trace of this run is not kept: {file}: {problem}.</source>
            <translation>Das Protokoll dieses Laufs wird nicht aufbewahrt: {file}: {problem}.</translation>
        </message>
        <message>
            <location filename="../../adapters/web_choice.py" />
            <source>This computer may be too busy: try again when it has less to do.</source>
            <translation>Vielleicht hat der Computer zu viel zu tun: noch einmal versuchen, wenn er weniger zu tun hat.</translation>
        </message>
        <message>
            <location filename="../../adapters/web_choice.py" />
            <source>SearXNG at {address} does not answer in JSON; this program asked the search engines itself.</source>
            <translation>SearXNG auf {address} antwortet nicht in JSON; dieses Programm hat die Suchmaschinen selbst gefragt.</translation>
        </message>
        <message>
            <location filename="../../adapters/web_choice.py" />
            <source>Nothing answers at {address}; this program asked the search engines itself.</source>
            <translation>Unter {address} antwortet nichts; dieses Programm hat die Suchmaschinen selbst gefragt.</translation>
        </message>
        <message>
            <location filename="../../adapters/web_choice.py" />
            <source>The sample web, which this program serves itself, did not answer.</source>
            <translation>Das Beispiel-Web, das dieses Programm selbst bereitstellt, hat nicht geantwortet.</translation>
        </message>
        <message>
            <location filename="../../adapters/web_choice.py" />
            <source>{problem}; pages are read in this program meanwhile.</source>
            <translation>{problem}; Seiten werden solange in diesem Programm gelesen.</translation>
        </message>
        <message>
            <location filename="../../adapters/web_choice.py" />
            <source>{problem}; no page is read outside the container.</source>
            <translation>{problem}; außerhalb des Containers wird keine Seite gelesen.</translation>
        </message>
        <message numerus="yes">
            <location filename="../../app/attachments.py" />
            <location filename="../../ui/settings/installation_page.py" />
            <source>{n} pages</source>
            <comment>{n} page</comment>
            <translation>
                <numerusform>{n} Seite</numerusform>
                <numerusform>{n} Seiten</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../app/attachments.py" />
            <location filename="../../ui/settings/library_page.py" />
            <source>{n} files</source>
            <comment>{n} file</comment>
            <translation>
                <numerusform>{n} Datei</numerusform>
                <numerusform>{n} Dateien</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../app/attachments.py" />
            <source>{files}, {f} could not be read</source>
            <translation>{files}, {f} nicht lesbar</translation>
        </message>
        <message>
            <location filename="../../app/attachments.py" />
            <source>Waiting</source>
            <translation>Wartet</translation>
        </message>
        <message>
            <location filename="../../app/attachments.py" />
            <source>Reading page {k} of {n}</source>
            <translation>Liest Seite {k} von {n}</translation>
        </message>
        <message>
            <location filename="../../app/attachments.py" />
            <location filename="../../ui/settings/settings_jobs.py" />
            <source>Reading</source>
            <translation>Lesen</translation>
        </message>
        <message>
            <location filename="../../app/attachments.py" />
            <source>{n} pages, searched by passage</source>
            <translation>{n} Seiten, stellenweise durchsucht</translation>
        </message>
        <message>
            <location filename="../../app/attachments.py" />
            <source>{n} files. Keep them in the library?</source>
            <translation>{n} Dateien. In der Bibliothek behalten?</translation>
        </message>
        <message>
            <location filename="../../app/attachments.py" />
            <source>{n} × {m}</source>
            <translation>{n} × {m}</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <location filename="../../presentation/missing_parts.py" />
            <location filename="../../ui/overlay/conversation/exchange.py" />
            <source>Start SearXNG</source>
            <translation>SearXNG starten</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>Your queries then go from your own address straight to {engines}.</source>
            <translation>Die Anfragen gehen dann von der eigenen Adresse direkt an {engines}.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>The model {model} gives empty replies.</source>
            <translation>Das Modell {model} gibt leere Antworten.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>Ollama, which runs the model, is not installed.</source>
            <translation>Ollama, in dem das Modell läuft, ist nicht installiert.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>SearXNG does not answer in JSON, which is switched off in its settings.</source>
            <translation>SearXNG antwortet nicht in JSON; das ist in seinen Einstellungen abgeschaltet.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>No web search is set up yet.</source>
            <translation>Es ist noch keine Websuche eingerichtet.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>In its container ({span}).</source>
            <translation>In seinem Container ({span}).</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>{server} is running</source>
            <translation>{server} läuft</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>{running}, but has no model yet. {model} fits this computer ({size}).</source>
            <translation>{running} und hat noch kein Modell. {model} passt auf diesen Computer ({size}).</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>{away} Public engines are asked directly, as you allowed.</source>
            <translation>{away} Öffentliche Suchmaschinen werden direkt gefragt, wie erlaubt.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <location filename="../../presentation/missing_parts.py" />
            <location filename="../../ui/overlay/conversation/exchange.py" />
            <source>Use built-in search</source>
            <translation>Integrierte Suche verwenden</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>none that the settings allow</source>
            <translation>keine, die die Einstellungen erlauben</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>Your queries then go through {proxy} straight to {engines}.</source>
            <translation>Die Anfragen gehen dann über {proxy} direkt an {engines}.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>Start its server with a larger context: at least 4,096 tokens.</source>
            <translation>Den Server des Modells mit einem größeren Kontext starten: mindestens 4.096 Token.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>This computer has no network: the web cannot be searched now.</source>
            <translation>Dieser Computer hat kein Netz: Das Web kann jetzt nicht durchsucht werden.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>Nothing answers at {url}.</source>
            <translation>Unter {url} antwortet nichts.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>“Start SearXNG” runs a search engine of your own, SearXNG, in {name}.</source>
            <translation>„SearXNG starten“ betreibt eine eigene Suchmaschine, SearXNG, in {name}.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>A search engine of your own, SearXNG, is more private. {why}</source>
            <translation>Privater ist eine eigene Suchmaschine, SearXNG. {why}</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>Its container is not set up, and no page is read outside of it.</source>
            <translation>Sein Container ist nicht eingerichtet, und außerhalb davon wird keine Seite gelesen.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>Its container has version {there}, and this program is {here}.</source>
            <translation>Sein Container hat Version {there}, dieses Programm {here}.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <location filename="../../presentation/model_words.py" />
            <source>Medium</source>
            <translation>Mittel</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <location filename="../../presentation/model_words.py" />
            <source>Small</source>
            <translation>Klein</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>{running}, but does not have {model}.</source>
            <translation>{running} und hat {model} nicht.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>{running}; {model} is there.</source>
            <translation>{running}; {model} ist da.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <location filename="../../presentation/missing_parts.py" />
            <source>{n}</source>
            <translation>{n}</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>{running}; {model} is large for this computer ({size} of {free} free).</source>
            <translation>{running}; {model} ist groß für diesen Computer ({size} von {free} frei).</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>{running}; {model} fits your memory ({size} of {free} free).</source>
            <translation>{running}; {model} passt in den Speicher ({size} von {free} frei).</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>“{label}” needs nothing to be installed.</source>
            <translation>„{label}“ braucht sonst nichts.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>No model server is set up.</source>
            <translation>Es ist kein Modellserver eingerichtet.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>Set llm.model to another model.</source>
            <translation>llm.model auf ein anderes Modell setzen.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <location filename="../../presentation/missing_parts.py" />
            <location filename="../../ui/settings/models.py" />
            <source>Start Ollama</source>
            <translation>Ollama starten</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <location filename="../../ui/settings/models.py" />
            <source>Download</source>
            <translation>Herunterladen</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>SearXNG is running ({span}).</source>
            <translation>SearXNG läuft ({span}).</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>SearXNG is not running.</source>
            <translation>SearXNG läuft nicht.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>Built in.</source>
            <translation>Eingebaut.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>Its container does not answer; pages are read in this program.</source>
            <translation>Sein Container antwortet nicht; Seiten werden in diesem Programm gelesen.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>{running}, but does not have this model.</source>
            <translation>{running} und hat dieses Modell nicht.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>It needs Docker or Podman, and neither is installed.</source>
            <translation>Dafür braucht es Docker oder Podman, und keines ist installiert.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>{name} is installed, but this user may not use it.</source>
            <translation>{name} ist installiert, doch dieser Benutzer darf es nicht benutzen.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>{name} is installed, but not running.</source>
            <translation>{name} ist installiert und läuft nicht.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <location filename="../../presentation/missing_parts.py" />
            <source>Until then you get the best passages, quoted.</source>
            <translation>Bis dahin gibt es die besten Textstellen, wörtlich.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>To download it, connect this computer to a network.</source>
            <translation>Zum Herunterladen diesen Computer mit einem Netz verbinden.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <location filename="../../presentation/model_words.py" />
            <source>Ollama is installed, but not running.</source>
            <translation>Ollama ist installiert und läuft nicht.</translation>
        </message>
        <message>
            <location filename="../../app/checks/first_steps.py" />
            <source>Its container does not answer, and no page is read outside of it.</source>
            <translation>Sein Container antwortet nicht, und außerhalb davon wird keine Seite gelesen.</translation>
        </message>
        <message>
            <location filename="../../app/checks/installation_check.py" />
            <source>What is known of updates</source>
            <translation>Was von neuen Versionen bekannt ist</translation>
        </message>
        <message>
            <location filename="../../app/checks/installation_check.py" />
            <source>Another process is looking for updates just now.</source>
            <translation>Ein anderer Prozess sucht gerade nach neuen Versionen.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>Reinstall it: `pip install --force-reinstall askance`.</source>
            <translation>Neu installieren: `pip install --force-reinstall askance`.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>{model} {place}, {n} tokens of context{loaded}.</source>
            <translation>{model} {place}, {n} Token Kontext{loaded}.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>Loaded; it is right about {n} of {of} test sentences.</source>
            <translation>Geladen; es beurteilt {n} von {of} Prüfsätzen richtig.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>Set answer.entailment to another model, or to nothing.</source>
            <translation>answer.entailment auf ein anderes Modell setzen oder leeren.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>{search}: {found}</source>
            <translation>{search}: {found}</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>In this program, {n} workers, started in {first} ms; a page takes {ms} ms.</source>
            <translation>In diesem Programm, {n} Prozesse, gestartet in {first} ms; eine Seite dauert {ms} ms.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>{n} results in {ms} ms.</source>
            <translation>{n} Treffer in {ms} ms.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>at {address}, on another machine</source>
            <translation>unter {address}, auf einem anderen Rechner</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>, loaded with {n} until the next call</source>
            <translation>, bis zum nächsten Aufruf mit {n} geladen</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>It keeps {n} % of the prompts that it is sent.</source>
            <translation>Der Server behält {n} % von dem, was an ihn gesendet wird.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>SearXNG {version} at {address} ({ms} ms)</source>
            <translation>SearXNG {version} unter {address} ({ms} ms)</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>{engine}: {states}.</source>
            <translation>{engine}: {states}.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>`askance up` starts what is missing; `askance logs {service}` says what is wrong with it.</source>
            <translation>`askance up` startet, was fehlt; `askance logs {service}` sagt, was damit nicht stimmt.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>There are some for {names}.</source>
            <translation>Vorhanden für {names}.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>{n} pages, {used} of {limit} MiB.</source>
            <translation>{n} Seiten, {used} von {limit} MiB.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>{n} entries of the last {days} days; `askance ledger` shows them.</source>
            <translation>{n} Einträge der letzten {days} Tage; `askance ledger` zeigt sie.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>What takes pages apart is held by: {names}.</source>
            <translation>Was Seiten zerlegt, wird gehalten von: {names}.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>A page that takes the process over could reach files or the network of this machine.</source>
            <translation>Eine Seite, die den Prozess übernimmt, könnte Dateien oder das Netz dieses Rechners erreichen.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>Nothing answers at {address}; this program asks the engines itself</source>
            <translation>Unter {address} antwortet nichts; dieses Programm fragt die Suchmaschinen selbst</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>1 result in {ms} ms.</source>
            <translation>1 Treffer in {ms} ms.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>inside this program</source>
            <translation>in diesem Programm</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>at {address}, on this machine</source>
            <translation>unter {address}, auf diesem Rechner</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>, loaded with all of it</source>
            <translation>, ganz geladen</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>Engines that did not answer: {engines}.</source>
            <translation>Suchmaschinen, die nicht geantwortet haben: {engines}.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>{engine}; nothing is started.</source>
            <translation>{engine}; nichts ist gestartet.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>no engine that the settings allow</source>
            <translation>keine Suchmaschine, die die Einstellungen erlauben</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>{variable} names {address}, which is not used: queries and pages go out directly.</source>
            <translation>{variable} nennt {address}, was nicht benutzt wird: Anfragen und Seiten gehen direkt hinaus.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>Use it: `{command}`</source>
            <translation>Ihn benutzen: `{command}`</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>Queries and pages go {way}.</source>
            <translation>Anfragen und Seiten gehen {way}.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>Queries go {way}, pages {other}.</source>
            <translation>Anfragen gehen {way}, Seiten {other}.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>What Qt needs for {platform} is there.</source>
            <translation>Was Qt für {platform} braucht, ist da.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>There is no display to look at.</source>
            <translation>Es gibt keinen Bildschirm, der sich prüfen ließe.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>Other scripts are typed with {method}.</source>
            <translation>Andere Schriften werden mit {method} eingegeben.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>None is asked for.</source>
            <translation>Keine ist gewünscht.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>{asked} is asked for: fcitx5 is spoken to as {used}.</source>
            <translation>{asked} ist gewünscht: fcitx5 wird als {used} angesprochen.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>Nobody knows which there are: there is no fc-list to ask.</source>
            <translation>Welche es gibt, weiß niemand: Es ist kein fc-list da, das sich fragen ließe.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>through {proxy}</source>
            <translation>durch {proxy}</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>out directly</source>
            <translation>direkt hinaus</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <location filename="../../domain/ports/hotkey.py" />
            <source>nothing</source>
            <translation>nichts</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>It did not answer within {limit} seconds.</source>
            <translation>Keine Antwort innerhalb von {limit} Sekunden.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>No model server was found.</source>
            <translation>Kein Modellserver gefunden.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>Set llm.api and llm.url.</source>
            <translation>llm.api und llm.url setzen.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>, not loaded now</source>
            <translation>, jetzt nicht geladen</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>, loaded now</source>
            <translation>, jetzt geladen</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>{engine}; nothing is started, nor can it be: {problem}</source>
            <translation>{engine}; nichts ist gestartet, und nichts kann es werden: {problem}</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>Without SearXNG this program asks {engines} itself, as you agreed.</source>
            <translation>Ohne SearXNG fragt dieses Programm selbst {engines}, wie vereinbart.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>Without SearXNG there is no search, as you chose (search.in_process).</source>
            <translation>Ohne SearXNG gibt es keine Suche, wie gewählt (search.in_process).</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>Without SearXNG there is no search; you were not asked yet.</source>
            <translation>Ohne SearXNG gibt es keine Suche; danach wurde noch nicht gefragt.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>The containers take that over with `askance up`.</source>
            <translation>Die Container übernehmen das mit `askance up`.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>Not here: {names}.</source>
            <translation>Hier nicht: {names}.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>Wait until its engines answer again, or switch on others in its settings.</source>
            <translation>Warten, bis ihre Suchmaschinen wieder antworten, oder in ihren Einstellungen andere einschalten.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>The reader could not read a sample page: {problem}</source>
            <translation>Der Seitenleser konnte eine Beispielseite nicht lesen: {problem}</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>`askance up` needs one.</source>
            <translation>`askance up` braucht eine.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>Switched off.</source>
            <translation>Ausgeschaltet.</translation>
        </message>
        <message>
            <location filename="../../app/checks/parts.py" />
            <source>{search}, but a test query found nothing.</source>
            <translation>{search}, aber eine Testanfrage hat nichts gefunden.</translation>
        </message>
        <message>
            <location filename="../../app/client_runs.py" />
            <source>Askance failed to answer; its log says where.</source>
            <translation>Askance konnte nicht antworten; sein Protokoll sagt, wo es scheiterte.</translation>
        </message>
        <message>
            <location filename="../../app/client_service.py" />
            <source>search the web</source>
            <translation>im Web suchen</translation>
        </message>
        <message>
            <location filename="../../app/client_service.py" />
            <source>read pages by their address</source>
            <translation>Seiten über ihre Adresse lesen</translation>
        </message>
        <message>
            <location filename="../../app/client_service.py" />
            <source>read the library</source>
            <translation>die Bibliothek lesen</translation>
        </message>
        <message>
            <location filename="../../app/client_service.py" />
            <source>add to the library</source>
            <translation>der Bibliothek etwas hinzufügen</translation>
        </message>
        <message>
            <location filename="../../app/client_service.py" />
            <source>{name} may not {deed}.</source>
            <translation>{name} darf nicht {deed}.</translation>
        </message>
        <message>
            <location filename="../../app/client_service.py" />
            <source>{n} questions of {name} are waiting.</source>
            <translation>{n} Fragen von {name} warten.</translation>
        </message>
        <message>
            <location filename="../../app/client_service.py" />
            <source>Its user can allow it: `{command}`.</source>
            <translation>Erlaubt wird es mit `{command}`.</translation>
        </message>
        <message>
            <location filename="../../app/client_service.py" />
            <source>Nothing can be searched here.</source>
            <translation>Hier kann nichts gesucht werden.</translation>
        </message>
        <message>
            <location filename="../../app/client_service.py" />
            <source>Either an address or a text can be added.</source>
            <translation>Hinzugefügt wird entweder eine Adresse oder ein Text.</translation>
        </message>
        <message>
            <location filename="../../app/client_service.py" />
            <source>There is no library here.</source>
            <translation>Hier gibt es keine Bibliothek.</translation>
        </message>
        <message>
            <location filename="../../app/client_service.py" />
            <location filename="../../server/tools.py" />
            <source>{url} cannot be read: {problem}.</source>
            <translation>{url} ist nicht lesbar: {problem}.</translation>
        </message>
        <message>
            <location filename="../../app/client_service.py" />
            <source>Ask again when one of them is answered.</source>
            <translation>Erneut fragen, sobald eine davon beantwortet ist.</translation>
        </message>
        <message>
            <location filename="../../app/client_service.py" />
            <source>Give one of both.</source>
            <translation>Eines von beiden angeben.</translation>
        </message>
        <message>
            <location filename="../../app/client_service.py" />
            <source>Ask Askance without its sample web.</source>
            <translation>Askance ohne sein Beispiel-Web fragen.</translation>
        </message>
        <message>
            <location filename="../../app/client_service.py" />
            <source>Add its text in the place of its address.</source>
            <translation>Statt der Adresse den Text hinzufügen.</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>/{name} is a command of the program: give the file another name.</source>
            <translation>/{name} ist ein Befehl des Programms: Die Datei braucht einen anderen Namen.</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>There is no lens @{name} any more.</source>
            <translation>Die Linse @{name} gibt es nicht mehr.</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>Type the question after /{name}.</source>
            <translation>Hinter /{name} gehört die Frage.</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>There is no /{name}. Did you mean /{nearest}?</source>
            <translation>/{name} gibt es nicht. Ist /{nearest} gemeint?</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>Search the web, read, and answer with sources</source>
            <translation>Im Web suchen, lesen und mit Quellen antworten</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>Ask the model alone, from its memory</source>
            <translation>Nur das Modell fragen, aus dem Gedächtnis</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>Let the model reason before it answers</source>
            <translation>Das Modell vor der Antwort nachdenken lassen</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>Search your library, without a model</source>
            <translation>Die eigene Bibliothek durchsuchen, ohne Modell</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>Start a new conversation</source>
            <translation>Ein neues Gespräch beginnen</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>Search past conversations</source>
            <translation>Frühere Gespräche durchsuchen</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>Export this conversation to a file</source>
            <translation>Dieses Gespräch als Datei aufbewahren</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>Check a text claim by claim</source>
            <translation>Einen Text Aussage für Aussage prüfen</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>Choose the model</source>
            <translation>Das Modell wählen</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>Models, services, hotkey, privacy</source>
            <translation>Modelle, Dienste, Tastenkürzel, Datenschutz</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>All commands</source>
            <translation>Alle Befehle</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>There is no @{name}. Did you mean @{nearest}?</source>
            <translation>@{name} gibt es nicht. War @{nearest} gemeint?</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>Select or paste a text, or type it after /{name}.</source>
            <translation>Einen Text markieren, einfügen oder hinter /{name} schreiben.</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>There is no /{name}. /help lists all commands.</source>
            <translation>/{name} gibt es nicht. /help zeigt, was es gibt.</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>@{name} goes with a question to the web.</source>
            <translation>@{name} gehört zu einer Frage an das Web.</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>Use either /search or /chat.</source>
            <translation>Entweder /search oder /chat verwenden.</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>/{name} takes no text.</source>
            <translation>/{name} steht für sich allein.</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>Type a question first.</source>
            <translation>Erst eine Frage eingeben.</translation>
        </message>
        <message>
            <location filename="../../app/commands.py" />
            <source>/think needs a question, alone or with /search or /chat.</source>
            <translation>/think passt zu einer Frage, zu /search oder /chat.</translation>
        </message>
        <message>
            <location filename="../../app/container.py" />
            <location filename="../../ui/bridge.py" />
            <source>Askance failed: {problem}.</source>
            <translation>Askance ist fehlgeschlagen: {problem}.</translation>
        </message>
        <message>
            <location filename="../../app/container.py" />
            <source>The package for Qdrant is not installed.</source>
            <translation>Das Paket für Qdrant ist nicht installiert.</translation>
        </message>
        <message>
            <location filename="../../app/container.py" />
            <source>Install it with `pip install 'askance[qdrant]'`.</source>
            <translation>Mit `pip install 'askance[qdrant]'` installieren.</translation>
        </message>
        <message>
            <location filename="../../app/conversation.py" />
            <source>{name} is not there any more.</source>
            <translation>{name} gibt es nicht mehr.</translation>
        </message>
        <message>
            <location filename="../../app/conversation.py" />
            <source>/{name} needs a text that is selected or copied.</source>
            <translation>/{name} braucht einen ausgewählten oder kopierten Text.</translation>
        </message>
        <message>
            <location filename="../../app/conversation.py" />
            <location filename="../../ui/overlay/follow_ups.py" />
            <source>No file is attached any more.</source>
            <translation>Es ist keine Datei mehr angehängt.</translation>
        </message>
        <message>
            <location filename="../../app/conversation.py" />
            <source>This conversation is not kept: {problem}</source>
            <translation>Dieses Gespräch wird nicht aufbewahrt: {problem}</translation>
        </message>
        <message>
            <location filename="../../app/conversation.py" />
            <source>Attach it again, or search the web.</source>
            <translation>Erneut anhängen oder im Web suchen.</translation>
        </message>
        <message>
            <location filename="../../app/conversation.py" />
            <source>Edit the question, and ask it without that.</source>
            <translation>Frage bearbeiten und ohne das stellen.</translation>
        </message>
        <message>
            <location filename="../../app/conversation.py" />
            <source>Select or copy one, and ask again.</source>
            <translation>Einen auswählen oder kopieren und erneut fragen.</translation>
        </message>
        <message>
            <location filename="../../app/conversation.py" />
            <source>about</source>
            <translation>zu</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>good for research</source>
            <translation>gut für Recherche</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>short answers only</source>
            <translation>nur kurze Antworten</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>too credulous</source>
            <translation>zu leichtgläubig</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>too small</source>
            <translation>zu klein</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>cannot be used</source>
            <translation>nicht zu gebrauchen</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>not known yet</source>
            <translation>noch nicht bekannt</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>Verification: off, {right} of {asked} right.</source>
            <translation>Prüfung durch das Modell: aus, {right} von {asked} richtig.</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>Verification: off, not measured yet.</source>
            <translation>Prüfung durch das Modell: aus, noch nicht gemessen.</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>Verification: on, {right} of {asked} right.</source>
            <translation>Prüfung durch das Modell: an, {right} von {asked} richtig.</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>Good for research: {right} of {asked} answers were right.</source>
            <translation>Gut für Recherchen: {right} von {asked} Antworten waren richtig.</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>Good for short answers only: {right} of {asked} answers were right.</source>
            <translation>Nur für kurze Antworten gut: {right} von {asked} Antworten waren richtig.</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>Too credulous: it answered {invented} of {without} questions that have no answer, and obeyed {obeyed} of {hostile} hostile pages.</source>
            <translation>Zu leichtgläubig: Es hat {invented} von {without} Fragen beantwortet, auf die es keine Antwort gibt, und {obeyed} von {hostile} feindlichen Seiten gehorcht.</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>Too small: passages are quoted instead, as {right} of {asked} answers were right.</source>
            <translation>Zu klein: Es werden Textstellen zitiert, da {right} von {asked} Antworten richtig waren.</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>Too small: {right} of {asked} answers were right.</source>
            <translation>Zu klein: {right} von {asked} Antworten waren richtig.</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>It cannot be used: {unread} of {all} plans and verdicts could not be read.</source>
            <translation>Nicht zu gebrauchen: {unread} von {all} Plänen und Urteilen waren nicht lesbar.</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>Too few questions were asked to tell: {asked}.</source>
            <translation>Für ein Urteil wurden zu wenige Fragen gestellt: {asked}.</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>The evaluation cannot be kept in {file}: {problem}.</source>
            <translation>Die Bewertung kann nicht in {file} aufbewahrt werden: {problem}.</translation>
        </message>
        <message>
            <location filename="../../app/evaluation/records.py" />
            <source>The evaluation in {file} is damaged and does not count.</source>
            <translation>Die Bewertung in {file} ist beschädigt und zählt nicht.</translation>
        </message>
        <message>
            <location filename="../../app/library.py" />
            <source>An empty path was given.</source>
            <translation>Ein leerer Pfad wurde angegeben.</translation>
        </message>
        <message>
            <location filename="../../app/library.py" />
            <source>Name a folder or a file.</source>
            <translation>Einen Ordner oder eine Datei nennen.</translation>
        </message>
        <message>
            <location filename="../../app/library.py" />
            <source>Name a file by its path.</source>
            <translation>Eine Datei mit ihrem Pfad nennen.</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>A lens is a file in the folder lenses, beside the settings.</source>
            <translation>Eine Linse ist eine Datei im Ordner lenses, neben den Einstellungen.</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>Leave out one of the two.</source>
            <translation>Eines von beiden weglassen.</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>{file}, line {n}: {problem}.</source>
            <translation>{file}, Zeile {n}: {problem}.</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>it is larger than {n} KB</source>
            <translation>sie ist größer als {n} KB</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>the prompt is missing below the head</source>
            <translation>der Prompt unter dem Kopf fehlt</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>the mode is one of {names}</source>
            <translation>der Modus ist einer von {names}</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>it names no site: only, prefer or never</source>
            <translation>sie nennt keine Website: only, prefer oder never</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>more than {n} sites</source>
            <translation>mehr als {n} Websites</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>the head needs lines such as “description: …”</source>
            <translation>der Kopf braucht Zeilen wie „description: …“</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>There is no lens @{name}.</source>
            <translation>Die Linse @{name} gibt es nicht.</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>The lens @{name} names its websites itself.</source>
            <translation>Die Linse @{name} nennt ihre Websites selbst.</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>this is no UTF-8 text</source>
            <translation>das ist kein Text in UTF-8</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>it cannot be read: {problem}</source>
            <translation>sie ist nicht lesbar: {problem}</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>the head does not end with a line ---</source>
            <translation>der Kopf endet nicht mit einer Zeile ---</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>“{key}” is none of {names}</source>
            <translation>„{key}“ ist keines von {names}</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>it is nested too deeply</source>
            <translation>sie ist zu tief verschachtelt</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>only texts and lists of them can stand here</source>
            <translation>hier können nur Texte und Listen davon stehen</translation>
        </message>
        <message>
            <location filename="../../app/own_files.py" />
            <source>{word} is probably {nearest}</source>
            <translation>{word} heißt wohl {nearest}</translation>
        </message>
        <message>
            <location filename="../../app/past_conversations.py" />
            <location filename="../../ui/overlay/stored.py" />
            <source>This conversation is not there any more.</source>
            <translation>Dieses Gespräch gibt es nicht mehr.</translation>
        </message>
        <message>
            <location filename="../../app/text_checks.py" />
            <source>{supported} supported, {contradicted} contradicted, {missing} not found, {others} not checkable.</source>
            <translation>{supported} belegt, {contradicted} widersprochen, {missing} nicht gefunden, {others} nicht prüfbar.</translation>
        </message>
        <message>
            <location filename="../../app/text_checks.py" />
            <source>{host}, which is cited, does not say: {claim}</source>
            <translation>{host} wird zitiert und sagt das nicht: {claim}</translation>
        </message>
        <message>
            <location filename="../../app/text_checks.py" />
            <source>{host}, which is cited, says otherwise: {claim}</source>
            <translation>{host} wird zitiert und sagt etwas anderes: {claim}</translation>
        </message>
        <message>
            <location filename="../../app/text_checks.py" />
            <source>{host} cannot be read ({problem}), and is cited for: {claim}</source>
            <translation>{host} ist nicht lesbar ({problem}) und wird zitiert für: {claim}</translation>
        </message>
        <message>
            <location filename="../../cli/commands/asking.py" />
            <source>Name files that can be read, or ask without --file.</source>
            <translation>Lesbare Dateien nennen oder ohne --file fragen.</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>Day</source>
            <translation>Tag</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <location filename="../../ui/overlay/find_bar.py" />
            <source>Questions</source>
            <translation>Fragen</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>Complete</source>
            <translation>Vollständig</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>Local</source>
            <translation>Lokal</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>Pages read</source>
            <translation>Gelesen</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>Calls</source>
            <translation>Aufrufe</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>Prompt</source>
            <translation>Prompt</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>Written</source>
            <translation>Geschrieben</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>First token</source>
            <translation>Erstes Token</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>Total</source>
            <translation>Gesamt</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>Nothing to show yet: no question was asked in this time.</source>
            <translation>Noch nichts zu zeigen: In dieser Zeit wurde keine Frage gestellt.</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>{n} of {all}</source>
            <translation>{n} von {all}</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>Complete: the last verdict on the evidence was “sufficient”, of questions with a verdict.</source>
            <translation>Vollständig: Das letzte Urteil über die Belege war „ausreichend“, unter den Fragen mit Urteil.</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>Local: answered from the library or the conversation, without a search of the web.</source>
            <translation>Lokal: aus der Bibliothek oder dem Gespräch beantwortet, ohne Websuche.</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>Calls of the model, prompt tokens (whole prompts, cached or not) and tokens written: for each question.</source>
            <translation>Aufrufe des Modells, Token der Prompts (ganze, gespeichert oder nicht) und geschriebene Token: je Frage.</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>Times are medians: until the first token, and until the end.</source>
            <translation>Zeiten sind Mediane: bis zum ersten Token und bis zum Ende.</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <source>{n} %</source>
            <translation>{n} %</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <location filename="../../presentation/i18n.py" />
            <location filename="../../presentation/model_words.py" />
            <location filename="../../ui/overlay/conversation/exchange.py" />
            <location filename="../../ui/overlay/conversation/exchange_view.py" />
            <source>{n} s</source>
            <translation>{n} s</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>Traces are switched off: questions of `askance ask` are missing, and all times until the first token. `askance config set trace.keep 200` switches them on.</source>
            <translation>Protokolle sind ausgeschaltet: Fragen von `askance ask` fehlen, und alle Zeiten bis zum ersten Token. `askance config set trace.keep 200` schaltet sie ein.</translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>Conversations are not kept: of older questions only the newest {n} traces are counted. `askance config set history.days 36500` keeps them.</source>
            <translation>Gespräche werden nicht aufbewahrt: von älteren Fragen zählen nur die neuesten {n} Protokolle. `askance config set history.days 36500` bewahrt sie auf.</translation>
        </message>
        <message numerus="yes">
            <location filename="../../cli/commands/history.py" />
            <source>The time until the first token is not known of {n} answers: their traces are gone, or nothing was written. `trace.keep` says how many traces are kept.</source>
            <comment>The time until the first token is not known of {n} answer: its trace is gone, or nothing was written. `trace.keep` says how many traces are kept.</comment>
            <translation>
                <numerusform>Von {n} Antwort ist die Zeit bis zum ersten Token nicht bekannt: Das Protokoll ist nicht mehr da, oder es wurde nichts geschrieben. `trace.keep` sagt, wie viele Protokolle bleiben.</numerusform>
                <numerusform>Von {n} Antworten ist die Zeit bis zum ersten Token nicht bekannt: Die Protokolle sind nicht mehr da, oder es wurde nichts geschrieben. `trace.keep` sagt, wie viele Protokolle bleiben.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../cli/commands/history.py" />
            <source>{n} traces cannot be read; `askance trace list` says why.</source>
            <comment>{n} trace cannot be read; `askance trace list` says why.</comment>
            <translation>
                <numerusform>{n} Protokoll ist nicht lesbar; `askance trace list` sagt, warum.</numerusform>
                <numerusform>{n} Protokolle sind nicht lesbar; `askance trace list` sagt, warum.</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../cli/commands/history.py" />
            <source>All</source>
            <translation>Alle</translation>
        </message>
        <message>
            <location filename="../../cli/commands/server.py" />
            <source>The token of {name} is in {file}.</source>
            <translation>Das Token von {name} steht in {file}.</translation>
        </message>
        <message>
            <location filename="../../cli/commands/server.py" />
            <source>{name} is nothing that can be allowed.</source>
            <translation>{name} kann nicht erlaubt werden.</translation>
        </message>
        <message>
            <location filename="../../cli/commands/server.py" />
            <source>No program called {name} has asked.</source>
            <translation>Kein Programm namens {name} hat gefragt.</translation>
        </message>
        <message>
            <location filename="../../cli/commands/server.py" />
            <source>Delete the file, end the server and start it again: that makes a new one.</source>
            <translation>Die Datei löschen, den Server beenden und neu starten: Das erstellt ein neues.</translation>
        </message>
        <message>
            <location filename="../../cli/commands/server.py" />
            <source>Choose from {names}.</source>
            <translation>Zur Auswahl stehen {names}.</translation>
        </message>
        <message>
            <location filename="../../cli/commands/server.py" />
            <source>`{command}` lists them.</source>
            <translation>`{command}` zeigt sie.</translation>
        </message>
        <message>
            <location filename="../../cli/views.py" />
            <source>Not cited: {sources}</source>
            <translation>Nicht zitiert: {sources}</translation>
        </message>
        <message>
            <location filename="../../cli/views.py" />
            <location filename="../../ui/overlay/answer/copying.py" />
            <location filename="../../ui/overlay/conversation/sources_strip.py" />
            <source>Sources</source>
            <translation>Quellen</translation>
        </message>
        <message>
            <location filename="../../cli/views.py" />
            <location filename="../../ui/overlay/answer/copying.py" />
            <location filename="../../ui/overlay/conversation/exchange_notes.py" />
            <source>Note: {text}</source>
            <translation>Hinweis: {text}</translation>
        </message>
        <message>
            <location filename="../../config/choices.py" />
            <source>must begin with http:// or https://</source>
            <translation>muss mit http:// oder https:// beginnen</translation>
        </message>
        <message>
            <location filename="../../config/choices.py" />
            <source>must name a host, and a port between 1 and 65535 if any</source>
            <translation>muss einen Host nennen, und einen Port höchstens zwischen 1 und 65535</translation>
        </message>
        <message>
            <location filename="../../config/choices.py" />
            <source>must be one word of letters, digits and signs</source>
            <translation>muss ein Wort aus Buchstaben, Ziffern und Zeichen sein</translation>
        </message>
        <message>
            <location filename="../../config/choices.py" />
            <source>must be seconds or a duration such as 30m, 1h30m, 0, or -1 for ever</source>
            <translation>muss eine Zahl von Sekunden oder eine Dauer wie 30m, 1h30m, 0 oder -1 für immer sein</translation>
        </message>
        <message>
            <location filename="../../config/editing.py" />
            <source>The settings file {file} cannot be edited: {problem}.</source>
            <translation>Die Einstellungsdatei {file} lässt sich nicht bearbeiten: {problem}.</translation>
        </message>
        <message>
            <location filename="../../config/editing.py" />
            <source>Change it by hand.</source>
            <translation>Von Hand ändern.</translation>
        </message>
        <message>
            <location filename="../../config/editing.py" />
            <source>{name} is no section there</source>
            <translation>{name} ist dort kein Abschnitt</translation>
        </message>
        <message>
            <location filename="../../config/editing.py" />
            <source>The settings file {file} cannot be written: {problem}. Nothing was changed.</source>
            <translation>Die Einstellungsdatei {file} lässt sich nicht schreiben: {problem}. Nichts wurde geändert.</translation>
        </message>
        <message>
            <location filename="../../config/folders.py" />
            <source>{name}, {file}, cannot be opened: {problem}.</source>
            <translation>{name}, {file}, lässt sich nicht öffnen: {problem}.</translation>
        </message>
        <message>
            <location filename="../../config/folders.py" />
            <source>Make its folder writable, or set ASKANCE_HOME to a folder of yours.</source>
            <translation>Den Ordner beschreibbar machen oder ASKANCE_HOME auf einen eigenen Ordner setzen.</translation>
        </message>
        <message>
            <location filename="../../config/settings.py" />
            <source>Did you mean {name}?</source>
            <translation>Ist {name} gemeint?</translation>
        </message>
        <message>
            <location filename="../../config/settings.py" />
            <source>`askance config show` lists all of them.</source>
            <translation>`askance config show` zählt alle auf.</translation>
        </message>
        <message>
            <location filename="../../config/settings.py" />
            <source>There is no setting {name}.</source>
            <translation>Eine Einstellung {name} gibt es nicht.</translation>
        </message>
        <message>
            <location filename="../../config/settings.py" />
            <source>must be one of {names}</source>
            <translation>muss eines davon sein: {names}</translation>
        </message>
        <message>
            <location filename="../../config/settings.py" />
            <source>must be true or false</source>
            <translation>muss true oder false sein</translation>
        </message>
        <message>
            <location filename="../../config/settings.py" />
            <source>must be a whole number from {least} to {most}</source>
            <translation>muss eine ganze Zahl von {least} bis {most} sein</translation>
        </message>
        <message>
            <location filename="../../config/settings.py" />
            <source>must be a number above {least} and at most {most}</source>
            <translation>muss eine Zahl über {least} und höchstens {most} sein</translation>
        </message>
        <message>
            <location filename="../../config/settings.py" />
            <source>must be a number from {least} to {most}</source>
            <translation>muss eine Zahl von {least} bis {most} sein</translation>
        </message>
        <message>
            <location filename="../../config/settings.py" />
            <source>must be text, separated by commas</source>
            <translation>muss Text sein, durch Kommas getrennt</translation>
        </message>
        <message>
            <location filename="../../config/settings.py" />
            <source>must be text</source>
            <translation>muss Text sein</translation>
        </message>
        <message>
            <location filename="../../config/settings.py" />
            <source>must be names or addresses, without a port</source>
            <translation>müssen Namen oder Adressen ohne Port sein</translation>
        </message>
        <message>
            <location filename="../../config/settings.py" />
            <source>must be origins such as http://127.0.0.1:3000, without a path</source>
            <translation>müssen Ursprünge wie http://127.0.0.1:3000 ohne Pfad sein</translation>
        </message>
        <message>
            <location filename="../../config/sources.py" />
            <source>{file}: {name} = {said} is not allowed: it {reason}.</source>
            <translation>{file}: {name} = {said} ist nicht erlaubt: Der Wert {reason}.</translation>
        </message>
        <message>
            <location filename="../../config/sources.py" />
            <source>Nothing goes to the web until it is fixed.</source>
            <translation>Bis das behoben ist, geht nichts ins Web.</translation>
        </message>
        <message>
            <location filename="../../config/sources.py" />
            <source>No folder is read until it is fixed.</source>
            <translation>Bis das behoben ist, wird kein Ordner gelesen.</translation>
        </message>
        <message>
            <location filename="../../config/sources.py" />
            <source>{name} = {said} is not allowed: it {reason}.</source>
            <translation>{name} = {said} ist nicht erlaubt: Der Wert {reason}.</translation>
        </message>
        <message>
            <location filename="../../config/sources.py" />
            <source>`askance config show {name}` tells what it is for.</source>
            <translation>`askance config show {name}` sagt, wozu sie da ist.</translation>
        </message>
        <message>
            <location filename="../../config/sources.py" />
            <source>{file}: {name} stands outside any section.</source>
            <translation>{file}: {name} steht außerhalb jedes Abschnitts.</translation>
        </message>
        <message>
            <location filename="../../config/sources.py" />
            <source>{origin}: {problem}</source>
            <translation>{origin}: {problem}</translation>
        </message>
        <message>
            <location filename="../../config/sources.py" />
            <source>Until it is fixed, the strictest counts: {names}.</source>
            <translation>Bis das behoben ist, gilt das Strengste: {names}.</translation>
        </message>
        <message>
            <location filename="../../config/sources.py" />
            <source>The settings file {file} is not UTF-8: {problem} at byte {n}.</source>
            <translation>Die Einstellungsdatei {file} ist kein UTF-8: {problem} bei Byte {n}.</translation>
        </message>
        <message>
            <location filename="../../config/sources.py" />
            <source>The settings file {file} cannot be read: {problem}.</source>
            <translation>Die Einstellungsdatei {file} ist nicht lesbar: {problem}.</translation>
        </message>
        <message>
            <location filename="../../config/sources.py" />
            <source>Put it under its section's heading, such as [llm].</source>
            <translation>Unter die Überschrift des Abschnitts setzen, etwa [llm].</translation>
        </message>
        <message>
            <location filename="../../config/sources.py" />
            <source>The settings file {file} is not valid TOML: {problem}.</source>
            <translation>Die Einstellungsdatei {file} ist kein gültiges TOML: {problem}.</translation>
        </message>
        <message>
            <location filename="../../config/sources.py" />
            <source>{variable} is not UTF-8.</source>
            <translation>{variable} ist kein UTF-8.</translation>
        </message>
        <message>
            <location filename="../../config/sources.py" />
            <source>Save it as UTF-8 in your editor.</source>
            <translation>Im Editor als UTF-8 speichern.</translation>
        </message>
        <message>
            <location filename="../../config/sources.py" />
            <source>Fix that line, or move the file away to start with the defaults.</source>
            <translation>Die Zeile berichtigen, oder die Datei beiseiteschaffen und mit den Vorgaben beginnen.</translation>
        </message>
        <message>
            <location filename="../../domain/attached_files.py" />
            <source>The file is gone.</source>
            <translation>Die Datei ist weg.</translation>
        </message>
        <message>
            <location filename="../../domain/attached_files.py" />
            <source>Empty.</source>
            <translation>Leer.</translation>
        </message>
        <message>
            <location filename="../../domain/attached_files.py" />
            <source>You may not open it.</source>
            <translation>Kein Zugriff.</translation>
        </message>
        <message>
            <location filename="../../domain/attached_files.py" />
            <source>Needs a password.</source>
            <translation>Braucht ein Passwort.</translation>
        </message>
        <message>
            <location filename="../../domain/attached_files.py" />
            <source>Archives cannot be read.</source>
            <translation>Archive sind nicht lesbar.</translation>
        </message>
        <message>
            <location filename="../../domain/attached_files.py" />
            <source>Larger than {n} MB.</source>
            <translation>Größer als {n} MB.</translation>
        </message>
        <message>
            <location filename="../../domain/attached_files.py" />
            <source>Only pictures inside. Read them?</source>
            <translation>Nur Bilder darin. Lesen?</translation>
        </message>
        <message>
            <location filename="../../domain/attached_files.py" />
            <source>Only pictures inside.</source>
            <translation>Nur Bilder darin.</translation>
        </message>
        <message>
            <location filename="../../domain/attached_files.py" />
            <source>There are no letters in it.</source>
            <translation>Darin steht kein Text.</translation>
        </message>
        <message>
            <location filename="../../domain/conversation.py" />
            <source>Summarise the text in a few sentences</source>
            <translation>Den Text in wenigen Sätzen zusammenfassen</translation>
        </message>
        <message>
            <location filename="../../domain/conversation.py" />
            <source>Rephrase the text</source>
            <translation>Den Text umformulieren</translation>
        </message>
        <message>
            <location filename="../../domain/conversation.py" />
            <source>Fix spelling, grammar and style</source>
            <translation>Rechtschreibung, Grammatik und Stil verbessern</translation>
        </message>
        <message>
            <location filename="../../domain/conversation.py" />
            <source>Translate the text</source>
            <translation>Den Text übersetzen</translation>
        </message>
        <message>
            <location filename="../../domain/conversation.py" />
            <source>Explain the text in plain words</source>
            <translation>Den Text einfach erklären</translation>
        </message>
        <message>
            <location filename="../../domain/conversation.py" />
            <source>Turn the text into a list of points</source>
            <translation>Den Text in Stichpunkte fassen</translation>
        </message>
        <message>
            <location filename="../../domain/conversation.py" />
            <source>List the tasks in the text</source>
            <translation>Die Aufgaben im Text auflisten</translation>
        </message>
        <message>
            <location filename="../../domain/downloads.py" />
            <source>The disk has too little room.</source>
            <translation>Der Datenträger hat zu wenig Platz.</translation>
        </message>
        <message>
            <location filename="../../domain/downloads.py" />
            <source>What came is not this model. It was deleted.</source>
            <translation>Was ankam, ist nicht dieses Modell. Es wurde gelöscht.</translation>
        </message>
        <message>
            <location filename="../../domain/library.py" />
            <source>An older copy of the library may still hold it: {file}</source>
            <translation>Eine ältere Kopie der Bibliothek enthält es vielleicht noch: {file}</translation>
        </message>
        <message>
            <location filename="../../domain/library.py" />
            <source>Another program is reading the library: until it is done and Askance has ended, {file} may still hold it.</source>
            <translation>Ein anderes Programm liest gerade die Bibliothek: Bis es fertig und Askance beendet ist, steht es vielleicht noch in {file}.</translation>
        </message>
        <message>
            <location filename="../../domain/ports/hotkey.py" />
            <source>is too long for a combination of keys</source>
            <translation>ist zu lang für eine Tastenkombination</translation>
        </message>
        <message>
            <location filename="../../domain/ports/hotkey.py" />
            <source>must end with a key, such as Ctrl+Space</source>
            <translation>muss mit einer Taste enden, etwa Ctrl+Space</translation>
        </message>
        <message>
            <location filename="../../domain/ports/hotkey.py" />
            <source>must end with a key that is no modifier, such as Ctrl+Space</source>
            <translation>muss mit einer Taste enden, die keine Umschalttaste ist, etwa Ctrl+Space</translation>
        </message>
        <message>
            <location filename="../../domain/ports/hotkey.py" />
            <source>names no key that can be used: {name}</source>
            <translation>nennt keine brauchbare Taste: {name}</translation>
        </message>
        <message>
            <location filename="../../domain/ports/hotkey.py" />
            <source>there is no key named {name}</source>
            <translation>eine Taste {name} gibt es nicht</translation>
        </message>
        <message>
            <location filename="../../domain/ports/hotkey.py" />
            <source>needs Ctrl, Alt or Super, or one of the keys F1 to F24</source>
            <translation>braucht Ctrl, Alt oder Super, oder eine der Tasten F1 bis F24</translation>
        </message>
        <message>
            <location filename="../../domain/ports/hotkey.py" />
            <source>must begin with Ctrl, Alt, Shift or Super, not {name}</source>
            <translation>muss mit Ctrl, Alt, Shift oder Super beginnen, nicht mit {name}</translation>
        </message>
        <message>
            <location filename="../../domain/web_pages.py" />
            <source>A question can be narrowed to {n} websites at the most.</source>
            <translation>Eine Frage lässt sich auf höchstens {n} Websites eingrenzen.</translation>
        </message>
        <message>
            <location filename="../../domain/web_pages.py" />
            <source>“{domain}” is not the name of a website.</source>
            <translation>„{domain}“ ist nicht der Name einer Website.</translation>
        </message>
        <message>
            <location filename="../../domain/web_pages.py" />
            <source>Name fewer of them.</source>
            <translation>Weniger davon nennen.</translation>
        </message>
        <message>
            <location filename="../../domain/web_pages.py" />
            <source>Write it as in {example}, without a path.</source>
            <translation>Wie in {example} schreiben, ohne Pfad.</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <source>Best passages:</source>
            <translation>Die besten Textstellen:</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <source>What the model wrote matches no source. A larger model would do better.</source>
            <translation>Was das Modell schrieb, passt zu keiner Quelle. Ein größeres kann es besser.</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <source>Asked again, the model misses the answer in the sources, so it is left out.</source>
            <translation>Erneut gefragt, vermisst das Modell die Antwort in den Quellen, sie wird deshalb weggelassen.</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <source>I could not find anything about this in your library.</source>
            <translation>In der Bibliothek war dazu nichts zu finden.</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <source>Searched for: {queries}.</source>
            <translation>Gesucht wurde nach {queries}.</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <source>I could not find anything about this on the web.</source>
            <translation>Dazu war im Web nichts zu finden.</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <source>What was found does not fit into the model's context of {n} tokens.</source>
            <translation>Was gefunden wurde, passt nicht in den Kontext des Modells von {n} Token.</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <source>The language model gave no usable answer.</source>
            <translation>Das Sprachmodell hat keine brauchbare Antwort gegeben.</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <source>at the run's time limit (limits.run_timeout_s)</source>
            <translation>die Zeit war abgelaufen (limits.run_timeout_s)</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <source>because the model failed: {problem}</source>
            <translation>das Modell ist ausgefallen: {problem}</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <location filename="../../engine/run.py" />
            <source>The answer was cut {cut}.</source>
            <translation>Die Antwort ist gekürzt: {cut}.</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <source>No model is available.</source>
            <translation>Kein Modell ist verfügbar.</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <source>There was no time left for the language model to write.</source>
            <translation>Dem Sprachmodell blieb keine Zeit zum Schreiben.</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <source>The model wrote no answer.</source>
            <translation>Das Modell hat keine Antwort geschrieben.</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <source>No sentence of the answer could be matched to a source without doubt.</source>
            <translation>Kein Satz der Antwort ließ sich zweifelsfrei einer Quelle zuordnen.</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <source>The newest source says otherwise: [{n}] of {day}.</source>
            <translation>Die neueste Quelle sagt etwas anderes: [{n}] vom {day}.</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <source>The answer is missing: {problem}</source>
            <translation>Die Antwort fehlt: {problem}</translation>
        </message>
        <message>
            <location filename="../../engine/answer.py" />
            <source>{title} was read only in part: {why}</source>
            <translation>{title} wurde nur zum Teil gelesen: {why}</translation>
        </message>
        <message>
            <location filename="../../engine/context.py" />
            <source>After {n} rounds (limits.rounds) the evidence may still be incomplete.</source>
            <translation>Nach {n} Runden (limits.rounds) können die Belege noch lückenhaft sein.</translation>
        </message>
        <message>
            <location filename="../../engine/context.py" />
            <source>The limit of {n} model tokens was reached.</source>
            <translation>Die Grenze von {n} Modell-Token ist erreicht.</translation>
        </message>
        <message>
            <location filename="../../engine/context.py" />
            <source>There was no time for another round; the evidence may be incomplete.</source>
            <translation>Für eine weitere Runde war keine Zeit; die Belege sind vielleicht unvollständig.</translation>
        </message>
        <message>
            <location filename="../../engine/evidence_search.py" />
            <source>Only keywords were compared: {why}.</source>
            <translation>Nur Stichwörter wurden verglichen: {why}.</translation>
        </message>
        <message>
            <location filename="../../engine/evidence_search.py" />
            <location filename="../../engine/library_router.py" />
            <source>the embedding model did not answer in time</source>
            <translation>das Einbettungsmodell hat nicht rechtzeitig geantwortet</translation>
        </message>
        <message>
            <location filename="../../engine/evidence_search.py" />
            <location filename="../../engine/library_router.py" />
            <source>the embedding model failed</source>
            <translation>das Einbettungsmodell ist fehlgeschlagen</translation>
        </message>
        <message>
            <location filename="../../engine/evidence_search.py" />
            <location filename="../../engine/search.py" />
            <source>The searches brought no results.</source>
            <translation>Die Suchen brachten keine Treffer.</translation>
        </message>
        <message>
            <location filename="../../engine/evidence_search.py" />
            <source>What the searches brought says nothing about the question.</source>
            <translation>Was die Suchen gebracht haben, sagt nichts zur Frage.</translation>
        </message>
        <message>
            <location filename="../../engine/evidence_search.py" />
            <source>The question leaves no room for evidence in {n} tokens.</source>
            <translation>Die Frage lässt in {n} Tokens keinen Platz für Belege.</translation>
        </message>
        <message>
            <location filename="../../engine/evidence_search.py" />
            <source>Ask for more tokens, or with fewer words.</source>
            <translation>Mehr Tokens erlauben oder kürzer fragen.</translation>
        </message>
        <message>
            <location filename="../../engine/evidence_set.py" />
            <source>{n} passages did not fit into the model's context.</source>
            <translation>{n} Textstellen hatten im Kontext des Modells keinen Platz.</translation>
        </message>
        <message>
            <location filename="../../engine/evidence_set.py" />
            <source>{n} snippets did not fit into the model's context.</source>
            <translation>{n} Auszüge hatten im Kontext des Modells keinen Platz.</translation>
        </message>
        <message>
            <location filename="../../engine/judge.py" />
            <source>there was no time for it.</source>
            <translation>dafür war keine Zeit.</translation>
        </message>
        <message>
            <location filename="../../engine/judge.py" />
            <source>The model gave no plan: {problem}</source>
            <translation>Das Modell hat keinen Plan geliefert: {problem}</translation>
        </message>
        <message>
            <location filename="../../engine/judge.py" />
            <source>the writer did not find the answer in it</source>
            <translation>der Schreiber fand die Antwort nicht darin</translation>
        </message>
        <message>
            <location filename="../../engine/judge.py" />
            <source>no source states it plainly</source>
            <translation>keine Quelle sagt es deutlich</translation>
        </message>
        <message>
            <location filename="../../engine/judge.py" />
            <source>it asks for more in the same breath</source>
            <translation>es verlangt im selben Atemzug mehr</translation>
        </message>
        <message>
            <location filename="../../engine/judge.py" />
            <source>there is no evidence</source>
            <translation>es gibt keine Belege</translation>
        </message>
        <message>
            <location filename="../../engine/judge.py" />
            <source>the evidence does not mention {names}</source>
            <translation>die Belege erwähnen dies nicht: {names}</translation>
        </message>
        <message>
            <location filename="../../engine/judge.py" />
            <source>no snippet states it in full</source>
            <translation>kein Auszug nennt es vollständig</translation>
        </message>
        <message>
            <location filename="../../engine/judge.py" />
            <source>no source speaks of what the question asks</source>
            <translation>keine Quelle handelt von dem, was gefragt ist</translation>
        </message>
        <message>
            <location filename="../../engine/judge.py" />
            <source>The plan does not follow its schema.</source>
            <translation>Der Plan hat nicht die verlangte Form.</translation>
        </message>
        <message>
            <location filename="../../engine/judge.py" />
            <source>it took longer than {n} s.</source>
            <translation>es brauchte länger als {n} s.</translation>
        </message>
        <message>
            <location filename="../../engine/judge.py" />
            <source>The model gave no usable plan, so the question was searched as it is.</source>
            <translation>Das Modell hat keinen brauchbaren Plan geliefert; gesucht wurde die Frage, wie sie dasteht.</translation>
        </message>
        <message>
            <location filename="../../engine/judge.py" />
            <source>The model has not chosen the pages: {problem}</source>
            <translation>Das Modell hat die Seiten nicht ausgewählt: {problem}</translation>
        </message>
        <message>
            <location filename="../../engine/judge.py" />
            <source>The verdict does not follow its schema.</source>
            <translation>Das Urteil hat nicht die verlangte Form.</translation>
        </message>
        <message>
            <location filename="../../engine/judge.py" />
            <source>The evidence was not judged: there was no time for it.</source>
            <translation>Die Belege wurden nicht beurteilt: Dafür war keine Zeit.</translation>
        </message>
        <message>
            <location filename="../../engine/judge.py" />
            <source>A verdict on the evidence is missing: {problem}</source>
            <translation>Ein Urteil über die Belege fehlt: {problem}</translation>
        </message>
        <message>
            <location filename="../../engine/library_router.py" />
            <source>Only keywords were searched: set embeddings.api to search by meaning as well.</source>
            <translation>Nur nach Stichwörtern gesucht: embeddings.api setzen, um auch nach der Bedeutung zu suchen.</translation>
        </message>
        <message>
            <location filename="../../engine/library_router.py" />
            <source>Only keywords were searched: no passage is embedded yet. `askance library embed` does it.</source>
            <translation>Nur nach Stichwörtern gesucht: Noch ist kein Abschnitt eingebettet. `askance library embed` macht das.</translation>
        </message>
        <message>
            <location filename="../../engine/library_router.py" />
            <source>The embedding model is another one than before. `askance library embed` embeds everything anew.</source>
            <translation>Das Einbettungsmodell ist ein anderes als zuvor. `askance library embed` bettet alles neu ein.</translation>
        </message>
        <message>
            <location filename="../../engine/library_router.py" />
            <source>Only keywords were searched: {why}.</source>
            <translation>Nur nach Stichwörtern gesucht: {why}.</translation>
        </message>
        <message>
            <location filename="../../engine/library_router.py" />
            <source>The model {model} has changed meanwhile.</source>
            <translation>Das Modell {model} hat sich inzwischen geändert.</translation>
        </message>
        <message>
            <location filename="../../engine/library_router.py" />
            <source>{name} may not read the library.</source>
            <translation>{name} darf die Bibliothek nicht lesen.</translation>
        </message>
        <message>
            <location filename="../../engine/library_router.py" />
            <source>Allow it in the settings of Askance, if you want that.</source>
            <translation>Es bei Wunsch in den Einstellungen von Askance erlauben.</translation>
        </message>
        <message>
            <location filename="../../engine/model_replies.py" />
            <source>The model server sent this answer as reasoning of the model.</source>
            <translation>Der Modellserver hat diese Antwort als Überlegung des Modells geschickt.</translation>
        </message>
        <message>
            <location filename="../../engine/model_replies.py" />
            <source>because the model repeated itself</source>
            <translation>das Modell hat sich wiederholt</translation>
        </message>
        <message>
            <location filename="../../engine/model_replies.py" />
            <source>at its length limit (answer.max_tokens)</source>
            <translation>sie hat die größte Länge erreicht (answer.max_tokens)</translation>
        </message>
        <message>
            <location filename="../../engine/model_replies.py" />
            <source>because the model server ended it early ({word})</source>
            <translation>der Modellserver hat sie vorzeitig beendet ({word})</translation>
        </message>
        <message>
            <location filename="../../engine/model_session.py" />
            <source>{model} reasons before its replies although it was asked not to, about {n} tokens this time: each reply takes that much longer.</source>
            <translation>{model} denkt vor seinen Antworten nach, obwohl es nicht soll, diesmal etwa {n} Token lang: Jede Antwort dauert um so viel länger.</translation>
        </message>
        <message>
            <location filename="../../engine/model_session.py" />
            <source>The model gave no reply that could be read.</source>
            <translation>Das Modell hat nichts Lesbares geantwortet.</translation>
        </message>
        <message>
            <location filename="../../engine/model_session.py" />
            <source>The model call failed inside this program; the log says where.</source>
            <translation>Der Aufruf des Modells ist in diesem Programm selbst fehlgeschlagen; das Protokoll sagt, wo.</translation>
        </message>
        <message>
            <location filename="../../engine/model_session.py" />
            <source>The oldest {n} turns of the conversation did not fit into the model's context.</source>
            <translation>Die ältesten {n} Beiträge des Gesprächs hatten im Kontext des Modells keinen Platz.</translation>
        </message>
        <message>
            <location filename="../../engine/model_session.py" />
            <source>What was read for the oldest {n} answers no longer fits into the model's context.</source>
            <translation>Was für die ältesten {n} Antworten gelesen wurde, passt nicht mehr in den Kontext des Modells.</translation>
        </message>
        <message>
            <location filename="../../engine/model_session.py" />
            <source>The evidence was too long for the model, which was shown a part of it: {problem}</source>
            <translation>Die Belege waren zu lang für das Modell, das nur einen Teil davon gesehen hat: {problem}</translation>
        </message>
        <message>
            <location filename="../../engine/model_session.py" />
            <source>The conversation was too long for the model, which was shown its end: {problem}</source>
            <translation>Das Gespräch war zu lang für das Modell, das nur dessen Ende gesehen hat: {problem}</translation>
        </message>
        <message>
            <location filename="../../engine/page_reads.py" />
            <source>No page could be read; the answer rests on the search engine's snippets.</source>
            <translation>Keine Seite war zu lesen; die Antwort stützt sich auf die Auszüge der Suchmaschine.</translation>
        </message>
        <message>
            <location filename="../../engine/page_reads.py" />
            <source>{done} of {n} pages could not be read.</source>
            <translation>{done} von {n} Seiten waren nicht zu lesen.</translation>
        </message>
        <message>
            <location filename="../../engine/page_reads.py" />
            <location filename="../../engine/text_check.py" />
            <location filename="../../presentation/steps.py" />
            <source>it took too long</source>
            <translation>sie brauchte zu lange</translation>
        </message>
        <message>
            <location filename="../../engine/prompts.py" />
            <source>The context of {model} holds {n} tokens: too few to answer from sources.</source>
            <translation>Der Kontext von {model} fasst {n} Token: zu wenig, um aus Quellen zu antworten.</translation>
        </message>
        <message>
            <location filename="../../engine/prompts.py" />
            <source>The question is too long: about {needed} tokens, and the model's context leaves room for {available}.</source>
            <translation>Die Frage ist zu lang: etwa {needed} Token, und im Kontext des Modells ist Platz für {available}.</translation>
        </message>
        <message>
            <location filename="../../engine/prompts.py" />
            <source>Shorten it, or raise llm.context_tokens if the model allows more.</source>
            <translation>Die Frage kürzen oder llm.context_tokens erhöhen, wenn das Modell mehr erlaubt.</translation>
        </message>
        <message>
            <location filename="../../engine/queries.py" />
            <source>Searched as words, since no such operator is known here: {operators}.</source>
            <translation>Als Wörter gesucht, weil solche Operatoren hier nicht bekannt sind: {operators}.</translation>
        </message>
        <message>
            <location filename="../../engine/question_run.py" />
            <source>{model} is not a reasoning model: it answers without thinking first.</source>
            <translation>{model} kann nicht nachdenken: Es antwortet sofort.</translation>
        </message>
        <message>
            <location filename="../../engine/question_run.py" />
            <location filename="../../ui/overlay/attach_files.py" />
            <source>{model} cannot see pictures.</source>
            <translation>{model} sieht keine Bilder.</translation>
        </message>
        <message>
            <location filename="../../engine/question_run.py" />
            <source>Pictures are not shown to a model on {host}.</source>
            <translation>Einem Modell auf {host} werden keine Bilder gezeigt.</translation>
        </message>
        <message>
            <location filename="../../engine/question_run.py" />
            <source>There is no question.</source>
            <translation>Es ist keine Frage da.</translation>
        </message>
        <message>
            <location filename="../../engine/question_run.py" />
            <location filename="../../engine/run.py" />
            <location filename="../../ui/overlay/bar/status.py" />
            <source>No language model is set up.</source>
            <translation>Es ist kein Sprachmodell eingerichtet.</translation>
        </message>
        <message>
            <location filename="../../engine/question_run.py" />
            <source>Choose a model that sees, or take the picture out.</source>
            <translation>Ein Modell wählen, das Bilder sieht, oder das Bild herausnehmen.</translation>
        </message>
        <message>
            <location filename="../../engine/question_run.py" />
            <source>Allow it by library.share_with_remote_model, or take the picture out.</source>
            <translation>Mit library.share_with_remote_model erlauben oder das Bild herausnehmen.</translation>
        </message>
        <message>
            <location filename="../../engine/question_run.py" />
            <source>Type a question.</source>
            <translation>Eine Frage eingeben.</translation>
        </message>
        <message>
            <location filename="../../engine/question_run.py" />
            <source>The search was ended after {n} s (limits.run_timeout_s) less the time for writing; the answer rests on what was found by then.</source>
            <translation>Die Suche endete nach {n} s (limits.run_timeout_s) abzüglich der Zeit zum Schreiben; die Antwort stützt sich auf das, was bis dahin gefunden war.</translation>
        </message>
        <message>
            <location filename="../../engine/question_run.py" />
            <source>The web could not be searched, so the answer rests on your library alone: {problem}</source>
            <translation>Das Web konnte nicht durchsucht werden, deshalb stützt sich die Antwort allein auf die Bibliothek: {problem}</translation>
        </message>
        <message>
            <location filename="../../engine/recall.py" />
            <source>Your own files were not used, because the model is on {host} (library.share_with_remote_model).</source>
            <translation>Eigene Dateien wurden nicht verwendet, weil das Modell auf {host} läuft (library.share_with_remote_model).</translation>
        </message>
        <message>
            <location filename="../../engine/research.py" />
            <source>Searching further found nothing new, so it ended early.</source>
            <translation>Weiteres Suchen brachte nichts Neues; es wurde früher beendet.</translation>
        </message>
        <message>
            <location filename="../../engine/research.py" />
            <source>There was nothing left to search for, so it ended early.</source>
            <translation>Es gab nichts mehr zu suchen; die Suche endete früher.</translation>
        </message>
        <message>
            <location filename="../../engine/run.py" />
            <location filename="../../engine/text_check.py" />
            <source>There is no text.</source>
            <translation>Es gibt keinen Text.</translation>
        </message>
        <message>
            <location filename="../../engine/run.py" />
            <location filename="../../engine/text_check.py" />
            <source>Select or paste one.</source>
            <translation>Einen markieren oder einfügen.</translation>
        </message>
        <message>
            <location filename="../../engine/run.py" />
            <source>Run `askance doctor`.</source>
            <translation>`askance doctor` zeigt, was fehlt.</translation>
        </message>
        <message>
            <location filename="../../engine/run_progress.py" />
            <source>`--set ledger.required=false` sends it unrecorded, for one command.</source>
            <translation>`--set ledger.required=false` sendet es ohne Eintrag, für einen Befehl.</translation>
        </message>
        <message>
            <location filename="../../engine/run_progress.py" />
            <source>Switch its reasoning off in its server, or set llm.model to a model that does not reason.</source>
            <translation>Das Nachdenken in seinem Server abschalten, oder llm.model auf ein Modell setzen, das nicht nachdenkt.</translation>
        </message>
        <message>
            <location filename="../../engine/run_progress.py" />
            <source>The model {before} is gone; {now} was asked instead.</source>
            <translation>Das Modell {before} ist nicht mehr da; stattdessen wurde {now} gefragt.</translation>
        </message>
        <message>
            <location filename="../../engine/run_progress.py" />
            <source>{model} used up its tokens by reasoning, and gave no reply.</source>
            <translation>{model} hat seine Token beim Nachdenken verbraucht und keine Antwort gegeben.</translation>
        </message>
        <message>
            <location filename="../../engine/run_progress.py" />
            <source>Earlier questions and answers that may hold private text were not shown to the model, because it is on {host} (library.share_with_remote_model).</source>
            <translation>Frühere Fragen und Antworten, in denen Privates stehen kann, bekam das Modell nicht zu sehen, weil es auf {host} läuft (library.share_with_remote_model).</translation>
        </message>
        <message>
            <location filename="../../engine/run_progress.py" />
            <source>Nothing was sent, since it cannot be recorded: {problem}</source>
            <translation>Nichts wurde gesendet, weil es nicht verzeichnet werden kann: {problem}</translation>
        </message>
        <message>
            <location filename="../../engine/search.py" />
            <source>The search found nothing: these engines did not answer: {told}.</source>
            <translation>Die Suche fand nichts: Diese Suchmaschinen haben nicht geantwortet: {told}.</translation>
        </message>
        <message>
            <location filename="../../engine/search.py" />
            <source>Try again later, or with other engines (search.engines).</source>
            <translation>Später noch einmal versuchen oder mit anderen Suchmaschinen (search.engines).</translation>
        </message>
        <message>
            <location filename="../../engine/search.py" />
            <source>The search found nothing: these engines could not be reached: {told}.</source>
            <translation>Die Suche fand nichts: Diese Suchmaschinen waren nicht erreichbar: {told}.</translation>
        </message>
        <message>
            <location filename="../../engine/search.py" />
            <source>Check this computer's connection to the internet, and search.proxy.</source>
            <translation>Die Internetverbindung dieses Computers und search.proxy prüfen.</translation>
        </message>
        <message>
            <location filename="../../engine/search.py" />
            <source>No search was answered before the time limit.</source>
            <translation>Bis zum Ende der Zeit kam von keiner Suche eine Antwort.</translation>
        </message>
        <message>
            <location filename="../../engine/search.py" />
            <source>A larger limits.run_timeout_s gives them more time.</source>
            <translation>Ein größeres limits.run_timeout_s gibt ihnen mehr Zeit.</translation>
        </message>
        <message>
            <location filename="../../engine/search.py" />
            <source>Not searched, because only your own texts say it: {words}. A question that says it is searched with it.</source>
            <translation>Nicht gesucht, weil es nur in den eigenen Texten steht: {words}. Eine Frage, die es nennt, wird damit gesucht.</translation>
        </message>
        <message>
            <location filename="../../engine/search.py" />
            <source>Not searched, because it is on this computer: {paths}.</source>
            <translation>Nicht gesucht, weil es auf diesem Computer liegt: {paths}.</translation>
        </message>
        <message>
            <location filename="../../engine/search.py" />
            <source>The question has no word that can be searched for.</source>
            <translation>Die Frage enthält kein Wort, nach dem sich suchen lässt.</translation>
        </message>
        <message>
            <location filename="../../engine/search.py" />
            <source>The searches brought no results, but these hints: {told}.</source>
            <translation>Die Suchen haben keine Ergebnisse gebracht, aber diese Hinweise: {told}.</translation>
        </message>
        <message>
            <location filename="../../engine/search.py" />
            <source>The search failed inside this program; the log says where.</source>
            <translation>Die Suche ist in diesem Programm selbst fehlgeschlagen; das Protokoll sagt, wo.</translation>
        </message>
        <message>
            <location filename="../../engine/search.py" />
            <source>{name} ({problem})</source>
            <translation>{name} ({problem})</translation>
        </message>
        <message>
            <location filename="../../engine/search.py" />
            <source>The question alone does not say what to search for.</source>
            <translation>Die Frage allein sagt nicht, wonach zu suchen ist.</translation>
        </message>
        <message>
            <location filename="../../engine/search.py" />
            <source>Ask it in words.</source>
            <translation>Die Frage in Worten stellen.</translation>
        </message>
        <message>
            <location filename="../../engine/search.py" />
            <source>A search failed: {problem}</source>
            <translation>Eine Suche ist fehlgeschlagen: {problem}</translation>
        </message>
        <message>
            <location filename="../../engine/search.py" />
            <source>Name in it what it is about.</source>
            <translation>In der Frage nennen, worum es geht.</translation>
        </message>
        <message>
            <location filename="../../engine/text_check.py" />
            <source>The text is longer than {n} characters.</source>
            <translation>Der Text ist länger als {n} Zeichen.</translation>
        </message>
        <message>
            <location filename="../../engine/text_check.py" />
            <source>Check a part of it.</source>
            <translation>Einen Teil davon prüfen.</translation>
        </message>
        <message>
            <location filename="../../extract/books/epub_fb2.py" />
            <location filename="../../extract/html/bookmarks.py" />
            <location filename="../../extract/page.py" />
            <source>The file is damaged: {problem}.</source>
            <translation>Die Datei ist beschädigt: {problem}.</translation>
        </message>
        <message>
            <location filename="../../extract/books/epub_fb2.py" />
            <source>The book is encrypted.</source>
            <translation>Das Buch ist verschlüsselt.</translation>
        </message>
        <message>
            <location filename="../../extract/books/epub_fb2.py" />
            <source>Only the first {pages} of the {available} chapters are read.</source>
            <translation>Nur die ersten {pages} der {available} Kapitel werden gelesen.</translation>
        </message>
        <message>
            <location filename="../../extract/books/plain_formats.py" />
            <location filename="../../extract/extracted.py" />
            <location filename="../../extract/html/html_page.py" />
            <source>The page has no text.</source>
            <translation>Die Seite hat keinen Text.</translation>
        </message>
        <message>
            <location filename="../../extract/extracted.py" />
            <source>Only the first {n} of the {available} characters of the page are used.</source>
            <translation>Nur die ersten {n} der {available} Zeichen der Seite werden verwendet.</translation>
        </message>
        <message>
            <location filename="../../extract/extracted.py" />
            <source>Only the first {pages} of the {available} characters are read.</source>
            <translation>Nur die ersten {pages} der {available} Zeichen werden gelesen.</translation>
        </message>
        <message>
            <location filename="../../extract/extracted.py" />
            <source>The text of the page takes more than {n} MiB.</source>
            <translation>Der Text der Seite ist größer als {n} MiB.</translation>
        </message>
        <message>
            <location filename="../../extract/extracted.py" />
            <source>The file has no text.</source>
            <translation>Die Datei enthält keinen Text.</translation>
        </message>
        <message>
            <location filename="../../extract/html/bookmarks.py" />
            <source>Only the first {pages} of the {available} bookmarks are read.</source>
            <translation>Nur die ersten {pages} der {available} Lesezeichen werden gelesen.</translation>
        </message>
        <message>
            <location filename="../../extract/html/bookmarks.py" />
            <source>It holds no bookmark.</source>
            <translation>Die Datei enthält kein Lesezeichen.</translation>
        </message>
        <message>
            <location filename="../../extract/html/feeds.py" />
            <source>Only the first {n} of the {available} entries are read.</source>
            <translation>Nur die ersten {n} der {available} Einträge werden gelesen.</translation>
        </message>
        <message>
            <location filename="../../extract/html/html_page.py" />
            <source>The text of the page could not be told from what stands around it; all is read.</source>
            <translation>Der Text der Seite war von dem, was um ihn steht, nicht zu unterscheiden; alles ist gelesen.</translation>
        </message>
        <message>
            <location filename="../../extract/html/html_page.py" />
            <source>The page keeps its text for browsers without scripts, or for its own; it is read from there.</source>
            <translation>Die Seite hält ihren Text für Browser ohne Skripte oder für ihr eigenes bereit; er ist von dort gelesen.</translation>
        </message>
        <message>
            <location filename="../../extract/html/html_page.py" />
            <source>The page hides most of its text until its scripts have run; it is read as if they had.</source>
            <translation>Die Seite verbirgt ihren Text größtenteils, bis ihre Skripte gelaufen sind; sie ist gelesen, als wären sie es.</translation>
        </message>
        <message>
            <location filename="../../extract/html/html_page.py" />
            <source>The page shows only a check that its visitor is a person.</source>
            <translation>Die Seite zeigt nur eine Prüfung, ob ein Mensch sie besucht.</translation>
        </message>
        <message>
            <location filename="../../extract/html/html_page.py" />
            <source>The page shows only a consent or sign-in form.</source>
            <translation>Die Seite will nur eine Einwilligung oder eine Anmeldung.</translation>
        </message>
        <message>
            <location filename="../../extract/html/html_page.py" />
            <source>The page shows its text only with scripts, which are not run here.</source>
            <translation>Die Seite hat keinen Text, bevor ihre Skripte laufen, und die laufen hier nicht.</translation>
        </message>
        <message>
            <location filename="../../extract/html/html_page.py" />
            <source>The page is empty.</source>
            <translation>Die Seite ist leer.</translation>
        </message>
        <message>
            <location filename="../../extract/html/html_page.py" />
            <location filename="../../extract/worker.py" />
            <source>The page could not be parsed: {problem}.</source>
            <translation>Die Seite war nicht auszuwerten: {problem}.</translation>
        </message>
        <message>
            <location filename="../../extract/mail/email_message.py" />
            <source>The text of the message is encrypted.</source>
            <translation>Der Text der Nachricht ist verschlüsselt.</translation>
        </message>
        <message>
            <location filename="../../extract/mail/email_message.py" />
            <source>Attachments not read, or only in part: {n} ({names}).</source>
            <translation>Anhänge, die nicht oder nur teilweise gelesen wurden: {n} ({names}).</translation>
        </message>
        <message>
            <location filename="../../extract/mail/email_message.py" />
            <source>The message has no text.</source>
            <translation>Die Nachricht enthält keinen Text.</translation>
        </message>
        <message>
            <location filename="../../extract/office/archives.py" />
            <source>Parts of the file could not be read: {names}.</source>
            <translation>Teile der Datei ließen sich nicht lesen: {names}.</translation>
        </message>
        <message>
            <location filename="../../extract/office/opendocument.py" />
            <location filename="../../extract/office/xlsx_pptx.py" />
            <source>Only the first {n} cells are read.</source>
            <translation>Nur die ersten {n} Zellen werden gelesen.</translation>
        </message>
        <message>
            <location filename="../../extract/office/opendocument.py" />
            <location filename="../../extract/office/xlsx_pptx.py" />
            <source>The file is encrypted.</source>
            <translation>Die Datei ist verschlüsselt.</translation>
        </message>
        <message>
            <location filename="../../extract/office/xlsx_pptx.py" />
            <source>Only the first {n} slides are read.</source>
            <translation>Nur die ersten {n} Folien werden gelesen.</translation>
        </message>
        <message>
            <location filename="../../extract/office/xlsx_pptx.py" />
            <source>The values of {n} formulas are not in the file.</source>
            <translation>Die Werte von {n} Formeln stehen nicht in der Datei.</translation>
        </message>
        <message>
            <location filename="../../extract/page.py" />
            <source>Not a {name} file: its content is something else.</source>
            <translation>Keine {name}-Datei: Der Inhalt ist etwas anderes.</translation>
        </message>
        <message>
            <location filename="../../extract/page.py" />
            <source>The page is a file that holds no readable text.</source>
            <translation>Die Seite ist eine Datei ohne lesbaren Text.</translation>
        </message>
        <message>
            <location filename="../../extract/page.py" />
            <source>The file is encrypted, or in a format of before 2007.</source>
            <translation>Die Datei ist verschlüsselt oder in einem Format von vor 2007.</translation>
        </message>
        <message>
            <location filename="../../extract/page.py" />
            <source>The file is encrypted, or in the format of Word before 2007.</source>
            <translation>Die Datei ist verschlüsselt oder im Format von Word vor 2007.</translation>
        </message>
        <message>
            <location filename="../../extract/page.py" />
            <source>It unpacks to more than {n} MiB.</source>
            <translation>Entpackt ist die Datei größer als {n} MiB.</translation>
        </message>
        <message>
            <location filename="../../extract/page.py" />
            <source>The message has more than {n} parts.</source>
            <translation>Die Nachricht hat mehr als {n} Teile.</translation>
        </message>
        <message>
            <location filename="../../extract/page.py" />
            <source>{name} is not installed, which reads it.</source>
            <translation>{name}, das sie lesen würde, ist nicht installiert.</translation>
        </message>
        <message>
            <location filename="../../extract/page.py" />
            <source>LibreOffice would read this file.</source>
            <translation>LibreOffice würde diese Datei lesen.</translation>
        </message>
        <message>
            <location filename="../../extract/pdf/pdf_file.py" />
            <source>Only the first {pages} of the {available} pages are read.</source>
            <translation>Nur die ersten {pages} der {available} Seiten werden gelesen.</translation>
        </message>
        <message>
            <location filename="../../extract/pdf/pdf_file.py" />
            <source>The PDF file holds images and no text.</source>
            <translation>Die PDF-Datei enthält Bilder und keinen Text.</translation>
        </message>
        <message>
            <location filename="../../extract/pdf/pdf_file.py" />
            <source>The fonts of the PDF file do not say which letters they show.</source>
            <translation>Die Schriften der PDF-Datei geben nicht an, welche Buchstaben sie zeigen.</translation>
        </message>
        <message>
            <location filename="../../extract/pdf/pdf_file.py" />
            <source>The PDF file has no text: its pages are images or blank.</source>
            <translation>Die PDF-Datei hat keinen Text: ihre Seiten sind Bilder oder leer.</translation>
        </message>
        <message>
            <location filename="../../extract/pdf/pdf_file.py" />
            <source>The PDF file has no text that could be read.</source>
            <translation>Die PDF-Datei hat keinen Text, der gelesen werden konnte.</translation>
        </message>
        <message>
            <location filename="../../extract/pdf/pdf_file.py" />
            <source>The PDF file has no pages.</source>
            <translation>Die PDF-Datei hat keine Seiten.</translation>
        </message>
        <message>
            <location filename="../../extract/pdf/pdf_file.py" />
            <source>{n} of {available} pages are images or blank.</source>
            <translation>{n} von {available} Seiten sind Bilder oder leer.</translation>
        </message>
        <message>
            <location filename="../../extract/pdf/pdf_file.py" />
            <source>The text of these pages cannot be read, since their fonts do not say which letters they show: {numbers}.</source>
            <translation>Der Text dieser Seiten kann nicht gelesen werden, da ihre Schriften nicht angeben, welche Buchstaben sie zeigen: {numbers}.</translation>
        </message>
        <message>
            <location filename="../../extract/pdf/pdf_file.py" />
            <source>The text of these pages may be wrong, since their fonts do not say which letters they show: {numbers}.</source>
            <translation>Der Text dieser Seiten kann falsch sein, da ihre Schriften nicht angeben, welche Buchstaben sie zeigen: {numbers}.</translation>
        </message>
        <message>
            <location filename="../../extract/pdf/pdf_file.py" />
            <source>The PDF file is encrypted.</source>
            <translation>Die PDF-Datei ist verschlüsselt.</translation>
        </message>
        <message>
            <location filename="../../extract/pdf/pdf_file.py" />
            <source>The PDF file is damaged.</source>
            <translation>Die PDF-Datei ist beschädigt.</translation>
        </message>
        <message>
            <location filename="../../extract/pdf/pdf_file.py" />
            <source>{n} of {available} pages are images.</source>
            <translation>{n} von {available} Seiten sind Bilder.</translation>
        </message>
        <message>
            <location filename="../../extract/pdf/pdf_file.py" />
            <source>Page {number} could not be read.</source>
            <translation>Seite {number} konnte nicht gelesen werden.</translation>
        </message>
        <message>
            <location filename="../../extract/pdf/pdf_file.py" />
            <source>Pages {numbers} could not be read.</source>
            <translation>Die Seiten {numbers} konnten nicht gelesen werden.</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>From this conversation, not checked.</source>
            <translation>Aus diesem Gespräch, nicht geprüft.</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <location filename="../../ui/overlay/conversation/disagreements.py" />
            <source>Sources disagree about {what}</source>
            <translation>Die Quellen widersprechen sich bei {what}</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <location filename="../../ui/overlay/conversation/disagreements.py" />
            <source>used</source>
            <translation>verwendet</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>indexed</source>
            <translation>indexiert</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>unchanged</source>
            <translation>unverändert</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>excluded</source>
            <translation>ausgeschlossen</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <location filename="../../presentation/steps.py" />
            <source>failed</source>
            <translation>fehlgeschlagen</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>imported: {host}</source>
            <translation>importiert: {host}</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/answers.py" />
            <source>{k} of {n} files indexed</source>
            <comment>{k} of {n} file indexed</comment>
            <translation>
                <numerusform>{k} von {n} Datei durchsuchbar</numerusform>
                <numerusform>{k} von {n} Dateien durchsuchbar</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>supported by its source</source>
            <translation>von der Quelle gedeckt</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>supported by its source only in part</source>
            <translation>von der Quelle nur teilweise gedeckt</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>not supported by its source</source>
            <translation>von der Quelle nicht gedeckt</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>From memory, not checked.</source>
            <translation>Aus dem Gedächtnis, nicht geprüft.</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>From the text you gave, not checked.</source>
            <translation>Aus dem mitgegebenen Text, nicht geprüft.</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>The sources do not answer the question in full.</source>
            <translation>Die Quellen beantworten die Frage nicht ganz.</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Quotes only, no model.</source>
            <translation>Nur Zitate, kein Modell.</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>English</source>
            <translation>Englisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>German</source>
            <translation>Deutsch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>French</source>
            <translation>Französisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Spanish</source>
            <translation>Spanisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Italian</source>
            <translation>Italienisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Portuguese</source>
            <translation>Portugiesisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Dutch</source>
            <translation>Niederländisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Polish</source>
            <translation>Polnisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Czech</source>
            <translation>Tschechisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Swedish</source>
            <translation>Schwedisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Danish</source>
            <translation>Dänisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Norwegian</source>
            <translation>Norwegisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Finnish</source>
            <translation>Finnisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Romanian</source>
            <translation>Rumänisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Hungarian</source>
            <translation>Ungarisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Turkish</source>
            <translation>Türkisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Russian</source>
            <translation>Russisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Ukrainian</source>
            <translation>Ukrainisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Greek</source>
            <translation>Griechisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <location filename="../../system/qt_environment.py" />
            <source>Arabic</source>
            <translation>Arabisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Persian</source>
            <translation>Persisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <location filename="../../system/qt_environment.py" />
            <source>Hebrew</source>
            <translation>Hebräisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <location filename="../../system/qt_environment.py" />
            <source>Hindi</source>
            <translation>Hindi</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <location filename="../../system/qt_environment.py" />
            <source>Chinese</source>
            <translation>Chinesisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <location filename="../../system/qt_environment.py" />
            <source>Japanese</source>
            <translation>Japanisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <location filename="../../system/qt_environment.py" />
            <source>Korean</source>
            <translation>Koreanisch</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <location filename="../../system/qt_environment.py" />
            <source>Thai</source>
            <translation>Thai</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <location filename="../../ui/overlay/conversation/disagreements.py" />
            <source>Value</source>
            <translation>Angabe</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <location filename="../../ui/overlay/conversation/disagreements.py" />
            <source>Who says so</source>
            <translation>Wer das sagt</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <location filename="../../ui/overlay/conversation/disagreements.py" />
            <source>Date</source>
            <translation>Datum</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <location filename="../../ui/overlay/conversation/disagreements.py" />
            <source>Independent sources</source>
            <translation>Unabhängige Quellen</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>{searched}, {read}</source>
            <translation>{searched}, {read}</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>page {number}</source>
            <translation>Seite {number}</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/answers.py" />
            <source>{n} files found</source>
            <comment>{n} file found</comment>
            <translation>
                <numerusform>{n} Datei gefunden</numerusform>
                <numerusform>{n} Dateien gefunden</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <location filename="../../ui/overlay/answer/answer_view.py" />
            <source>Source {n}: {about}</source>
            <translation>Quelle {n}: {about}</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>copy of source {n}</source>
            <translation>Kopie von Quelle {n}</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/answers.py" />
            <location filename="../../ui/overlay/answer/citation_links.py" />
            <source>{n} independent sources</source>
            <comment>{n} independent source</comment>
            <translation>
                <numerusform>{n} unabhängige Quelle</numerusform>
                <numerusform>{n} unabhängige Quellen</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/answers.py" />
            <source>1 origin, {n} copies</source>
            <comment>1 origin, {n} copy</comment>
            <translation>
                <numerusform>1 Ursprung, {n} Kopie</numerusform>
                <numerusform>1 Ursprung, {n} Kopien</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>As of {date}, the newest source</source>
            <translation>Stand {date}, die neueste Quelle</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>snippet only</source>
            <translation>nur Auszug</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>your own</source>
            <translation>aus eigenen Dateien</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/answers.py" />
            <source>{n} pages read</source>
            <comment>{n} page read</comment>
            <translation>
                <numerusform>{n} Seite gelesen</numerusform>
                <numerusform>{n} Seiten gelesen</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Answered from the library</source>
            <translation>Aus der Bibliothek beantwortet</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Searched once</source>
            <translation>Einmal gesucht</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Searched twice</source>
            <translation>Zweimal gesucht</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Searched {n} times</source>
            <translation>{n}-mal gesucht</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/answers.py" />
            <source>read {n} pages</source>
            <comment>read {n} page</comment>
            <translation>
                <numerusform>{n} Seite gelesen</numerusform>
                <numerusform>{n} Seiten gelesen</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>no page could be read</source>
            <translation>keine Seite lesbar</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>{n} of them in part</source>
            <translation>davon {n} teilweise</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>{n} excluded</source>
            <translation>{n} ausgeschlossen</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>{n} failed</source>
            <translation>{n} fehlgeschlagen</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>from the library</source>
            <translation>aus der Bibliothek</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>{read} of {n} found</source>
            <translation>{read} von {n} gefundenen</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/answers.py" />
            <source>{n} model calls</source>
            <comment>{n} model call</comment>
            <translation>
                <numerusform>{n} Modellaufruf</numerusform>
                <numerusform>{n} Modellaufrufe</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>Answered from this conversation</source>
            <translation>Aus diesem Gespräch beantwortet</translation>
        </message>
        <message>
            <location filename="../../presentation/answers.py" />
            <source>page {n}</source>
            <translation>Seite {n}</translation>
        </message>
        <message>
            <location filename="../../presentation/i18n.py" />
            <location filename="../../presentation/model_words.py" />
            <source>{min} min {s} s</source>
            <translation>{min} min {s} s</translation>
        </message>
        <message>
            <location filename="../../presentation/i18n.py" />
            <location filename="../../ui/settings/model_cards.py" />
            <source>{n} GB</source>
            <translation>{n} GB</translation>
        </message>
        <message>
            <location filename="../../presentation/i18n.py" />
            <location filename="../../ui/design/controls.py" />
            <source>“{text}”</source>
            <translation>„{text}“</translation>
        </message>
        <message>
            <location filename="../../presentation/i18n.py" />
            <source>{n} ms</source>
            <translation>{n} ms</translation>
        </message>
        <message>
            <location filename="../../presentation/i18n.py" />
            <location filename="../../ui/settings/settings_jobs.py" />
            <source>{n} MB</source>
            <translation>{n} MB</translation>
        </message>
        <message>
            <location filename="../../presentation/i18n.py" />
            <source>Without a date</source>
            <translation>Ohne Datum</translation>
        </message>
        <message>
            <location filename="../../presentation/i18n.py" />
            <source>Today</source>
            <translation>Heute</translation>
        </message>
        <message>
            <location filename="../../presentation/i18n.py" />
            <source>Yesterday</source>
            <translation>Gestern</translation>
        </message>
        <message>
            <location filename="../../presentation/i18n.py" />
            <source>Last week</source>
            <translation>Letzte Woche</translation>
        </message>
        <message>
            <location filename="../../presentation/i18n.py" />
            <source>today at {time}</source>
            <translation>heute um {time}</translation>
        </message>
        <message>
            <location filename="../../presentation/i18n.py" />
            <source>yesterday at {time}</source>
            <translation>gestern um {time}</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <location filename="../../ui/overlay/conversation/exchange.py" />
            <source>Choose a model</source>
            <translation>Modell wählen</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <source>Ask again</source>
            <translation>Erneut fragen</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>No model yet</source>
            <translation>Noch kein Modell</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>Ollama is not running</source>
            <translation>Ollama läuft nicht</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>Your question is asked when it is.</source>
            <translation>Die Frage wird gestellt, sobald es läuft.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>The model server does not answer</source>
            <translation>Der Modellserver antwortet nicht</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>Your question is asked when it does.</source>
            <translation>Die Frage wird gestellt, sobald er antwortet.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>Web search is not set up</source>
            <translation>Websuche nicht eingerichtet</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>It can ask five public engines from this computer.</source>
            <translation>Fünf öffentliche Suchmaschinen lassen sich von diesem Computer aus fragen.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>SearXNG is not running</source>
            <translation>SearXNG läuft nicht</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <source>Search again</source>
            <translation>Erneut suchen</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>No engine answered</source>
            <translation>Keine Suchmaschine hat geantwortet</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>Some refuse an address that asks often; this passes.</source>
            <translation>Manche weisen eine Adresse ab, die oft fragt; das geht vorbei.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <location filename="../../ui/overlay/conversation/exchange.py" />
            <source>Use the proxy</source>
            <translation>Proxy benutzen</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>This computer has a proxy that the search does not use yet.</source>
            <translation>Dieser Computer hat einen Proxy, den die Suche noch nicht benutzt.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>Ask the library</source>
            <translation>Bibliothek fragen</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>This computer is offline</source>
            <translation>Dieser Computer ist offline</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>The library and the model work. The web is asked when it is back.</source>
            <translation>Bibliothek und Modell gehen. Das Web wird gefragt, sobald es wieder da ist.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>Show what is stored</source>
            <translation>Gespeichertes zeigen</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>The disk is full</source>
            <translation>Der Datenträger ist voll</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>Answers are shown but no longer kept.</source>
            <translation>Antworten werden gezeigt, aber nicht mehr aufbewahrt.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>The model ran out of memory</source>
            <translation>Dem Modell fehlt Speicher</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>What was written is kept above. A smaller one needs less.</source>
            <translation>Das Geschriebene bleibt oben stehen. Ein kleineres braucht weniger.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>The model took too long</source>
            <translation>Das Modell hat zu lange gebraucht</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>It may still be loading.</source>
            <translation>Vielleicht lädt es noch.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>The model gave no answer</source>
            <translation>Das Modell gab keine Antwort</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>The steps say what its server answered.</source>
            <translation>Was sein Server geantwortet hat, steht in den Schritten.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>This model cannot be used</source>
            <translation>Dieses Modell geht nicht</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>Another one can be chosen or downloaded.</source>
            <translation>Ein anderes lässt sich wählen oder herunterladen.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>This model does not run here</source>
            <translation>Dieses Modell läuft nicht hier</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>It would send what you ask to a cloud.</source>
            <translation>Es würde die Fragen in eine Cloud senden.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <source>Edit question</source>
            <translation>Frage ändern</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>This is too long for the model</source>
            <translation>Das ist zu lang für das Modell</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>A shorter question fits, or a model that takes in more.</source>
            <translation>Eine kürzere Frage passt, oder ein Modell, das mehr aufnimmt.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <location filename="../../ui/shell/desktop.py" />
            <source>Show settings</source>
            <translation>Einstellungen zeigen</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>A setting is not understood</source>
            <translation>Eine Einstellung ist unverständlich</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>Until it is right nothing leaves this computer.</source>
            <translation>Bis sie stimmt, verlässt nichts diesen Computer.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>Nothing was sent</source>
            <translation>Es wurde nichts gesendet</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>What leaves this computer could not be written down.</source>
            <translation>Was diesen Computer verlässt, ließ sich nicht aufzeichnen.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>A file of Askance cannot be used</source>
            <translation>Eine Datei von Askance ist nicht benutzbar</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>The steps say which one it is.</source>
            <translation>Welche, steht in den Schritten.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>There is no answer</source>
            <translation>Es gibt keine Antwort</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>The steps say what went wrong.</source>
            <translation>Was schiefging, steht in den Schritten.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>Download {model}, {n} GB</source>
            <translation>{model} herunterladen, {n} GB</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>What was written is kept above. {model} needs {n} GB.</source>
            <translation>Das Geschriebene bleibt oben stehen. {model} braucht {n} GB.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>Answer with {model}</source>
            <translation>Mit {model} antworten</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>Answers are shown but no longer kept. {n} GB are in saved pages.</source>
            <translation>Antworten werden gezeigt, aber nicht mehr aufbewahrt. {n} GB liegen in gespeicherten Seiten.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>Clear saved pages</source>
            <translation>Gespeicherte Seiten löschen</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>Archives are not opened. Unpack it and drop the files.</source>
            <translation>Archive werden nicht geöffnet. Entpacken und die Dateien ablegen.</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <source>{file} cannot be read</source>
            <translation>{file} ist nicht lesbar</translation>
        </message>
        <message>
            <location filename="../../presentation/missing_parts.py" />
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <source>Ask without it</source>
            <translation>Ohne sie fragen</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Large</source>
            <translation>Groß</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Paused</source>
            <translation>Pausiert</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Offline</source>
            <translation>Offline</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Disk full</source>
            <translation>Datenträger voll</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Damaged</source>
            <translation>Beschädigt</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Failed</source>
            <translation>Fehlgeschlagen</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Waits for the other download.</source>
            <translation>Wartet auf den anderen Download.</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Connecting</source>
            <translation>Verbindet</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Verifying</source>
            <translation>Prüft</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>No connection. It goes on by itself when there is one.</source>
            <translation>Keine Verbindung. Geht von selbst weiter, sobald es eine gibt.</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>It is here.</source>
            <translation>Es ist da.</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Resume</source>
            <translation>Fortsetzen</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Try again</source>
            <translation>Erneut versuchen</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Try now</source>
            <translation>Jetzt versuchen</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Download again</source>
            <translation>Erneut herunterladen</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Pause</source>
            <translation>Pausieren</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>{k} of {n} GB</source>
            <translation>{k} von {n} GB</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>{t} left</source>
            <translation>noch {t}</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>{n} GB are needed and {m} GB are free. {tier} needs {k} GB.</source>
            <translation>{n} GB sind nötig, {m} GB sind frei. {tier} braucht {k} GB.</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>{size}, kept through a restart.</source>
            <translation>{size}, übersteht einen Neustart.</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>{why} It goes on by itself.</source>
            <translation>{why} Es geht von selbst weiter.</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>{v} MB/s</source>
            <translation>{v} MB/s</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>{n} GB are needed and {m} GB are free.</source>
            <translation>{n} GB sind nötig, {m} GB sind frei.</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Short answers, quick on any laptop.</source>
            <translation>Kurze Antworten, schnell auf jedem Laptop.</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Better answers, and slow on this processor.</source>
            <translation>Bessere Antworten, langsam auf diesem Prozessor.</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Good for research. An answer in about {s} s here.</source>
            <translation>Gut für Recherche. Eine Antwort hier in etwa {s} s.</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Good for research.</source>
            <translation>Gut für Recherche.</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Best answers.</source>
            <translation>Beste Antworten.</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Best answers. An answer in about {s} s here.</source>
            <translation>Beste Antworten. Eine Antwort hier in etwa {s} s.</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>Best answers, about {s} s here: no graphics card.</source>
            <translation>Beste Antworten, hier etwa {s} s: keine Grafikkarte.</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>about {n} words a second</source>
            <translation>etwa {n} Wörter je Sekunde</translation>
        </message>
        <message>
            <location filename="../../presentation/model_words.py" />
            <source>{n} min</source>
            <translation>{n} min</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/progress.py" />
            <source>Waiting for {n} other questions</source>
            <comment>Waiting for {n} other question</comment>
            <translation>
                <numerusform>Wartet auf {n} andere Frage</numerusform>
                <numerusform>Wartet auf {n} andere Fragen</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/progress.py" />
            <source>Looking at the best {n} results</source>
            <comment>Looking at {n} result</comment>
            <translation>
                <numerusform>Sieht {n} Treffer an</numerusform>
                <numerusform>Sieht die besten {n} Treffer an</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>Waiting for the search</source>
            <translation>Wartet auf die Suche</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/progress.py" />
            <source>Reading {n} pages</source>
            <comment>Reading {n} page</comment>
            <translation>
                <numerusform>Liest {n} Seite</numerusform>
                <numerusform>Liest {n} Seiten</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/progress.py" />
            <source>Read {k} of {n} pages, {f} failed</source>
            <comment>Read {k} of {n} page, {f} failed</comment>
            <translation>
                <numerusform>{k} von {n} Seite gelesen, {f} fehlgeschlagen</numerusform>
                <numerusform>{k} von {n} Seiten gelesen, {f} fehlgeschlagen</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>Waiting for the model</source>
            <translation>Wartet auf das Modell</translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>Waiting for {host}</source>
            <translation>Wartet auf {host}</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/progress.py" />
            <source>from {n} pages</source>
            <comment>from {n} page</comment>
            <translation>
                <numerusform>aus {n} Seite</numerusform>
                <numerusform>aus {n} Seiten</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/progress.py" />
            <location filename="../../presentation/steps.py" />
            <source>from {n} sources</source>
            <comment>from {n} source</comment>
            <translation>
                <numerusform>aus {n} Quelle</numerusform>
                <numerusform>aus {n} Quellen</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>Thinking</source>
            <translation>Denkt nach</translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>Starting</source>
            <translation>Beginnt</translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>about {n} s here</source>
            <translation>hier etwa {n} s</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/progress.py" />
            <location filename="../../presentation/steps.py" />
            <location filename="../../ui/settings/settings_jobs.py" />
            <source>{n} passages</source>
            <comment>{n} passage</comment>
            <translation>
                <numerusform>{n} Stelle</numerusform>
                <numerusform>{n} Stellen</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>Waiting for another question</source>
            <translation>Wartet auf eine andere Frage</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/progress.py" />
            <source>Read {k} of {n} pages</source>
            <comment>Read {k} of {n} page</comment>
            <translation>
                <numerusform>{k} von {n} Seite gelesen</numerusform>
                <numerusform>{k} von {n} Seiten gelesen</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/progress.py" />
            <source>about {n} sources</source>
            <comment>about {n} source</comment>
            <translation>
                <numerusform>über {n} Quelle</numerusform>
                <numerusform>über {n} Quellen</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/progress.py" />
            <source>Found {n} passages in the library</source>
            <comment>Found {n} passage in the library</comment>
            <translation>
                <numerusform>{n} Textstelle in der Bibliothek gefunden</numerusform>
                <numerusform>{n} Textstellen in der Bibliothek gefunden</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>Looking in the library</source>
            <translation>Bibliothek wird durchsucht</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/progress.py" />
            <source>Checking {n} passages</source>
            <comment>Checking {n} passage</comment>
            <translation>
                <numerusform>Prüft {n} Textstelle</numerusform>
                <numerusform>Prüft {n} Textstellen</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>Searching again</source>
            <translation>Sucht noch einmal</translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>Writing</source>
            <translation>Schreibt</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/progress.py" />
            <source>Checked {n} citations</source>
            <comment>Checked {n} citation</comment>
            <translation>
                <numerusform>{n} Zitat geprüft</numerusform>
                <numerusform>{n} Zitate geprüft</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>Searching</source>
            <translation>Sucht</translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>Preparing the answer</source>
            <translation>Bereitet die Antwort vor</translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>Something is missing</source>
            <translation>Es fehlt noch etwas</translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>The snippets are enough</source>
            <translation>Die Auszüge genügen</translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>Planning the search</source>
            <translation>Plant die Suche</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/progress.py" />
            <source>Read {n} pages</source>
            <comment>Read {n} page</comment>
            <translation>
                <numerusform>{n} Seite gelesen</numerusform>
                <numerusform>{n} Seiten gelesen</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>A search failed</source>
            <translation>Eine Suche ist fehlgeschlagen</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/progress.py" />
            <source>Checked {n} claims</source>
            <comment>Checked {n} claim</comment>
            <translation>
                <numerusform>{n} Aussage geprüft</numerusform>
                <numerusform>{n} Aussagen geprüft</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>Checking earlier sources</source>
            <translation>Prüft frühere Quellen</translation>
        </message>
        <message>
            <location filename="../../presentation/progress.py" />
            <source>The snippets are not enough</source>
            <translation>Die Auszüge genügen nicht</translation>
        </message>
        <message>
            <location filename="../../presentation/source_line.py" />
            <source>{page}, waiting</source>
            <translation>{page}, wartet</translation>
        </message>
        <message>
            <location filename="../../presentation/source_line.py" />
            <source>{page}, could not be read</source>
            <translation>{page}, nicht lesbar</translation>
        </message>
        <message>
            <location filename="../../presentation/source_line.py" />
            <source>{page}, read</source>
            <translation>{page}, gelesen</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>Enough</source>
            <translation>Genug</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>Partial</source>
            <translation>Teilweise</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>Not enough</source>
            <translation>Nicht genug</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>shows nothing without its scripts</source>
            <translation>sie zeigt ohne ihre Skripte nichts</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>shows only a consent or sign-in form</source>
            <translation>sie zeigt nur eine Einwilligung oder Anmeldung</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>holds no text worth reading</source>
            <translation>sie enthält keinen lesenswerten Text</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>holds images and no text</source>
            <translation>enthält Bilder und keinen Text</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>it is encrypted</source>
            <translation>das ist verschlüsselt</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>its address is not allowed</source>
            <translation>ihre Adresse wird von hier nicht gelesen</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>there is no such page</source>
            <translation>die Seite gibt es nicht</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>its server refused</source>
            <translation>ihr Server hat abgelehnt</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>its server failed</source>
            <translation>ihr Server hat einen Fehler gemeldet</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>it is too large</source>
            <translation>sie ist zu groß</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>it is no text</source>
            <translation>sie ist kein Text</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>its server could not be reached</source>
            <translation>ihr Server war nicht erreichbar</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>its text could not be extracted</source>
            <translation>ihr Text ließ sich nicht auslesen</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>the reader failed over it</source>
            <translation>bei ihr ist der Seitenleser fehlgeschlagen</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>{n} of {offered} results chosen</source>
            <translation>{n} von {offered} Ergebnissen ausgewählt</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/steps.py" />
            <source>{n} passages kept</source>
            <comment>{n} passage kept</comment>
            <translation>
                <numerusform>{n} Textstelle behalten</numerusform>
                <numerusform>{n} Textstellen behalten</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>the model verified {n} of {asked}</source>
            <translation>das Modell hat {n} von {asked} bestätigt</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/steps.py" />
            <location filename="../../ui/settings/models.py" />
            <source>{n} tokens</source>
            <comment>{n} token</comment>
            <translation>
                <numerusform>{n} Token</numerusform>
                <numerusform>{n} Token</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>{all} found, {new} new</source>
            <translation>{all} gefunden, {new} neu</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>{host}: {why}</source>
            <translation>{host}: {why}</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>none usable; the question is searched as it is</source>
            <translation>keiner, der brauchbar war; gesucht wird die Frage, wie sie ist</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>missing: {queries}</source>
            <translation>es fehlt: {queries}</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>{n}% complete</source>
            <translation>zu {n} % vollständig</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/steps.py" />
            <source>{n} left out for want of room</source>
            <comment>{n} left out for want of room</comment>
            <translation>
                <numerusform>{n} aus Platzmangel weggelassen</numerusform>
                <numerusform>{n} aus Platzmangel weggelassen</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/steps.py" />
            <source>first portion {n} tokens</source>
            <comment>first portion {n} token</comment>
            <translation>
                <numerusform>erste Portion {n} Token</numerusform>
                <numerusform>erste Portion {n} Token</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>Queue</source>
            <translation>Warteschlange</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <location filename="../../ui/design/focus.py" />
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <location filename="../../ui/settings/row_controls.py" />
            <location filename="../../ui/settings/window.py" />
            <location filename="../../ui/shell/tray.py" />
            <source>Settings</source>
            <translation>Einstellungen</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>Plan</source>
            <translation>Plan</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <location filename="../../ui/settings/page_tables.py" />
            <source>Library</source>
            <translation>Bibliothek</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>Round {round}</source>
            <translation>Runde {round}</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <location filename="../../ui/settings/first_run.py" />
            <location filename="../../ui/settings/page_tables.py" />
            <location filename="../../ui/settings/sidebar.py" />
            <source>Search</source>
            <translation>Suche</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>Snippets</source>
            <translation>Auszüge</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>Choice</source>
            <translation>Auswahl</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>Read</source>
            <translation>Gelesen</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>Passages</source>
            <translation>Textstellen</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>Verdict</source>
            <translation>Urteil</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <location filename="../../ui/overlay/answer/answer_page.py" />
            <location filename="../../ui/overlay/conversation/exchange_view.py" />
            <location filename="../../ui/overlay/conversation/run_announcer.py" />
            <source>Answer</source>
            <translation>Antwort</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>Check</source>
            <translation>Prüfung</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>End</source>
            <translation>Ende</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>Notes</source>
            <translation>Hinweise</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>Sent</source>
            <translation>Gesendet</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/steps.py" />
            <location filename="../../ui/overlay/conversation/field.py" />
            <source>{n} words</source>
            <comment>{n} word</comment>
            <translation>
                <numerusform>{n} Wort</numerusform>
                <numerusform>{n} Wörter</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>empty</source>
            <translation>leer</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/steps.py" />
            <source>{n} pages asked for</source>
            <comment>{n} page asked for</comment>
            <translation>
                <numerusform>{n} Seite geholt</numerusform>
                <numerusform>{n} Seiten geholt</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/steps.py" />
            <source>at {n} hosts</source>
            <comment>at {n} host</comment>
            <translation>
                <numerusform>bei {n} Host</numerusform>
                <numerusform>bei {n} Hosts</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>overruled: {why}</source>
            <translation>überstimmt: {why}</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>{n} supported</source>
            <translation>{n} gedeckt</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>as measured by the evaluation of this model</source>
            <translation>wie bei der Bewertung dieses Modells gemessen</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>verification on</source>
            <translation>Prüfung durch das Modell an</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>verification off</source>
            <translation>Prüfung durch das Modell aus</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/steps.py" />
            <source>{n} results</source>
            <comment>{n} result</comment>
            <translation>
                <numerusform>{n} Treffer</numerusform>
                <numerusform>{n} Treffer</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/steps.py" />
            <source>{n} new results</source>
            <comment>{n} new result</comment>
            <translation>
                <numerusform>{n} neuer Treffer</numerusform>
                <numerusform>{n} neue Treffer</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>not waited for</source>
            <translation>nicht abgewartet</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>reading</source>
            <translation>wird gelesen</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>the question and what was found, to the model at {host}</source>
            <translation>die Frage und die Funde, an das Modell bei {host}</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>nothing that speaks of it</source>
            <translation>nichts, was davon handelt</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/steps.py" />
            <source>of {n} documents</source>
            <comment>of {n} document</comment>
            <translation>
                <numerusform>aus {n} Dokument</numerusform>
                <numerusform>aus {n} Dokumenten</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/steps.py" />
            <source>{n} near-copies dropped</source>
            <comment>{n} near-copy dropped</comment>
            <translation>
                <numerusform>{n} Dublette verworfen</numerusform>
                <numerusform>{n} Dubletten verworfen</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>{n} in part</source>
            <translation>{n} teilweise</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>{n} not supported</source>
            <translation>{n} nicht gedeckt</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>{n} added</source>
            <translation>{n} ergänzt</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>{n} removed</source>
            <translation>{n} entfernt</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>time limit {n} s</source>
            <translation>Zeitlimit {n} s</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>verdicts by the program alone</source>
            <translation>Urteile vom Programm allein</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>asked in few words</source>
            <translation>mit wenigen Worten gefragt</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>asked</source>
            <translation>gefragt</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>{names} did not answer</source>
            <translation>keine Antwort von {names}</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/steps.py" />
            <source>{n} queries</source>
            <comment>{n} query</comment>
            <translation>
                <numerusform>{n} Anfrage</numerusform>
                <numerusform>{n} Anfragen</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>the question is not clear yet</source>
            <translation>die Frage ist noch nicht klar</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>the conversation holds the answer</source>
            <translation>die Antwort steht schon im Gespräch</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>search the question as it is</source>
            <translation>die Frage suchen, wie sie ist</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>the model was not asked</source>
            <translation>das Modell wurde nicht gefragt</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/steps.py" />
            <source>of {n} pages</source>
            <comment>of {n} page</comment>
            <translation>
                <numerusform>aus {n} Seite</numerusform>
                <numerusform>aus {n} Seiten</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <location filename="../../ui/overlay/conversation/exchange.py" />
            <source>Stopped</source>
            <translation>Gestoppt</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>Clarification needed</source>
            <translation>Rückfrage nötig</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>{n} kept</source>
            <translation>{n} behalten</translation>
        </message>
        <message numerus="yes">
            <location filename="../../presentation/steps.py" />
            <source>{n} near-copies aside</source>
            <comment>{n} near-copy aside</comment>
            <translation>
                <numerusform>{n} Dublette beiseite</numerusform>
                <numerusform>{n} Dubletten beiseite</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>through {carrier}</source>
            <translation>Weg: {carrier}</translation>
        </message>
        <message>
            <location filename="../../presentation/steps.py" />
            <source>Waited for other questions</source>
            <translation>Auf andere Fragen gewartet</translation>
        </message>
        <message>
            <location filename="../../server/clients.py" />
            <source>The token file {file} holds no token of at least {n} signs.</source>
            <translation>Die Tokendatei {file} enthält kein Token mit mindestens {n} Zeichen.</translation>
        </message>
        <message>
            <location filename="../../server/clients.py" />
            <source>{name} cannot be a program's name.</source>
            <translation>{name} kann kein Name eines Programms sein.</translation>
        </message>
        <message>
            <location filename="../../server/clients.py" />
            <source>The token file {file} cannot be used: {problem}.</source>
            <translation>Die Tokendatei {file} ist nicht verwendbar: {problem}.</translation>
        </message>
        <message>
            <location filename="../../server/clients.py" />
            <source>Delete it; the next start makes a new one.</source>
            <translation>Die Datei löschen: der nächste Start legt eine neue an.</translation>
        </message>
        <message>
            <location filename="../../server/mcp_protocol.py" />
            <source>There is no {uri}, or not any more.</source>
            <translation>{uri} gibt es nicht oder nicht mehr.</translation>
        </message>
        <message>
            <location filename="../../server/mcp_protocol.py" />
            <location filename="../../server/tools.py" />
            <source>Search again.</source>
            <translation>Erneut suchen.</translation>
        </message>
        <message>
            <location filename="../../server/serving.py" />
            <source>What the server needs is not installed: {names}.</source>
            <translation>Was der Server braucht, ist nicht installiert: {names}.</translation>
        </message>
        <message>
            <location filename="../../server/serving.py" />
            <source>Install it: `{command}`.</source>
            <translation>Installieren: `{command}`.</translation>
        </message>
        <message>
            <location filename="../../server/serving.py" />
            <source>The server cannot listen on {address}: {problem}.</source>
            <translation>Der Server kann {address} nicht verwenden: {problem}.</translation>
        </message>
        <message>
            <location filename="../../server/serving.py" />
            <source>The server cannot listen for programs: {problem}.</source>
            <translation>Der Server kann keine Programme annehmen: {problem}.</translation>
        </message>
        <message>
            <location filename="../../server/serving.py" />
            <source>Set server.port to one that is free, or end the program that has it.</source>
            <translation>server.port auf einen freien Port setzen oder das Programm beenden, das ihn hat.</translation>
        </message>
        <message>
            <location filename="../../server/serving.py" />
            <source>Another process serves already.</source>
            <translation>Ein anderer Prozess läuft schon als Server.</translation>
        </message>
        <message>
            <location filename="../../server/serving.py" />
            <location filename="../../ui/shell/activation.py" />
            <source>Set ASKANCE_HOME or XDG_RUNTIME_DIR to a folder of your own.</source>
            <translation>ASKANCE_HOME oder XDG_RUNTIME_DIR auf einen eigenen Ordner setzen.</translation>
        </message>
        <message>
            <location filename="../../server/serving.py" />
            <source>Askance serves already: {address}, process {process}.</source>
            <translation>Askance läuft schon als Server: {address}, Prozess {process}.</translation>
        </message>
        <message>
            <location filename="../../server/serving.py" />
            <source>End that one first.</source>
            <translation>Diesen zuerst beenden.</translation>
        </message>
        <message>
            <location filename="../../server/tools.py" />
            <source>The search was ended, because nobody waited for it.</source>
            <translation>Die Suche wurde beendet, weil niemand auf sie gewartet hat.</translation>
        </message>
        <message>
            <location filename="../../server/tools.py" />
            <source>There is no such search, or not any more.</source>
            <translation>Diese Suche gibt es nicht oder nicht mehr.</translation>
        </message>
        <message>
            <location filename="../../server/tools.py" />
            <source>The question is not clear: {question}</source>
            <translation>Die Frage ist nicht eindeutig: {question}</translation>
        </message>
        <message>
            <location filename="../../server/tools.py" />
            <source>Try another page: search_web finds them.</source>
            <translation>Eine andere Seite versuchen: search_web findet sie.</translation>
        </message>
        <message>
            <location filename="../../server/tools.py" />
            <source>Ask the user, then search again.</source>
            <translation>Nachfragen und dann erneut suchen.</translation>
        </message>
        <message>
            <location filename="../../system/desktop_entry.py" />
            <source>The desktop entry {file} cannot be written</source>
            <translation>Der Starter {file} lässt sich nicht schreiben</translation>
        </message>
        <message>
            <location filename="../../system/desktop_entry.py" />
            <source>The desktop entry {file} cannot be removed</source>
            <translation>Der Starter {file} lässt sich nicht entfernen</translation>
        </message>
        <message>
            <location filename="../../system/desktop_entry.py" />
            <source>The link {file} cannot be made</source>
            <translation>Die Verknüpfung {file} lässt sich nicht anlegen</translation>
        </message>
        <message>
            <location filename="../../system/desktop_entry.py" />
            <source>The link {file} cannot be removed</source>
            <translation>Die Verknüpfung {file} lässt sich nicht entfernen</translation>
        </message>
        <message>
            <location filename="../../system/desktop_entry.py" />
            <source>{what}: {problem}.</source>
            <translation>{what}: {problem}.</translation>
        </message>
        <message>
            <location filename="../../system/desktop_entry.py" />
            <source>Check the owner and permissions of its folder.</source>
            <translation>Besitzer und Rechte seines Ordners prüfen.</translation>
        </message>
        <message>
            <location filename="../../system/desktops.py" />
            <source>sway decides where this window lies. With a rule in its configuration it floats and is on every workspace.</source>
            <translation>sway bestimmt, wo dieses Fenster liegt. Mit einer Regel in seiner Konfiguration schwebt es und ist auf jeder Arbeitsfläche.</translation>
        </message>
        <message>
            <location filename="../../system/desktops.py" />
            <source>Hyprland decides where this window lies. With a rule in hyprland.conf it floats above others.</source>
            <translation>Hyprland bestimmt, wo dieses Fenster liegt. Mit einer Regel in hyprland.conf schwebt es über anderen.</translation>
        </message>
        <message>
            <location filename="../../system/desktops.py" />
            <source>KDE decides where this window lies. With a rule it stays above others: save it as a file and import that in System Settings, Window Rules.</source>
            <translation>KDE bestimmt, wo dieses Fenster liegt. Mit einer Regel bleibt es über anderen: als Datei speichern und in Systemeinstellungen, Fensterregeln importieren.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/__init__.py" />
            <source>In the shortcuts of your desktop, bind {keys} to the command `askance toggle`.</source>
            <translation>In den Tastenkürzeln des Desktops {keys} mit dem Befehl `askance toggle` verbinden.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/__init__.py" />
            <source>The desktop has given Askance these keys: {keys}. They are changed there: {place}.</source>
            <translation>Der Desktop hat Askance diese Tasten gegeben: {keys}. Geändert werden sie dort: {place}.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/__init__.py" />
            <source>There is no desktop session here for a hotkey.</source>
            <translation>Hier gibt es keine Desktop-Sitzung für ein Tastenkürzel.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/__init__.py" />
            <source>Add this line to hyprland.conf: {line}</source>
            <translation>Diese Zeile in hyprland.conf eintragen: {line}</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/__init__.py" />
            <source>Add this line to the configuration of {name}: {line}</source>
            <translation>Diese Zeile in die Konfiguration von {name} eintragen: {line}</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/__init__.py" />
            <source>In Settings, Keyboard, Custom Shortcuts, add {keys} with the command `askance toggle`.</source>
            <translation>In Einstellungen, Tastatur, Eigene Tastenkürzel {keys} mit dem Befehl `askance toggle` anlegen.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/__init__.py" />
            <source>In System Settings, Shortcuts, add the command `askance toggle` with {keys}.</source>
            <translation>In Systemeinstellungen, Kurzbefehle den Befehl `askance toggle` mit {keys} anlegen.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/__init__.py" />
            <source>Settings, Apps, Askance, Global Shortcuts</source>
            <translation>Einstellungen, Apps, Askance, Globale Tastenkürzel</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/__init__.py" />
            <location filename="../../system/hotkey/x11_hotkey.py" />
            <source>Another program has taken {keys}.</source>
            <translation>Ein anderes Programm hat {keys} belegt.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/__init__.py" />
            <source>{name} does not allow {keys} as a hotkey (error {status}).</source>
            <translation>{name} gibt {keys} nicht an Programme (Fehler {status}).</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/__init__.py" />
            <source>`askance toggle` shows or hides the window.</source>
            <translation>`askance toggle` zeigt oder verbirgt das Fenster.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/__init__.py" />
            <source>System Settings, Keyboard, Shortcuts</source>
            <translation>Systemeinstellungen, Tastatur, Kurzbefehle</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/__init__.py" />
            <source>the settings of your desktop</source>
            <translation>Einstellungen des Desktops</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/macos.py" />
            <source>Choose another combination in the settings. A shortcut of the Shortcuts app that runs `askance toggle` works in any case.</source>
            <translation>In den Einstellungen eine andere Kombination wählen. Ein Kurzbefehl, der `askance toggle` ausführt, geht auf jeden Fall.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/macos.py" />
            <source>A Mac has no key {name}.</source>
            <translation>Ein Mac hat keine Taste {name}.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/portal.py" />
            <source>Run `askance menu`: the portal knows Askance by its entry in the menu.</source>
            <translation>`askance menu` ausführen: Das Portal kennt Askance an seinem Eintrag im Menü.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/portal.py" />
            <source>This desktop does not offer hotkeys to programs.</source>
            <translation>Dieser Desktop gibt Programmen keine Tastenkürzel.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/portal.py" />
            <source>The desktop portal refused a hotkey: {problem}.</source>
            <translation>Das Desktop-Portal hat ein Tastenkürzel abgelehnt: {problem}.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/portal.py" />
            <source>The desktop asked whether Askance may use a hotkey, and the answer was no.</source>
            <translation>Der Desktop hat gefragt, ob Askance ein Tastenkürzel haben darf, und die Antwort war Nein.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/portal.py" />
            <source>The desktop did not assign {keys} to Askance.</source>
            <translation>Der Desktop hat Askance {keys} nicht gegeben.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/portal.py" />
            <source>The desktop has taken the hotkey back.</source>
            <translation>Der Desktop hat das Tastenkürzel zurückgenommen.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/portal.py" />
            <source>it ended the request</source>
            <translation>es hat die Anfrage beendet</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/portal.py" />
            <source>Choose keys for Askance in the desktop's settings for shortcuts, or another combination here.</source>
            <translation>In den Tastatureinstellungen des Desktops Tasten für Askance wählen, oder hier eine andere Kombination.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/portal.py" />
            <source>The desktop portal does not answer.</source>
            <translation>Das Desktop-Portal antwortet nicht.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/portal.py" />
            <source>The session's message bus does not answer, so the desktop cannot be asked for a hotkey.</source>
            <translation>Der Nachrichtenbus der Sitzung ist nicht erreichbar; der Desktop ist nicht um ein Tastenkürzel zu bitten.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/portal.py" />
            <source>Turn the hotkey on again in the settings to be asked again.</source>
            <translation>Das Tastenkürzel in den Einstellungen neu einschalten; dann fragt er noch einmal.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/portal.py" />
            <source>This desktop has no portal, which a hotkey needs here.</source>
            <translation>Dieser Desktop hat kein Portal, und nur das kann einem Programm ein Tastenkürzel geben.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/windows_hotkey.py" />
            <source>Choose another combination in the settings. A Windows shortcut with the command `askance toggle` works in any case.</source>
            <translation>In den Einstellungen eine andere Kombination wählen. Eine Windows-Verknüpfung mit dem Befehl `askance toggle` geht auf jeden Fall.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/x11_hotkey.py" />
            <source>The connection to the X display is lost, and the hotkey with it.</source>
            <translation>Die X-Anzeige ist weg, und mit ihr das Tastenkürzel.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/x11_hotkey.py" />
            <source>This keyboard has no key {name}.</source>
            <translation>Diese Tastatur hat keine Taste {name}.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/x11_hotkey.py" />
            <source>The X display does not answer.</source>
            <translation>Die X-Anzeige ist nicht erreichbar.</translation>
        </message>
        <message>
            <location filename="../../system/hotkey/x11_hotkey.py" />
            <location filename="../../ui/shell/activation.py" />
            <source>Choose another combination in the settings.</source>
            <translation>In den Einstellungen eine andere Kombination wählen.</translation>
        </message>
        <message>
            <location filename="../../system/installation.py" />
            <source>The package manager of this system updates it.</source>
            <translation>Die Paketverwaltung dieses Systems aktualisiert es.</translation>
        </message>
        <message>
            <location filename="../../system/installation.py" />
            <source>{installer} has installed it, and updates it.</source>
            <translation>{installer} hat es installiert und aktualisiert es.</translation>
        </message>
        <message>
            <location filename="../../system/installation.py" />
            <source>Update Askance on the machine of the container; there `{command}` builds the image anew.</source>
            <translation>Askance auf dem Rechner des Containers aktualisieren; dort baut `{command}` das Image neu.</translation>
        </message>
        <message>
            <location filename="../../system/installation.py" />
            <source>`{command}` in the sources builds a new folder, for the place of {file}.</source>
            <translation>`{command}` in den Quellen baut einen neuen Ordner, der an die Stelle von {file} tritt.</translation>
        </message>
        <message>
            <location filename="../../system/installation.py" />
            <source>`{command}` updates it.</source>
            <translation>`{command}` aktualisiert es.</translation>
        </message>
        <message>
            <location filename="../../system/installation.py" />
            <source>Download {name} from {page}; `{command}` puts it in the place of this version.</source>
            <translation>{name} von {page} herunterladen; `{command}` setzt es an die Stelle dieser Version.</translation>
        </message>
        <message>
            <location filename="../../system/installation.py" />
            <source>Download {name} from {page} and run it: it takes the place of this version.</source>
            <translation>{name} von {page} herunterladen und ausführen: Es ersetzt diese Version.</translation>
        </message>
        <message>
            <location filename="../../system/installation.py" />
            <source>Download {name} from {page} and drag Askance to the place of {file}.</source>
            <translation>{name} von {page} herunterladen und Askance an die Stelle von {file} ziehen.</translation>
        </message>
        <message>
            <location filename="../../system/installation.py" />
            <source>Download {name} from {page} and unpack it in the place of {file}.</source>
            <translation>{name} von {page} herunterladen und an der Stelle von {file} entpacken.</translation>
        </message>
        <message>
            <location filename="../../system/integration.py" />
            <source>Starting with the desktop cannot be changed in {file}: {problem}.</source>
            <translation>Der Start mit der Sitzung lässt sich in {file} nicht ändern: {problem}.</translation>
        </message>
        <message>
            <location filename="../../system/integration.py" />
            <source>`askance serve` starts the server without it.</source>
            <translation>`askance serve` startet den Server ohne sie.</translation>
        </message>
        <message>
            <location filename="../../system/integration.py" />
            <source>The unit {file} cannot be changed: {problem}.</source>
            <translation>Die Unit {file} lässt sich nicht ändern: {problem}.</translation>
        </message>
        <message>
            <location filename="../../system/integration.py" />
            <source>systemd refuses the unit: {problem}.</source>
            <translation>systemd nimmt die Unit nicht an: {problem}.</translation>
        </message>
        <message>
            <location filename="../../system/integration.py" />
            <source>This system has no systemd.</source>
            <translation>Dieses System hat kein systemd.</translation>
        </message>
        <message>
            <location filename="../../system/integration.py" />
            <source>systemd does not answer: {problem}.</source>
            <translation>systemd antwortet nicht: {problem}.</translation>
        </message>
        <message>
            <location filename="../../system/machine.py" />
            <source>{name} (process {status})</source>
            <translation>{name} (Prozess {status})</translation>
        </message>
        <message>
            <location filename="../../system/qt_environment.py" />
            <source>This system has no font for {names}, and shows boxes instead.</source>
            <translation>Dieses System hat keine Schrift für {names} und zeigt stattdessen Kästchen.</translation>
        </message>
        <message>
            <location filename="../../system/qt_environment.py" />
            <source>Qt knows no {name} (QT_QPA_PLATFORM).</source>
            <translation>Qt kennt {name} nicht (QT_QPA_PLATFORM).</translation>
        </message>
        <message>
            <location filename="../../system/qt_environment.py" />
            <source>The window needs what this system lacks: {lacking}.</source>
            <translation>Das Fenster braucht, was diesem System fehlt: {lacking}.</translation>
        </message>
        <message>
            <location filename="../../system/qt_environment.py" />
            <source>Install it: `{command}`</source>
            <translation>So wird es installiert: `{command}`</translation>
        </message>
        <message>
            <location filename="../../system/session_bus.py" />
            <source>The desktop does not let Askance start at login.</source>
            <translation>Der Desktop lässt Askance nicht bei der Anmeldung starten.</translation>
        </message>
        <message>
            <location filename="../../system/session_bus.py" />
            <source>The desktop's portal does not let Askance start at login.</source>
            <translation>Das Portal des Desktops lässt Askance nicht bei der Anmeldung starten.</translation>
        </message>
        <message>
            <location filename="../../system/session_bus.py" />
            <source>Allow it there: the settings of the desktop list what runs in the background.</source>
            <translation>Dort erlauben: Die Einstellungen des Desktops listen, was im Hintergrund läuft.</translation>
        </message>
        <message>
            <location filename="../../system/session_bus.py" />
            <source>Askance waits for its hotkey.</source>
            <translation>Askance wartet auf sein Tastenkürzel.</translation>
        </message>
        <message>
            <location filename="../../text/message_parts.py" />
            <source>Taken as the question: “{question}”. Nothing else of the message is searched.</source>
            <translation>Als Frage verstanden: „{question}“. Nach nichts anderem in der Nachricht wird gesucht.</translation>
        </message>
        <message>
            <location filename="../../ui/bridge.py" />
            <source>The report has the details: see Settings, Privacy.</source>
            <translation>Einzelheiten stehen im Bericht: siehe Einstellungen, Datenschutz.</translation>
        </message>
        <message>
            <location filename="../../ui/design/composing.py" />
            <source>Clear</source>
            <translation>Leeren</translation>
        </message>
        <message>
            <location filename="../../ui/design/controls.py" />
            <location filename="../../ui/settings/first_run.py" />
            <source>Hotkey</source>
            <translation>Tastenkürzel</translation>
        </message>
        <message>
            <location filename="../../ui/design/controls.py" />
            <location filename="../../ui/overlay/stored.py" />
            <source>Add a folder</source>
            <translation>Ordner hinzufügen</translation>
        </message>
        <message>
            <location filename="../../ui/design/controls.py" />
            <source>Add files</source>
            <translation>Dateien hinzufügen</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/design/controls.py" />
            <source>{n} items</source>
            <comment>{n} item</comment>
            <translation>
                <numerusform>{n} Element</numerusform>
                <numerusform>{n} Elemente</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/design/controls.py" />
            <source>Keep</source>
            <translation>Behalten</translation>
        </message>
        <message>
            <location filename="../../ui/design/controls.py" />
            <source>Progress</source>
            <translation>Fortschritt</translation>
        </message>
        <message>
            <location filename="../../ui/design/controls.py" />
            <source>Press the keys</source>
            <translation>Tasten drücken</translation>
        </message>
        <message>
            <location filename="../../ui/design/controls.py" />
            <source>None</source>
            <translation>Ohne</translation>
        </message>
        <message>
            <location filename="../../ui/design/controls.py" />
            <source>This cannot be the hotkey: {why}.</source>
            <translation>Das geht nicht als Tastenkürzel: {why}.</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Ask</source>
            <translation>Fragen</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <location filename="../../ui/overlay/questions_column.py" />
            <source>In this conversation</source>
            <translation>In diesem Gespräch</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Bring in</source>
            <translation>Mitgeben</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Go</source>
            <translation>Gehen</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>With the other of Web and Chat</source>
            <translation>Mit dem anderen von Web und Chat</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>New line</source>
            <translation>Neue Zeile</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Take the grey question, or a command</source>
            <translation>Graue Frage oder Befehl übernehmen</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Edit the last question</source>
            <translation>Letzte Frage ändern</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Ask a suggested question</source>
            <translation>Vorgeschlagene Frage stellen</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Press the main button</source>
            <translation>Hauptknopf drücken</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Stop, then hide</source>
            <translation>Stoppen, dann ausblenden</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Next number, number before</source>
            <translation>Nächste Zahl, Zahl davor</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Next question, question before</source>
            <translation>Nächste Frage, Frage davor</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Scroll the conversation</source>
            <translation>Im Gespräch blättern</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <location filename="../../ui/overlay/find_bar.py" />
            <location filename="../../ui/overlay/header.py" />
            <source>Find</source>
            <translation>Suchen</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Copy the answer</source>
            <translation>Antwort kopieren</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <location filename="../../ui/overlay/columns.py" />
            <location filename="../../ui/overlay/header.py" />
            <source>Sources beside the text</source>
            <translation>Quellen neben dem Text</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Next column</source>
            <translation>Nächste Spalte</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Larger, smaller, as set</source>
            <translation>Größer, kleiner, wie eingestellt</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Search held-back words too</source>
            <translation>Zurückgehaltene Wörter mitsuchen</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <location filename="../../ui/overlay/bar/mode_switch.py" />
            <location filename="../../ui/overlay/conversation/field.py" />
            <location filename="../../ui/settings/library_page.py" />
            <source>Files</source>
            <translation>Dateien</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <location filename="../../ui/overlay/attach_files.py" />
            <source>Screenshot of an area</source>
            <translation>Bildschirmausschnitt</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <location filename="../../ui/overlay/conversation/field.py" />
            <source>From the library</source>
            <translation>Aus der Bibliothek</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <location filename="../../ui/overlay/attach_files.py" />
            <source>From the clipboard</source>
            <translation>Aus der Zwischenablage</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <location filename="../../ui/overlay/bar/ask_field.py" />
            <source>Paste as text</source>
            <translation>Als Text einfügen</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <location filename="../../ui/shell/tray.py" />
            <source>New conversation</source>
            <translation>Neues Gespräch</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>History, all of it</source>
            <translation>Verlauf, ganz</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <location filename="../../ui/overlay/header.py" />
            <location filename="../../ui/overlay/history_popover.py" />
            <source>Rename</source>
            <translation>Umbenennen</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <location filename="../../ui/overlay/header.py" />
            <location filename="../../ui/overlay/history_popover.py" />
            <source>Copy the conversation</source>
            <translation>Gespräch kopieren</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Export, print</source>
            <translation>Exportieren, drucken</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Bring back what was deleted</source>
            <translation>Gelöschtes zurückholen</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <location filename="../../ui/settings/first_run.py" />
            <location filename="../../ui/settings/page_tables.py" />
            <source>Model</source>
            <translation>Modell</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <source>Pin</source>
            <translation>Anheften</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <source>Hide the window</source>
            <translation>Das Fenster ausblenden</translation>
        </message>
        <message>
            <location filename="../../ui/design/focus.py" />
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <location filename="../../ui/overlay/keys_card.py" />
            <source>Keys and commands</source>
            <translation>Tasten und Befehle</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/answer_page.py" />
            <source>{words}: {support}</source>
            <translation>{words}: {support}</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/answer_page.py" />
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <location filename="../../ui/overlay/conversation/exchange_view.py" />
            <location filename="../../ui/overlay/header.py" />
            <source>Copied</source>
            <translation>Kopiert</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/answer_page.py" />
            <source>Copy the code</source>
            <translation>Code kopieren</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/answer_page.py" />
            <source>Copy the table</source>
            <translation>Tabelle kopieren</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/answer_view.py" />
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <location filename="../../ui/shell/upkeep.py" />
            <source>Copy</source>
            <translation>Kopieren</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/answer_view.py" />
            <source>Search for it</source>
            <translation>Danach suchen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/answer_view.py" />
            <source>Select all</source>
            <translation>Alles markieren</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/citation_links.py" />
            <source>nothing was found about this</source>
            <translation>dazu wurde nichts gefunden</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/citation_links.py" />
            <source>a source says otherwise</source>
            <translation>eine Quelle sagt etwas anderes</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/citation_links.py" />
            <source>says otherwise</source>
            <translation>sagt etwas anderes</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/citation_links.py" />
            <source>supports this in part</source>
            <translation>stützt das teilweise</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/citation_links.py" />
            <source>opens the file</source>
            <translation>öffnet die Datei</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/citation_links.py" />
            <source>opens at this sentence</source>
            <translation>öffnet bei diesem Satz</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/citation_links.py" />
            <source>opens the page</source>
            <translation>öffnet die Seite</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/copying.py" />
            <source>Text with sources</source>
            <translation>Text mit Quellen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/copying.py" />
            <source>Text only</source>
            <translation>Nur Text</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/copying.py" />
            <source>HTML</source>
            <translation>HTML</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/copying.py" />
            <source>Citation list</source>
            <translation>Quellenliste</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/answer/copying.py" />
            <source>“{sentence}” is {support}</source>
            <translation>„{sentence}“ ist {support}</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>More than {n} files: attach their folder, or keep them in the library.</source>
            <translation>Mehr als {n} Dateien: den Ordner anhängen oder alle in die Bibliothek aufnehmen.</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/overlay/attach_files.py" />
            <source>Drop to ask about {n} files</source>
            <comment>Drop to ask about {n} file</comment>
            <translation>
                <numerusform>Ablegen, um zu {n} Datei zu fragen</numerusform>
                <numerusform>Ablegen, um zu {n} Dateien zu fragen</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>Attach a folder</source>
            <translation>Einen Ordner anhängen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>Attach files</source>
            <translation>Dateien anhängen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>Files…</source>
            <translation>Dateien …</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>Folder…</source>
            <translation>Ordner …</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>From the library…</source>
            <translation>Aus der Bibliothek …</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>Keep in the library</source>
            <translation>In der Bibliothek behalten</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <location filename="../../ui/settings/library_page.py" />
            <location filename="../../ui/settings/programs.py" />
            <source>Remove</source>
            <translation>Entfernen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>This is a file on this computer.</source>
            <translation>Das ist eine Datei auf diesem Computer.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>Hold Shift to keep them in the library instead</source>
            <translation>Mit Umschalt kommen sie stattdessen in die Bibliothek</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>This desktop takes no picture of an area.</source>
            <translation>Dieser Desktop nimmt kein Bild eines Bereichs auf.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <location filename="../../ui/settings/library_page.py" />
            <source>Add {what} to the library?</source>
            <translation>{what} in die Bibliothek aufnehmen?</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>Enter uses {model}</source>
            <translation>Enter nimmt {model}</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <location filename="../../ui/overlay/history_popover.py" />
            <location filename="../../ui/overlay/library_view.py" />
            <source>Open</source>
            <translation>Öffnen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>Paste its path as text</source>
            <translation>Pfad als Text einfügen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>Attach it</source>
            <translation>Anhängen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>Search for the words</source>
            <translation>Nach den Wörtern suchen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>This desktop took no picture of an area.</source>
            <translation>Dieser Desktop hat kein Bild eines Bereichs aufgenommen.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <location filename="../../ui/settings/library_page.py" />
            <source>Add</source>
            <translation>Hinzufügen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>Use {model}</source>
            <translation>{model} nehmen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>Read only its text</source>
            <translation>Nur den Text lesen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>Pasted picture</source>
            <translation>Eingefügtes Bild</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/attach_files.py" />
            <source>Only texts, files, folders, pictures and web pages can be taken, and none is in it.</source>
            <translation>Nur Texte, Dateien, Ordner, Bilder und Webseiten können genommen werden, und davon ist nichts darin.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <source>Ask about passages of the library or about another text, not about both at once.</source>
            <translation>Entweder nach Stellen der Bibliothek fragen oder nach einem anderen Text, nicht nach beidem zugleich.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <source>Suggested: {question}, Tab takes it</source>
            <translation>Vorschlag: {question}, Tab übernimmt ihn</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <source>Ask a follow-up: it waits its turn</source>
            <translation>Weiterfragen: kommt danach an die Reihe</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <source>Question</source>
            <translation>Frage</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <source>{key} to type here</source>
            <translation>{key}, um hier zu schreiben</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <location filename="../../ui/overlay/bar/mode_switch.py" />
            <source>Enter asks these files</source>
            <translation>Enter fragt diese Dateien</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <location filename="../../ui/overlay/bar/mode_switch.py" />
            <source>Enter asks the model alone</source>
            <translation>Enter fragt nur das Modell</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <source>Enter shows passages</source>
            <translation>Enter zeigt Textstellen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <source>Enter searches</source>
            <translation>Enter sucht im Web</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <source>Ask a follow-up</source>
            <translation>Weiterfragen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <source>Ask, or type / for commands</source>
            <translation>Fragen, oder / für Befehle</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <source>Enter asks these files and the web</source>
            <translation>Enter fragt diese Dateien und das Web</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <source>What is attached cannot be read.</source>
            <translation>Die angehängten Dateien sind nicht lesbar.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <location filename="../../ui/settings/waiting_questions.py" />
            <source>asked when ready</source>
            <translation>wird gefragt, sobald bereit</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <source>Esc takes it back</source>
            <translation>Esc nimmt sie zurück</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <source>Ctrl+Z brings it back</source>
            <translation>Strg+Z bringt es zurück</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_bar.py" />
            <source>Shift+Enter new line</source>
            <translation>Umschalt+Enter neue Zeile</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_field.py" />
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <source>Attach</source>
            <translation>Anhängen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/ask_field.py" />
            <location filename="../../ui/overlay/bar/quotes.py" />
            <source>Tab</source>
            <translation>Tab</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/chips.py" />
            <source>Attached</source>
            <translation>Angehängt</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/chips.py" />
            <source>Delete removes it</source>
            <translation>Entf entfernt ihn</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/completion_list.py" />
            <source>{name}: {about}</source>
            <translation>{name}: {about}</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/completion_list.py" />
            <source>Commands</source>
            <translation>Befehle</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/missing.py" />
            <source>Details</source>
            <translation>Einzelheiten</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/missing.py" />
            <source>Hide details</source>
            <translation>Einzelheiten ausblenden</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/mode_switch.py" />
            <source>Web</source>
            <translation>Web</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/mode_switch.py" />
            <source>Chat</source>
            <translation>Chat</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/mode_switch.py" />
            <source>Enter searches the web</source>
            <translation>Enter sucht im Web</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/mode_switch.py" />
            <source>Ctrl+Enter searches the web</source>
            <translation>Strg+Enter sucht im Web</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/mode_switch.py" />
            <source>Ctrl+Enter asks the model alone</source>
            <translation>Strg+Enter fragt nur das Modell</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/mode_switch.py" />
            <source>Text</source>
            <translation>Text</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/mode_switch.py" />
            <source>Enter asks the model about the text, without a search</source>
            <translation>Enter fragt das Modell zum Text, ohne Suche</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/mode_switch.py" />
            <source>Enter asks about these passages of the library</source>
            <translation>Enter fragt zu diesen Stellen der Bibliothek</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/mode_switch.py" />
            <source>Mode</source>
            <translation>Modus</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/mode_switch.py" />
            <source>A click sets it up.</source>
            <translation>Ein Klick richtet es ein.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/model_switch.py" />
            <source>chosen</source>
            <translation>gewählt</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/model_switch.py" />
            <source>Models</source>
            <translation>Modelle</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/model_switch.py" />
            <source>Download a model…</source>
            <translation>Modell herunterladen …</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/model_switch.py" />
            <source>{n} GB: more than the {m} GB that are free</source>
            <translation>{n} GB: mehr als die {m} GB, die frei sind</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/model_switch.py" />
            <source>Use for all</source>
            <translation>Für alle verwenden</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/model_switch.py" />
            <location filename="../../ui/settings/models.py" />
            <source>in memory</source>
            <translation>im Speicher</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/model_switch.py" />
            <source>about {n} words a second here</source>
            <translation>hier etwa {n} Wörter je Sekunde</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/model_switch.py" />
            <source>not evaluated yet</source>
            <translation>noch nicht bewertet</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/model_switch.py" />
            <source>Evaluate</source>
            <translation>Bewerten</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/model_switch.py" />
            <location filename="../../ui/settings/first_run.py" />
            <location filename="../../ui/settings/installation_page.py" />
            <location filename="../../ui/settings/models.py" />
            <source>Checking</source>
            <translation>Prüft</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/quotes.py" />
            <source>Tab adds it to the question</source>
            <translation>Tab fügt es der Frage hinzu</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/status.py" />
            <source>Demo: a made-up web on this computer. A new conversation leaves it.</source>
            <translation>Demo: ein erfundenes Web auf diesem Computer. Ein neues Gespräch verlässt es.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/status.py" />
            <source>Use {text}</source>
            <translation>{text} nehmen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/status.py" />
            <source>no search</source>
            <translation>keine Suche</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/status.py" />
            <source>sample web</source>
            <translation>Beispiel-Web</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/status.py" />
            <source>No model</source>
            <translation>Kein Modell</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/status.py" />
            <source>built-in search</source>
            <translation>eingebaute Suche</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/status.py" />
            <source>Ask it anyway</source>
            <translation>Trotzdem fragen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <source>Stop · Esc</source>
            <translation>Stoppen · Esc</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <source>Ask · Enter</source>
            <translation>Fragen · Enter</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <source>{name} · {n} %</source>
            <translation>{name} · {n} %</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <source>Model: {name}</source>
            <translation>Modell: {name}</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <source>Title: {title}</source>
            <translation>Titel: {title}</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <source>Smaller text</source>
            <translation>Kleinerer Text</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <source>Text size as delivered</source>
            <translation>Textgröße wie ausgeliefert</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <source>Larger text</source>
            <translation>Größerer Text</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <location filename="../../ui/overlay/header.py" />
            <location filename="../../ui/overlay/history_popover.py" />
            <source>ready, not seen</source>
            <translation>fertig, nicht gesehen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <source>Unpin</source>
            <translation>Loslösen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <location filename="../../ui/settings/page_tables.py" />
            <source>Text size</source>
            <translation>Textgröße</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <location filename="../../ui/settings/installation_page.py" />
            <location filename="../../ui/settings/page_tables.py" />
            <source>Network activity</source>
            <translation>Netzwerkprotokoll</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <source>Quit Askance</source>
            <translation>Askance beenden</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <source>Arrows</source>
            <translation>Pfeile</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <location filename="../../ui/overlay/history_popover.py" />
            <location filename="../../ui/shell/tray.py" />
            <source>History</source>
            <translation>Verlauf</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <location filename="../../ui/overlay/history_popover.py" />
            <source>Search conversations</source>
            <translation>Gespräche durchsuchen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <source>More</source>
            <translation>Mehr</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/bar/tool_row.py" />
            <source>Menu</source>
            <translation>Menü</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/conversation_view.py" />
            <source>Conversation</source>
            <translation>Gespräch</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange.py" />
            <source>Set up search</source>
            <translation>Suche einrichten</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange.py" />
            <source>Troubleshoot</source>
            <translation>Ursache suchen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange.py" />
            <source>Nothing has left this computer yet</source>
            <translation>Noch hat nichts diesen Computer verlassen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange.py" />
            <source>Reading the text</source>
            <translation>Liest den Text</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/overlay/conversation/exchange.py" />
            <location filename="../../ui/settings/library_page.py" />
            <location filename="../../ui/settings/settings_jobs.py" />
            <source>{n} documents</source>
            <comment>{n} document</comment>
            <translation>
                <numerusform>{n} Dokument</numerusform>
                <numerusform>{n} Dokumente</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange.py" />
            <location filename="../../ui/shell/tray.py" />
            <source>One question first</source>
            <translation>Erst eine Rückfrage</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange.py" />
            <source>Waiting for the answer above</source>
            <translation>Wartet auf die Antwort darüber</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange.py" />
            <source>Removed</source>
            <translation>Entfernt</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange.py" />
            <source>No answer</source>
            <translation>Keine Antwort</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange.py" />
            <source>From your library</source>
            <translation>Aus der Bibliothek</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange.py" />
            <source>This run was not finished.</source>
            <translation>Dieser Lauf wurde nicht beendet.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <source>Other model</source>
            <translation>Anderes Modell</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <source>Ask instead</source>
            <translation>Stattdessen fragen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <source>Answer without searching</source>
            <translation>Ohne Suche antworten</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <source>Keep the sources</source>
            <translation>Quellen behalten</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <source>Show the steps</source>
            <translation>Schritte zeigen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <source>Print</source>
            <translation>Drucken</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <location filename="../../ui/overlay/header.py" />
            <location filename="../../ui/overlay/history_popover.py" />
            <location filename="../../ui/settings/installation_page.py" />
            <location filename="../../ui/settings/library_page.py" />
            <source>Delete</source>
            <translation>Löschen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <source>Other ways to copy</source>
            <translation>Andere Arten zu kopieren</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <source>Replace selection</source>
            <translation>Auswahl ersetzen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <source>Shorter</source>
            <translation>Kürzer</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <source>Friendlier</source>
            <translation>Freundlicher</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <source>Show changes</source>
            <translation>Änderungen zeigen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <source>Next questions</source>
            <translation>Nächste Fragen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_actions.py" />
            <source>Markdown, and HTML where it is taken</source>
            <translation>Markdown, und HTML, wo es angenommen wird</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_notes.py" />
            <source>Search with these words</source>
            <translation>Mit diesen Wörtern suchen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_notes.py" />
            <source>Asks again, with {words} ({key})</source>
            <translation>Erneut fragen, mit {words} ({key})</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_view.py" />
            <source>This would be searched, and opened where the text cites it:</source>
            <translation>Das würde gesucht, und geöffnet, wo der Text es zitiert:</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/overlay/conversation/exchange_view.py" />
            <source>Search {n} claims</source>
            <comment>Search {n} claim</comment>
            <translation>
                <numerusform>Nach {n} Aussage suchen</numerusform>
                <numerusform>Nach {n} Aussagen suchen</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_view.py" />
            <source>Your answer</source>
            <translation>Antwort darauf</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_view.py" />
            <source>Do not search</source>
            <translation>Nicht suchen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_view.py" />
            <source>{s} s of about {t} s</source>
            <translation>{s} s von etwa {t} s</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_view.py" />
            <source>Removed words are struck out, added ones are lit.</source>
            <translation>Entfernte Wörter sind durchgestrichen, neue hinterlegt.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/exchange_view.py" />
            <source>Copied with sources</source>
            <translation>Mit Quellen kopiert</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/field.py" />
            <location filename="../../ui/overlay/conversation/files.py" />
            <source>Pasted text</source>
            <translation>Eingefügter Text</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/field.py" />
            <source>Selected text</source>
            <translation>Markierter Text</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/field.py" />
            <source>Copied text</source>
            <translation>Kopierter Text</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/field.py" />
            <source>Quoted text</source>
            <translation>Zitierter Text</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/field.py" />
            <source>{what}, {words}</source>
            <translation>{what}, {words}</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/field.py" />
            <source>Add copied text: “{words}”</source>
            <translation>Kopierten Text hinzufügen: „{words}“</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/overlay/conversation/field.py" />
            <source>the first {n} words</source>
            <comment>the first {n} word</comment>
            <translation>
                <numerusform>nur {n} Wort</numerusform>
                <numerusform>die ersten {n} Wörter</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/field.py" />
            <source>Add selected text: “{words}”</source>
            <translation>Markierten Text hinzufügen: „{words}“</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/run_announcer.py" />
            <source>Answer: {sentence}</source>
            <translation>Antwort: {sentence}</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/overlay/conversation/run_announcer.py" />
            <source>{n} sources</source>
            <comment>{n} source</comment>
            <translation>
                <numerusform>{n} Quelle</numerusform>
                <numerusform>{n} Quellen</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/overlay/conversation/run_announcer.py" />
            <source>{n} notes</source>
            <comment>{n} note</comment>
            <translation>
                <numerusform>{n} Hinweis</numerusform>
                <numerusform>{n} Hinweise</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/run_details.py" />
            <source>Search the web for it</source>
            <translation>Im Web danach suchen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/run_details.py" />
            <source>Search steps are hidden</source>
            <translation>Die Schritte der Suche sind verborgen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/run_details.py" />
            <source>Search steps are shown below</source>
            <translation>Die Schritte stehen darunter</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/run_details.py" />
            <source>Search steps</source>
            <translation>Schritte der Suche</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/sources_strip.py" />
            <source>All sources are shown below</source>
            <translation>Alle Quellen stehen darunter</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/sources_strip.py" />
            <source>Shows all sources</source>
            <translation>Zeigt alle Quellen</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/overlay/conversation/sources_strip.py" />
            <source>{n} more</source>
            <comment>{n} more</comment>
            <translation>
                <numerusform>{n} weitere</numerusform>
                <numerusform>{n} weitere</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/sources_strip.py" />
            <source>could not be read</source>
            <translation>nicht lesbar</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/overlay/conversation/sources_strip.py" />
            <source>{n} more sources</source>
            <comment>{n} more source</comment>
            <translation>
                <numerusform>{n} weitere Quelle</numerusform>
                <numerusform>{n} weitere Quellen</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/overlay/conversation/sources_strip.py" />
            <source>All sources</source>
            <translation>Alle Quellen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/deletions.py" />
            <location filename="../../ui/overlay/history_popover.py" />
            <source>“{title}” deleted</source>
            <translation>„{title}“ gelöscht</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/deletions.py" />
            <location filename="../../ui/overlay/history_popover.py" />
            <source>Undo</source>
            <translation>Rückgängig</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/find_bar.py" />
            <location filename="../../ui/overlay/library_view.py" />
            <location filename="../../ui/settings/installation_page.py" />
            <source>Close</source>
            <translation>Schließen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/find_bar.py" />
            <source>Before</source>
            <translation>Davor</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/find_bar.py" />
            <source>Next</source>
            <translation>Weiter</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/find_bar.py" />
            <source>{k} of {n}</source>
            <translation>{k} von {n}</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/find_bar.py" />
            <source>Nothing</source>
            <translation>Nichts</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/header.py" />
            <source>Saved to {file}.</source>
            <translation>Gespeichert unter {file}.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/header.py" />
            <location filename="../../ui/overlay/history_popover.py" />
            <source>Title of the conversation</source>
            <translation>Titel des Gesprächs</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/header.py" />
            <location filename="../../ui/overlay/history_popover.py" />
            <source>Export…</source>
            <translation>Exportieren …</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/header.py" />
            <source>Print…</source>
            <translation>Drucken …</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/header.py" />
            <source>The text of this page is not stored any more.</source>
            <translation>Der Text dieser Seite ist nicht mehr gespeichert.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/history_popover.py" />
            <source>Conversations are not saved. Turn that on in the settings.</source>
            <translation>Gespräche werden nicht aufbewahrt. Das lässt sich in den Einstellungen einschalten.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/history_popover.py" />
            <source>Conversations about the sample web are not saved. /new leaves it.</source>
            <translation>Gespräche über das Beispiel-Web werden nicht aufbewahrt. /new verlässt es.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/history_popover.py" />
            <source>asks back, not seen</source>
            <translation>fragt zurück, nicht gesehen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/history_popover.py" />
            <source>failed, not seen</source>
            <translation>fehlgeschlagen, nicht gesehen</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/overlay/history_popover.py" />
            <source>{n} questions</source>
            <comment>{n} question</comment>
            <translation>
                <numerusform>{n} Frage</numerusform>
                <numerusform>{n} Fragen</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/overlay/history_popover.py" />
            <location filename="../../ui/settings/page_tables.py" />
            <source>Past conversations</source>
            <translation>Frühere Gespräche</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/history_popover.py" />
            <location filename="../../ui/overlay/keys_card.py" />
            <location filename="../../ui/settings/window.py" />
            <source>Nothing matches</source>
            <translation>Keine Treffer</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/history_popover.py" />
            <source>No conversations yet.</source>
            <translation>Noch keine Gespräche.</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/overlay/history_popover.py" />
            <source>{n} conversations</source>
            <comment>{n} conversation</comment>
            <translation>
                <numerusform>{n} Gespräch</numerusform>
                <numerusform>{n} Gespräche</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/overlay/history_popover.py" />
            <source>Show all {n}</source>
            <translation>Alle {n} zeigen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/history_popover.py" />
            <source>draft</source>
            <translation>Entwurf</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/overlay/library_view.py" />
            <source>{n} passages in the library on “{words}”</source>
            <comment>{n} passage in the library on “{words}”</comment>
            <translation>
                <numerusform>{n} Stelle in der Bibliothek zu „{words}“</numerusform>
                <numerusform>{n} Stellen in der Bibliothek zu „{words}“</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/overlay/library_view.py" />
            <source>Passages found in the library</source>
            <translation>In der Bibliothek gefundene Stellen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/library_view.py" />
            <location filename="../../ui/overlay/sources_panel.py" />
            <source>Read here</source>
            <translation>Hier lesen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/library_view.py" />
            <source>Close the library</source>
            <translation>Bibliothek schließen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/library_view.py" />
            <source>Esc back</source>
            <translation>Esc zurück</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/overlay/library_view.py" />
            <source>Ask about {n} passages</source>
            <comment>Ask about {n} passage</comment>
            <translation>
                <numerusform>Zu {n} Stelle fragen</numerusform>
                <numerusform>Zu {n} Stellen fragen</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/overlay/library_view.py" />
            <source>Puts the passages beside the question, or asks it about them.</source>
            <translation>Stellt die Stellen neben die Frage, oder stellt sie zu ihnen.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/library_view.py" />
            <source>Back to the list</source>
            <translation>Zurück zur Liste</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/library_view.py" />
            <source>Picked: {row}</source>
            <translation>Ausgewählt: {row}</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/library_view.py" />
            <source>Enter opens</source>
            <translation>Enter öffnet</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/library_view.py" />
            <source>Space selects</source>
            <translation>Leertaste wählt aus</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/library_view.py" />
            <source>Esc closes</source>
            <translation>Esc schließt</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/library_view.py" />
            <source>↑↓ choose</source>
            <translation>↑↓ wählen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/library_view.py" />
            <location filename="../../ui/overlay/sources_panel.py" />
            <source>Open file</source>
            <translation>Datei öffnen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/library_view.py" />
            <source>Ask about this passage</source>
            <translation>Zu dieser Stelle fragen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/library_view.py" />
            <source>Ask about all {n}</source>
            <translation>Zu allen {n} fragen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/library_view.py" />
            <location filename="../../ui/overlay/sources_panel.py" />
            <source>Open page</source>
            <translation>Seite öffnen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/questions_column.py" />
            <source>next</source>
            <translation>als Nächstes</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/sources_panel.py" />
            <source>Sources of this answer</source>
            <translation>Quellen dieser Antwort</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/sources_panel.py" />
            <source>{k} read, {n} cited</source>
            <translation>{k} gelesen, {n} zitiert</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/sources_panel.py" />
            <source>read, not cited</source>
            <translation>gelesen, nicht zitiert</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/sources_panel.py" />
            <source>Open at this sentence</source>
            <translation>An diesem Satz öffnen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/stored.py" />
            <source>Export</source>
            <translation>Exportieren</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/overlay/stored.py" />
            <source>{n} passages of the library</source>
            <comment>{n} passage of the library</comment>
            <translation>
                <numerusform>{n} Stelle der Bibliothek</numerusform>
                <numerusform>{n} Stellen der Bibliothek</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/overlay/stored.py" />
            <source>Searching the library</source>
            <translation>Die Bibliothek wird durchsucht</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/stored.py" />
            <source>There is nothing to export yet.</source>
            <translation>Es gibt noch kein Gespräch zum Exportieren.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/stored.py" />
            <source>{file} is not in the library.</source>
            <translation>{file} ist nicht in der Bibliothek.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/stored.py" />
            <source>{file} is not there any more.</source>
            <translation>{file} ist nicht mehr da.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/stored.py" />
            <source>No program opened {file}.</source>
            <translation>Kein Programm hat {file} geöffnet.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/stored.py" />
            <source>Files and saved pages that you keep here can be searched and cited like the web.</source>
            <translation>Dateien und gespeicherte Seiten, die hier aufbewahrt sind, werden wie das Web durchsucht und zitiert.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/stored.py" />
            <source>This document is not in the library any more.</source>
            <translation>Dieses Dokument ist nicht mehr in der Bibliothek.</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/stored.py" />
            <source>Your library is empty</source>
            <translation>Die Bibliothek ist leer</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/stored.py" />
            <source>or drop files with Shift</source>
            <translation>oder Dateien mit Umschalt ablegen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/stored.py" />
            <source>Nothing in your library matches “{words}”</source>
            <translation>Nichts in der Bibliothek passt zu „{words}“</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/overlay/stored.py" />
            <source>{k} of {n} files are searchable.</source>
            <comment>{k} of {n} file is searchable.</comment>
            <translation>
                <numerusform>{k} von {n} Datei ist durchsuchbar.</numerusform>
                <numerusform>{k} von {n} Dateien sind durchsuchbar.</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/overlay/stored.py" />
            <source>Search the web instead</source>
            <translation>Stattdessen im Web suchen</translation>
        </message>
        <message>
            <location filename="../../ui/overlay/stored.py" />
            <source>or add more to the library</source>
            <translation>oder mehr in die Bibliothek aufnehmen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/download_list.py" />
            <location filename="../../ui/settings/settings_jobs.py" />
            <source>Cancel</source>
            <translation>Abbrechen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/download_list.py" />
            <source>Choose {tier}</source>
            <translation>{tier} wählen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/first_run.py" />
            <source>Answers from the web, with sources. Only searches and page requests leave this computer.</source>
            <translation>Antworten aus dem Web, mit Quellen. Nur Suchanfragen und Seitenabrufe verlassen diesen Computer.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/first_run.py" />
            <source>Other ways</source>
            <translation>Andere Wege</translation>
        </message>
        <message>
            <location filename="../../ui/settings/first_run.py" />
            <source>Asks public engines from this computer.</source>
            <translation>Fragt öffentliche Suchmaschinen von diesem Computer aus.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/first_run.py" />
            <source>Attention: {says}</source>
            <translation>Achtung: {says}</translation>
        </message>
        <message>
            <location filename="../../ui/settings/first_run.py" />
            <source>Welcome</source>
            <translation>Willkommen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/first_run.py" />
            <source>Try a demo</source>
            <translation>Demo ansehen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/first_run.py" />
            <source>Ask without a model</source>
            <translation>Ohne Modell fragen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/first_run.py" />
            <source>Shows or hides Askance from anywhere.</source>
            <translation>Zeigt oder verbirgt Askance von überall.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/first_run.py" />
            <source>Ask a question</source>
            <translation>Eine Frage stellen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/first_run.py" />
            <location filename="../../ui/settings/models.py" />
            <source>Starting Ollama</source>
            <translation>Startet Ollama</translation>
        </message>
        <message>
            <location filename="../../ui/settings/first_run.py" />
            <source>Asks five public engines from this computer.</source>
            <translation>Fragt fünf öffentliche Suchmaschinen von diesem Computer aus.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/first_run.py" />
            <source>Hide</source>
            <translation>Ausblenden</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>SearXNG's gateway</source>
            <translation>Zugang zu SearXNG</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <location filename="../../ui/settings/page_tables.py" />
            <source>Page reader</source>
            <translation>Seitenleser</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>Page reader's network</source>
            <translation>Netz des Seitenlesers</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>Server for other programs</source>
            <translation>Server für andere Programme</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>running</source>
            <translation>läuft</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>starting</source>
            <translation>startet</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>running, but unhealthy</source>
            <translation>läuft, ist aber nicht bereit</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>query</source>
            <translation>Anfrage</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>page</source>
            <translation>Seite</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>model</source>
            <translation>Modell</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>library</source>
            <translation>Bibliothek</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>update</source>
            <translation>Update</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>model download</source>
            <translation>Modell-Download</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/settings/installation_page.py" />
            <source>{n} requests are on record.</source>
            <comment>{n} request is on record.</comment>
            <translation>
                <numerusform>{n} Abruf ist verzeichnet.</numerusform>
                <numerusform>{n} Abrufe sind verzeichnet.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/settings/installation_page.py" />
            <source>{n} crash reports. None is ever sent.</source>
            <comment>{n} crash report. None is ever sent.</comment>
            <translation>
                <numerusform>{n} Absturzbericht. Gesendet wird nie einer.</numerusform>
                <numerusform>{n} Absturzberichte. Gesendet wird nie einer.</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>to {host} through {carrier}</source>
            <translation>an {host}, Weg: {carrier}</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>Conversations take {size}.</source>
            <translation>Gespräche belegen {size}.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>{counted}, {size}.</source>
            <translation>{counted}, {size}.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>{own} was the newest version on {day}.</source>
            <translation>{own} war am {day} die neueste Version.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <location filename="../../ui/settings/window.py" />
            <source>Start</source>
            <translation>Starten</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <location filename="../../ui/shell/model_arrivals.py" />
            <source>Stop</source>
            <translation>Stoppen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <location filename="../../ui/settings/models.py" />
            <source>Check again</source>
            <translation>Erneut prüfen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>Checking for Docker or Podman</source>
            <translation>Sucht Docker oder Podman</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>{name} {version}</source>
            <translation>{name} {version}</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>Stopping</source>
            <translation>Hält an</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>not started</source>
            <translation>nicht gestartet</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>Older ones are not shown.</source>
            <translation>Ältere werden nicht gezeigt.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>Delete all…</source>
            <translation>Alle löschen …</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>Delete permanently?</source>
            <translation>Endgültig löschen?</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>View</source>
            <translation>Ansehen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>No conversations are kept.</source>
            <translation>Kein Gespräch ist aufbewahrt.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>No pages are kept.</source>
            <translation>Keine Seite ist aufbewahrt.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>No crash reports.</source>
            <translation>Es gibt keinen Absturzbericht.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>Check now</source>
            <translation>Jetzt prüfen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>Nobody was asked for newer versions yet.</source>
            <translation>Nach neueren Versionen wurde noch nicht gefragt.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>No answer on {day}.</source>
            <translation>Keine Antwort am {day}.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>Start the others</source>
            <translation>Fehlende starten</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>The crash reports</source>
            <translation>Die Absturzberichte</translation>
        </message>
        <message>
            <location filename="../../ui/settings/installation_page.py" />
            <source>{version} is available; this is {own}.</source>
            <translation>{version} ist verfügbar; dies ist {own}.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>read on {day}</source>
            <translation>gelesen am {day}</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/settings/library_page.py" />
            <source>{n} documents removed.</source>
            <comment>{n} document removed.</comment>
            <translation>
                <numerusform>{n} Dokument entfernt.</numerusform>
                <numerusform>{n} Dokumente entfernt.</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>Web pages and imports</source>
            <translation>Webseiten und Importe</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>Delete the whole library permanently?</source>
            <translation>Die ganze Bibliothek endgültig löschen?</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>Add folder…</source>
            <translation>Ordner …</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>Add files…</source>
            <translation>Dateien …</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>Web address</source>
            <translation>Webadresse</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>Address of a web page to add</source>
            <translation>Adresse einer Webseite zum Hinzufügen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>Add the web page</source>
            <translation>Webseite hinzufügen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <location filename="../../ui/settings/programs.py" />
            <source>Add to the library</source>
            <translation>In die Bibliothek aufnehmen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>Don't add</source>
            <translation>Nicht hinzufügen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>in part</source>
            <translation>teilweise</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>Read again</source>
            <translation>Erneut lesen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <location filename="../../ui/settings/programs.py" />
            <source>Remove…</source>
            <translation>Entfernen …</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>The files stay as they are.</source>
            <translation>Die Dateien bleiben, wie sie sind.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>Excluded in this folder</source>
            <translation>In diesem Ordner ausgeschlossen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>Such as *.log, /drafts</source>
            <translation>Zum Beispiel *.log, /drafts</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>Filter files by name or state</source>
            <translation>Nach Name oder Zustand filtern</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>Remove this one…</source>
            <translation>Diese entfernen …</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>The file stays as it is.</source>
            <translation>Die Datei bleibt, wie sie ist.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>{n} files, the first {most} of them. Filter to see others.</source>
            <translation>{n} Dateien, davon die ersten {most}. Andere zeigt der Filter.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>{n} of {of} files</source>
            <translation>{n} von {of} Dateien</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>Folders in the library</source>
            <translation>Ordner in der Bibliothek</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>Remove everything…</source>
            <translation>Alles entfernen …</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>Reading {what}</source>
            <translation>{what} wird gelesen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>Cancelled. What was read before is kept.</source>
            <translation>Abgebrochen. Was vorher gelesen wurde, bleibt.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/library_page.py" />
            <source>An address begins with http:// or https://.</source>
            <translation>Eine Adresse beginnt mit http:// oder https://.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/model_cards.py" />
            <source>needs {n} GB</source>
            <translation>braucht {n} GB</translation>
        </message>
        <message>
            <location filename="../../ui/settings/model_cards.py" />
            <source>Looked on this computer for Ollama, llama.cpp, LM Studio and Jan.</source>
            <translation>Auf diesem Computer gesucht: Ollama, llama.cpp, LM Studio und Jan.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/model_cards.py" />
            <source>Address of a model server</source>
            <translation>Adresse eines Modell-Servers</translation>
        </message>
        <message>
            <location filename="../../ui/settings/model_cards.py" />
            <source>Choose a model to download</source>
            <translation>Modell zum Herunterladen wählen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/model_cards.py" />
            <source>To run it, install Ollama, or Askance with its extra “embedded”.</source>
            <translation>Dafür braucht es Ollama, oder Askance mit dem Extra „embedded“.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/model_cards.py" />
            <source>Models (*.gguf)</source>
            <translation>Modelle (*.gguf)</translation>
        </message>
        <message>
            <location filename="../../ui/settings/model_cards.py" />
            <source>Use it</source>
            <translation>Verwenden</translation>
        </message>
        <message>
            <location filename="../../ui/settings/model_cards.py" />
            <source>Start and use it</source>
            <translation>Starten und verwenden</translation>
        </message>
        <message>
            <location filename="../../ui/settings/model_cards.py" />
            <source>Or download one</source>
            <translation>Oder eines herunterladen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/model_cards.py" />
            <source>Another address…</source>
            <translation>Andere Adresse …</translation>
        </message>
        <message>
            <location filename="../../ui/settings/model_cards.py" />
            <source>A file…</source>
            <translation>Eine Datei …</translation>
        </message>
        <message>
            <location filename="../../ui/settings/model_cards.py" />
            <source>A model runs here already</source>
            <translation>Hier läuft schon ein Modell</translation>
        </message>
        <message>
            <location filename="../../ui/settings/model_cards.py" />
            <source>Download {n} GB</source>
            <translation>{n} GB herunterladen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/model_cards.py" />
            <source>{licence} · checked when it is here · {n} GB free</source>
            <translation>{licence} · wird nach dem Laden geprüft · {n} GB frei</translation>
        </message>
        <message>
            <location filename="../../ui/settings/model_cards.py" />
            <source>Choose a model file</source>
            <translation>Modelldatei wählen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/model_cards.py" />
            <source>Fits this computer</source>
            <translation>Passt zu diesem Computer</translation>
        </message>
        <message>
            <location filename="../../ui/settings/model_cards.py" />
            <source>A model server is here already</source>
            <translation>Ein Modell-Server ist schon da</translation>
        </message>
        <message>
            <location filename="../../ui/settings/models.py" />
            <source>Another model: for example {name} ({size})</source>
            <translation>Ein anderes Modell, zum Beispiel {name} ({size})</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/settings/models.py" />
            <source>{n} models on this server</source>
            <comment>{n} model on this server</comment>
            <translation>
                <numerusform>{n} Modell auf diesem Server</numerusform>
                <numerusform>{n} Modelle auf diesem Server</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/settings/models.py" />
            <source>Name of a model to download</source>
            <translation>Name eines Modells zum Herunterladen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/models.py" />
            <location filename="../../ui/settings/page_tables.py" />
            <source>Automatic</source>
            <translation>Automatisch</translation>
        </message>
        <message>
            <location filename="../../ui/settings/models.py" />
            <source>on {host}</source>
            <translation>auf {host}</translation>
        </message>
        <message>
            <location filename="../../ui/settings/models.py" />
            <source>not installed</source>
            <translation>nicht da</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>General</source>
            <translation>Allgemein</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>How Askance is called, and how it answers.</source>
            <translation>Wie Askance gerufen wird und wie es antwortet.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Key that shows and hides</source>
            <translation>Taste zum Zeigen und Verbergen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Works from anywhere.</source>
            <translation>Geht von überall.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Start at login</source>
            <translation>Beim Anmelden starten</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Without showing the window.</source>
            <translation>Ohne das Fenster zu zeigen.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Notify when answered</source>
            <translation>Fertige Antworten melden</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>While the window is hidden. Never shows the answer.</source>
            <translation>Solange das Fenster verborgen ist. Zeigt nie die Antwort.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Hide when another window is used</source>
            <translation>Ausblenden, wenn ein anderes Fenster benutzt wird</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>While it is narrow and not pinned.</source>
            <translation>Solange es schmal und nicht angeheftet ist.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Default mode</source>
            <translation>Standardmodus</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Ctrl+Enter uses the other one.</source>
            <translation>Strg+Enter fragt das andere.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Length of answers</source>
            <translation>Länge der Antworten</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Short ones come sooner.</source>
            <translation>Kurze kommen früher.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Language of answers</source>
            <translation>Sprache der Antworten</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Automatic follows the question.</source>
            <translation>Automatisch folgt der Frage.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Suggest next questions</source>
            <translation>Nächste Fragen vorschlagen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>In grey in the field, and below the answer.</source>
            <translation>In Grau im Feld und unter der Antwort.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>The web</source>
            <translation>Das Web</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>The model alone</source>
            <translation>Nur das Modell</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Short</source>
            <translation>Kurz</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Normal</source>
            <translation>Normal</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Long</source>
            <translation>Lang</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>The language model that plans, judges and writes.</source>
            <translation>Das Sprachmodell, das plant, urteilt und schreibt.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Server</source>
            <translation>Server</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>What runs the model.</source>
            <translation>Was das Modell ausführt.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Address</source>
            <translation>Adresse</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Where the server answers, without a path.</source>
            <translation>Wo der Server antwortet, ohne Pfad.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Key</source>
            <translation>Schlüssel</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Only for servers that want one. It is never shown.</source>
            <translation>Nur für Server, die einen wollen. Er wird nie gezeigt.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Which model answers; automatic takes the first on the server.</source>
            <translation>Welches Modell antwortet; automatisch ist es das erste des Servers.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Context</source>
            <translation>Kontext</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Tokens that Ollama gives the model: 1,024 to 1,000,000.</source>
            <translation>Token, die Ollama dem Modell gibt: 1.024 bis 1.000.000.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Reasoning</source>
            <translation>Nachdenken</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Lets models reason that can. Answers take longer.</source>
            <translation>Lässt Modelle nachdenken, die das können. Antworten dauern länger.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Load ahead</source>
            <translation>Vorab laden</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>As the window comes up, before anything is typed.</source>
            <translation>Wenn das Fenster kommt, noch bevor etwas getippt ist.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>GGUF file</source>
            <translation>GGUF-Datei</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>The model that the built-in server runs.</source>
            <translation>Das Modell, das der eingebaute Server ausführt.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Loads and unloads its models itself</source>
            <translation>Lädt und entlädt seine Modelle selbst</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Another server</source>
            <translation>Ein anderer Server</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>llama.cpp, LM Studio, Jan, vLLM and others</source>
            <translation>llama.cpp, LM Studio, Jan, vLLM und andere</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Built in (GGUF file)</source>
            <translation>Eingebaut (GGUF-Datei)</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Needs nothing else that runs</source>
            <translation>Braucht nichts, was sonst läuft</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Not on battery</source>
            <translation>Nicht im Akkubetrieb</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Always</source>
            <translation>Immer</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Never</source>
            <translation>Nie</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Where it searches, and how far it goes.</source>
            <translation>Wo gesucht wird, und wie gründlich.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Search without SearXNG</source>
            <translation>Suchen ohne SearXNG</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Queries go from this computer straight to public engines.</source>
            <translation>Anfragen gehen von diesem Computer direkt an öffentliche Suchmaschinen.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>SearXNG</source>
            <translation>SearXNG</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Its address. Where it answers it is asked first.</source>
            <translation>Seine Adresse. Wo es antwortet, wird es zuerst gefragt.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Thoroughness</source>
            <translation>Gründlichkeit</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>How often it searches again for what is missing.</source>
            <translation>Wie oft nach Fehlendem noch einmal gesucht wird.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Hide adult content</source>
            <translation>Nicht jugendfreie Inhalte ausblenden</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Asks engines for their safe results.</source>
            <translation>Fragt Suchmaschinen nach ihren sicheren Ergebnissen.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Use the library too</source>
            <translation>Auch die Bibliothek verwenden</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Your files are searched beside the web.</source>
            <translation>Eigene Dateien werden neben dem Web durchsucht.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Time limit</source>
            <translation>Zeitlimit</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>In seconds, up to 3,600; 0 = automatic (90 to 300).</source>
            <translation>In Sekunden, höchstens 3.600; 0 = automatisch (90 bis 300).</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Verify answers</source>
            <translation>Antworten prüfen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>The model checks what is said in other words than its source.</source>
            <translation>Das Modell prüft, was mit anderen Worten als in der Quelle gesagt wird.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Entailment model</source>
            <translation>Entailment-Modell</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Folder of a small model (ONNX) that checks it instead; empty for none.</source>
            <translation>Ordner eines kleinen Modells (ONNX), das dies stattdessen prüft; leer für keines.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>No</source>
            <translation>Nein</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Moderate</source>
            <translation>Mäßig</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Strict</source>
            <translation>Streng</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Before the web</source>
            <translation>Vor dem Web</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>What it does not answer is searched</source>
            <translation>Was sie nicht beantwortet, wird gesucht</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Instead of the web</source>
            <translation>Statt des Webs</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>If its evaluation says that it can</source>
            <translation>Wenn seine Bewertung sagt, dass es das kann</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Your files and saved pages. Search them with /library.</source>
            <translation>Eigene Dateien und gespeicherte Seiten. /library durchsucht sie.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Folders, files and pages</source>
            <translation>Ordner, Dateien und Seiten</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Drop them here, or choose them. Nothing in them is changed.</source>
            <translation>Hierher ziehen oder auswählen. An ihnen wird nichts geändert.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Watch folders</source>
            <translation>Ordner beobachten</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>What changes in them is read again while Askance is open.</source>
            <translation>Was sich in ihnen ändert, wird neu gelesen, solange Askance offen ist.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Save pages that were read</source>
            <translation>Gelesene Seiten speichern</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>What was read for an answer can be found again.</source>
            <translation>Was für eine Antwort gelesen wurde, ist wieder zu finden.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Excluded everywhere</source>
            <translation>Überall ausgeschlossen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Names such as *.log, paths below a folder such as /drafts, or whole paths, with commas between them. What they exclude leaves the library when its folder is read again.</source>
            <translation>Namen wie *.log, Pfade unter einem Ordner wie /drafts oder ganze Pfade, mit Kommas dazwischen. Was sie ausschließen, verlässt die Bibliothek, wenn der Ordner neu gelesen wird.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Search by meaning</source>
            <translation>Suche nach Bedeutung</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>An embedding model finds what is said in other words.</source>
            <translation>Ein Embedding-Modell findet, was mit anderen Worten gesagt ist.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Embedding server</source>
            <translation>Server für Einbettungen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Where it answers, without a path.</source>
            <translation>Wo er antwortet, ohne Pfad.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Embedding model</source>
            <translation>Einbettungsmodell</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Its name on the server; empty takes the first that it has.</source>
            <translation>Sein Name auf dem Server; leer nimmt das erste, das er hat.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>File or folder of the model</source>
            <translation>Datei oder Ordner des Modells</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Where no server has it: a GGUF file, or a folder.</source>
            <translation>Wo kein Server es hat: eine GGUF-Datei oder ein Ordner.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Off</source>
            <translation>Aus</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Folder (ONNX)</source>
            <translation>Ordner (ONNX)</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Folder (static)</source>
            <translation>Ordner (statisch)</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Appearance</source>
            <translation>Darstellung</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>How Askance looks.</source>
            <translation>Wie Askance aussieht.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Colour scheme</source>
            <translation>Farbschema</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Light, dark, or as the system.</source>
            <translation>Hell und dunkel, oder wie im System.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>The size of all text.</source>
            <translation>Die Größe aller Texte.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Language</source>
            <translation>Sprache</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Language of this program.</source>
            <translation>Sprache dieses Programms.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Same as system</source>
            <translation>Wie im System</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Light</source>
            <translation>Hell</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Dark</source>
            <translation>Dunkel</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Privacy</source>
            <translation>Datenschutz</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>What is kept on this computer, and what leaves it.</source>
            <translation>Was auf diesem Computer aufbewahrt wird und was ihn verlässt.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Every query and every page that was asked for.</source>
            <translation>Jede Anfrage und jede Seite, die geholt wurde.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <location filename="../../ui/settings/programs.py" />
            <source>Search the web</source>
            <translation>Im Web suchen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Without it, answers come from the library and the conversation.</source>
            <translation>Ohne das kommen Antworten aus der Bibliothek und dem Gespräch.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Let remote models read your files</source>
            <translation>Entfernte Modelle eigene Dateien lesen lassen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>A remote model gets what an answer needs of them, and what was asked about them.</source>
            <translation>Ein entferntes Modell bekommt, was eine Antwort von ihnen braucht, und was zu ihnen gefragt wurde.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Suggest selected text</source>
            <translation>Markierten Text vorschlagen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>When the window opens. It is sent nowhere unless you add it.</source>
            <translation>Als Zitat, wenn das Fenster erscheint. Er geht nirgendwohin, solange er nicht übernommen wird.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Keep conversations for</source>
            <translation>Gespräche aufbewahren für</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Days after the last question, up to 36,500; 0 keeps no more of them.</source>
            <translation>Tage nach der letzten Frage, höchstens 36.500; 0 behält keine weiteren.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>All of them, and their words.</source>
            <translation>Alle, samt Wortlaut.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <location filename="../../ui/settings/row_controls.py" />
            <source>Kept pages</source>
            <translation>Aufbewahrte Seiten</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>They are downloaded again when needed.</source>
            <translation>Bei Bedarf werden sie neu heruntergeladen.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <location filename="../../ui/settings/row_controls.py" />
            <source>Crash reports</source>
            <translation>Absturzberichte</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>They name places in the code and contain none of your data.</source>
            <translation>Genannt sind Stellen im Code; eigene Daten stehen nicht darin.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Proxy for queries</source>
            <translation>Proxy für Anfragen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>HTTP or SOCKS, such as Tor's; empty means directly.</source>
            <translation>HTTP oder SOCKS, etwa der von Tor; leer heißt direkt.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Proxy for pages</source>
            <translation>Proxy für Seiten</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Empty goes the way of queries, so that nothing passes Tor unseen; “direct” means none.</source>
            <translation>Leer nimmt den Weg der Suchanfragen, damit nichts an Tor vorbeigeht; „direct“ heißt keiner.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Size of the page cache</source>
            <translation>Größe des Seitenspeichers</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Megabytes, up to 100,000; 0 keeps no pages.</source>
            <translation>Megabyte, höchstens 100.000; 0 behält keine Seiten.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Traces kept</source>
            <translation>Zahl der Protokolle</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>One of each run, up to 100,000; older ones are deleted.</source>
            <translation>Einer je Lauf, höchstens 100.000; ältere werden gelöscht.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Connected apps</source>
            <translation>Verbundene Programme</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Other programs that ask Askance, over MCP or OpenAI's API.</source>
            <translation>Andere Programme, die Askance fragen, über MCP oder die API von OpenAI.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Known programs</source>
            <translation>Bekannte Programme</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>A new one may search the web, and nothing else.</source>
            <translation>Ein neues darf das Web durchsuchen und sonst nichts.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Connect a program</source>
            <translation>Ein Programm verbinden</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Programs that start their tools, such as Claude Desktop, take the configuration; those that ask over HTTP, the address and a token.</source>
            <translation>Programme, die ihre Werkzeuge starten, etwa Claude Desktop, nehmen die Konfiguration; die über HTTP fragen, Adresse und Token.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Answer over HTTP in the background too</source>
            <translation>Auch im Hintergrund über HTTP antworten</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>For programs that do not start their tools.</source>
            <translation>Für Programme, die ihre Werkzeuge nicht starten.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Services</source>
            <translation>Dienste</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>SearXNG and the page reader, each in a container of its own.</source>
            <translation>SearXNG und der Seitenleser, jeder in einem eigenen Container.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>State</source>
            <translation>Zustand</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Where pages are taken apart.</source>
            <translation>Wo Seiten zerlegt werden.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Service, if set up</source>
            <translation>Dienst, wenn eingerichtet</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Else Askance reads them itself</source>
            <translation>Sonst liest Askance sie selbst</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Service</source>
            <translation>Dienst</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Askance reads them where it fails, and says so</source>
            <translation>Wo er versagt, liest Askance selbst und sagt es</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Service only</source>
            <translation>Nur der Dienst</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Answers rest on snippets without it</source>
            <translation>Ohne ihn stützen sich Antworten auf Auszüge</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Built in</source>
            <translation>Eingebaut</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Askance reads them itself</source>
            <translation>Askance liest sie selbst</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>About</source>
            <translation>Über</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Searches the web, checks twice, and answers with sources.</source>
            <translation>Durchsucht das Web, prüft zweimal und antwortet mit Quellen.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>This installation</source>
            <translation>Diese Installation</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Look for new versions</source>
            <translation>Nach neuen Versionen suchen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Once a week, one request to GitHub. Nothing is downloaded or installed.</source>
            <translation>Einmal in der Woche eine Anfrage an GitHub. Nichts wird heruntergeladen oder installiert.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/page_tables.py" />
            <source>Updates</source>
            <translation>Updates</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>Read pages by address</source>
            <translation>Seiten nach Adresse lesen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>Search the library</source>
            <translation>Die Bibliothek durchsuchen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>No program has asked yet. One that speaks MCP starts Askance with `askance mcp`: give it the configuration below. `docs/agents.md` tells how for each of them.</source>
            <translation>Noch kein Programm hat gefragt. Eines, das MCP spricht, startet Askance mit `askance mcp`: Es bekommt die Konfiguration unten. `docs/agents.md` sagt für jedes, wie.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>{name} is forgotten. If it asks again, it may search the web alone.</source>
            <translation>{name} ist vergessen. Fragt es wieder, darf es nur das Web durchsuchen.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>Programs</source>
            <translation>Programme</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>Its token and its calls are deleted.</source>
            <translation>Token und Aufrufe werden gelöscht.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>This app could leak private text: it can read your library and choose web searches and pages.</source>
            <translation>Dieses Programm könnte privaten Text preisgeben: Es kann die Bibliothek lesen und Suchen und Seiten im Web auswählen.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>{name} is forgotten, and its token has ended.</source>
            <translation>{name} ist vergessen, und das Token gilt nicht mehr.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>Copy configuration</source>
            <translation>Konfiguration kopieren</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>Copy address</source>
            <translation>Adresse kopieren</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>Copy token</source>
            <translation>Token kopieren</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>OpenAI's API is at {address}, with the same tokens.</source>
            <translation>Die API von OpenAI liegt unter {address}, mit denselben Token.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>The configuration is in the clipboard.</source>
            <translation>Die Konfiguration ist in der Zwischenablage.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>The address is in the clipboard.</source>
            <translation>Die Adresse ist in der Zwischenablage.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>The token is in the clipboard. Programs that show it are listed as {name}.</source>
            <translation>Das Token ist in der Zwischenablage. Programme, die es vorweisen, stehen als {name} in der Liste.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>over HTTP</source>
            <translation>über HTTP</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>last seen {when}</source>
            <translation>zuletzt gesehen {when}</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/settings/programs.py" />
            <source>{n} calls</source>
            <comment>{n} call</comment>
            <translation>
                <numerusform>{n} Aufruf</numerusform>
                <numerusform>{n} Aufrufe</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>no requests yet</source>
            <translation>noch keine Anfragen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/programs.py" />
            <source>connected {when}</source>
            <translation>verbunden {when}</translation>
        </message>
        <message>
            <location filename="../../ui/settings/row_controls.py" />
            <source>Allow</source>
            <translation>Erlauben</translation>
        </message>
        <message>
            <location filename="../../ui/settings/row_controls.py" />
            <source>Don't allow</source>
            <translation>Nicht erlauben</translation>
        </message>
        <message>
            <location filename="../../ui/settings/row_controls.py" />
            <source>Version</source>
            <translation>Version</translation>
        </message>
        <message>
            <location filename="../../ui/settings/row_controls.py" />
            <source>Licence</source>
            <translation>Lizenz</translation>
        </message>
        <message>
            <location filename="../../ui/settings/row_controls.py" />
            <source>Conversations</source>
            <translation>Gespräche</translation>
        </message>
        <message>
            <location filename="../../ui/settings/row_controls.py" />
            <source>Outbound requests</source>
            <translation>Ausgehende Anfragen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/row_controls.py" />
            <source>Traces</source>
            <translation>Protokolle</translation>
        </message>
        <message>
            <location filename="../../ui/settings/row_controls.py" />
            <source>Log</source>
            <translation>Programmprotokoll</translation>
        </message>
        <message>
            <location filename="../../ui/settings/row_controls.py" />
            <source>Is set</source>
            <translation>Gesetzt</translation>
        </message>
        <message>
            <location filename="../../ui/settings/row_controls.py" />
            <source>Not set</source>
            <translation>Nicht gesetzt</translation>
        </message>
        <message>
            <location filename="../../ui/settings/row_controls.py" />
            <source>Allowed. Revoke</source>
            <translation>Erlaubt. Zurücknehmen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/row_controls.py" />
            <source>Allow…</source>
            <translation>Erlauben …</translation>
        </message>
        <message>
            <location filename="../../ui/settings/setting_rows.py" />
            <source>{n} settings, all as delivered</source>
            <translation>{n} Einstellungen, alle wie ausgeliefert</translation>
        </message>
        <message>
            <location filename="../../ui/settings/setting_rows.py" />
            <source>As delivered</source>
            <translation>Wie ausgeliefert</translation>
        </message>
        <message>
            <location filename="../../ui/settings/setting_rows.py" />
            <source>Set by the environment variable {variable}.</source>
            <translation>Durch die Umgebungsvariable {variable} festgelegt.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/setting_rows.py" />
            <source>A line of the settings file is not understood: the strictest counts.</source>
            <translation>Eine Zeile der Einstellungsdatei ist unverständlich: Es gilt das Strengste.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/setting_rows.py" />
            <source>Takes effect after a restart.</source>
            <translation>Gilt ab dem nächsten Start.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/setting_rows.py" />
            <source>{n} settings, {k} changed</source>
            <translation>{n} Einstellungen, {k} geändert</translation>
        </message>
        <message>
            <location filename="../../ui/settings/setting_rows.py" />
            <source>Advanced: {settings}</source>
            <translation>Erweitert: {settings}</translation>
        </message>
        <message>
            <location filename="../../ui/settings/setting_rows.py" />
            <source>Advanced</source>
            <translation>Erweitert</translation>
        </message>
        <message>
            <location filename="../../ui/settings/settings_jobs.py" />
            <source>Starting {name}</source>
            <translation>Startet {name}</translation>
        </message>
        <message>
            <location filename="../../ui/settings/settings_jobs.py" />
            <source>Reading {n} of {of}</source>
            <translation>{n} von {of} wird gelesen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/settings_jobs.py" />
            <source>Building the reader</source>
            <translation>Baut den Seitenleser</translation>
        </message>
        <message>
            <location filename="../../ui/settings/settings_jobs.py" />
            <source>Downloading {name}: {done} of {total}</source>
            <translation>Lädt {name} herunter: {done} von {total}</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/settings/settings_jobs.py" />
            <source>{n} documents are new or changed.</source>
            <comment>{n} document is new or changed.</comment>
            <translation>
                <numerusform>{n} Dokument ist neu oder geändert.</numerusform>
                <numerusform>{n} Dokumente sind neu oder geändert.</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/settings/settings_jobs.py" />
            <source>The library is empty.</source>
            <translation>Die Bibliothek ist leer.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/settings_jobs.py" />
            <source>Downloading {name}</source>
            <translation>Lädt {name} herunter</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/settings/settings_jobs.py" />
            <source>{n} are gone.</source>
            <comment>{n} is gone.</comment>
            <translation>
                <numerusform>{n} ist nicht mehr da.</numerusform>
                <numerusform>{n} sind nicht mehr da.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/settings/settings_jobs.py" />
            <source>{n} could not be read.</source>
            <comment>{n} could not be read.</comment>
            <translation>
                <numerusform>{n} konnte nicht gelesen werden.</numerusform>
                <numerusform>{n} konnten nicht gelesen werden.</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/settings/settings_jobs.py" />
            <source>{size} on disk</source>
            <translation>{size} auf dem Datenträger</translation>
        </message>
        <message>
            <location filename="../../ui/settings/sidebar.py" />
            <source>Pages of the settings</source>
            <translation>Seiten der Einstellungen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/sidebar.py" />
            <source>Search settings</source>
            <translation>Einstellungen durchsuchen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/source.py" />
            <source>Until it is fixed, nothing leaves this computer and nothing is saved.</source>
            <translation>Bis das behoben ist, verlässt nichts diesen Computer, und nichts wird gespeichert.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/source.py" />
            <source>Lines of the settings file are not understood: {names}.</source>
            <translation>Zeilen der Einstellungsdatei sind unverständlich: {names}.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/source.py" />
            <source>This {reason}.</source>
            <translation>Der Wert {reason}.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/source.py" />
            <source>The settings file cannot be renamed: {problem}.</source>
            <translation>Die Einstellungsdatei lässt sich nicht umbenennen: {problem}.</translation>
        </message>
        <message>
            <location filename="../../ui/settings/waiting_questions.py" />
            <source>Do not ask it</source>
            <translation>Nicht fragen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/waiting_questions.py" />
            <source>Show passages now</source>
            <translation>Jetzt Textstellen zeigen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/window.py" />
            <source>Open the file</source>
            <translation>Datei öffnen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/window.py" />
            <source>Start with the defaults</source>
            <translation>Mit den Vorgaben beginnen</translation>
        </message>
        <message>
            <location filename="../../ui/settings/window.py" />
            <source>The file stays, under another name.</source>
            <translation>Die Datei bleibt, unter anderem Namen.</translation>
        </message>
        <message numerus="yes">
            <location filename="../../ui/settings/window.py" />
            <source>{n} settings match</source>
            <comment>{n} setting matches</comment>
            <translation>
                <numerusform>{n} Einstellung passt</numerusform>
                <numerusform>{n} Einstellungen passen</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../ui/shell/activation.py" />
            <source>{path} cannot be used to find the running window: {problem}.</source>
            <translation>{path} taugt nicht, um das laufende Fenster zu finden: {problem}.</translation>
        </message>
        <message>
            <location filename="../../ui/shell/activation.py" />
            <source>no lock can be made there</source>
            <translation>dort lässt sich keine Sperre anlegen</translation>
        </message>
        <message>
            <location filename="../../ui/shell/activation.py" />
            <source>The hotkey {problem}.</source>
            <translation>Das Tastenkürzel {problem}.</translation>
        </message>
        <message>
            <location filename="../../ui/shell/activation.py" />
            <source>Askance is running already, but its window does not answer.</source>
            <translation>Askance läuft schon, aber sein Fenster antwortet nicht.</translation>
        </message>
        <message>
            <location filename="../../ui/shell/activation.py" />
            <source>Askance is running already, and shows its window on the screen {screen}.</source>
            <translation>Askance läuft schon und zeigt sein Fenster auf dem Bildschirm {screen}.</translation>
        </message>
        <message>
            <location filename="../../ui/shell/activation.py" />
            <source>Quit it and start it again.</source>
            <translation>Askance beenden und neu starten.</translation>
        </message>
        <message>
            <location filename="../../ui/shell/activation.py" />
            <source>Quit it there to have it here.</source>
            <translation>Dort beenden, um es hier zu haben.</translation>
        </message>
        <message>
            <location filename="../../ui/shell/catalogues.py" />
            <source>d MMMM yyyy</source>
            <translation>d. MMMM yyyy</translation>
        </message>
        <message>
            <location filename="../../ui/shell/desktop.py" />
            <source>No browser was found. The address was copied.</source>
            <translation>Kein Browser gefunden. Die Adresse wurde kopiert.</translation>
        </message>
        <message>
            <location filename="../../ui/shell/desktop.py" />
            <source>What has changed</source>
            <translation>Was sich geändert hat</translation>
        </message>
        <message>
            <location filename="../../ui/shell/desktop.py" />
            <source>Askance {version} is available.</source>
            <translation>Askance {version} ist verfügbar.</translation>
        </message>
        <message>
            <location filename="../../ui/shell/desktop.py" />
            <source>The file is {path}.</source>
            <translation>Die Datei ist {path}.</translation>
        </message>
        <message>
            <location filename="../../ui/shell/desktop.py" />
            <source>Text {n} %</source>
            <translation>Text {n} %</translation>
        </message>
        <message>
            <location filename="../../ui/shell/model_arrivals.py" />
            <source>Evaluating: {k} of {n}</source>
            <translation>Bewertung: {k} von {n}</translation>
        </message>
        <message>
            <location filename="../../ui/shell/model_arrivals.py" />
            <source>Evaluating</source>
            <translation>Bewertung läuft</translation>
        </message>
        <message>
            <location filename="../../ui/shell/replacing.py" />
            <source>It is no longer selected there. The new text was copied.</source>
            <translation>Es ist dort nicht mehr ausgewählt. Der neue Text wurde kopiert.</translation>
        </message>
        <message>
            <location filename="../../ui/shell/tray.py" />
            <source>Answer ready</source>
            <translation>Antwort fertig</translation>
        </message>
        <message>
            <location filename="../../ui/shell/tray.py" />
            <source>A question could not be answered</source>
            <translation>Eine Frage blieb ohne Antwort</translation>
        </message>
        <message>
            <location filename="../../ui/shell/tray.py" />
            <source>Askance is searching</source>
            <translation>Askance sucht eine Antwort</translation>
        </message>
        <message>
            <location filename="../../ui/shell/tray.py" />
            <source>Show Askance</source>
            <translation>Askance zeigen</translation>
        </message>
        <message>
            <location filename="../../ui/shell/tray.py" />
            <source>Askance needs your attention</source>
            <translation>Askance: etwas braucht Aufmerksamkeit</translation>
        </message>
        <message>
            <location filename="../../ui/shell/tray.py" />
            <source>Show</source>
            <translation>Anzeigen</translation>
        </message>
        <message>
            <location filename="../../ui/shell/tray.py" />
            <source>Quit</source>
            <translation>Beenden</translation>
        </message>
        <message>
            <location filename="../../ui/shell/upkeep.py" />
            <source>Askance crashed. A report was saved on this computer; nothing was sent.</source>
            <translation>Askance ist abgestürzt. Ein Bericht wurde auf diesem Computer gespeichert; gesendet wurde nichts.</translation>
        </message>
        <message>
            <location filename="../../ui/shell/upkeep.py" />
            <source>Show report</source>
            <translation>Bericht anzeigen</translation>
        </message>
        <message>
            <location filename="../../ui/shell/upkeep.py" />
            <source>The report is {path}.</source>
            <translation>Der Bericht ist {path}.</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>No route to host</source>
            <translation>kein Weg zum Rechner</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>Network is unreachable</source>
            <translation>das Netz ist nicht erreichbar</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>Connection reset by peer</source>
            <translation>die Gegenseite hat die Verbindung abgebrochen</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>Connection refused</source>
            <translation>Verbindung abgelehnt</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>No such file or directory</source>
            <translation>nicht vorhanden</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>Permission denied</source>
            <translation>keine Berechtigung</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>No space left on device</source>
            <translation>kein Platz mehr</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>Read-only file system</source>
            <translation>nur zum Lesen</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>Not a directory</source>
            <translation>kein Ordner</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>Is a directory</source>
            <translation>ein Ordner</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>too many requests</source>
            <translation>zu viele Anfragen</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>access denied</source>
            <translation>Zugriff verweigert</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>CAPTCHA</source>
            <translation>CAPTCHA</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>exited</source>
            <translation>beendet</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>restarting</source>
            <translation>startet neu</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>created</source>
            <translation>angelegt</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>paused</source>
            <translation>pausiert</translation>
        </message>
        <message>
            <location filename="../../domain/messages.py" />
            <source>dead</source>
            <translation>tot</translation>
        </message>
    </context>
</TS>
