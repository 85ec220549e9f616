/** Loaded into a process before its own program: SIGUSR2 starts a CPU profile, the next one ends and writes it. */
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';

const folder = new URL(import.meta.url).searchParams.get('folder');
/** What is recorded; not, for one, the release. */
const PROGRAMS = { worker: 'workers/main.js', web: 'api/main.js' };
const name = Object.entries(PROGRAMS).find(([, program]) => process.argv[1]?.endsWith(program))?.[0];

if (folder !== null && name !== undefined) recordOnSignal(folder, name);

function recordOnSignal(target: string, own: string): void {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  let recording = false;
  let recorded = 0;
  process.on('SIGUSR2', () => {
    recording = !recording;
    if (recording) return session.post('Profiler.start');
    session.post('Profiler.stop', (error, result) => {
      if (error !== null) throw error;
      recorded += 1;
      const path = join(target, `${own}-${recorded}.cpuprofile`);
      writeFileSync(`${path}.part`, JSON.stringify(result.profile));
      renameSync(`${path}.part`, path);
    });
  });
}
