/** Runs a reference that needs a process of its own, as the service's parts have. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface ChildProgram<Message> {
  /** Resolves with the first message, one that has come already too, that fits. @throws when the process ends before */
  message(fits: (message: Message) => boolean): Promise<Message>;
  stop(): Promise<void>;
}

/** @param program of the build, as a file URL */
export function startChild<Message>(program: URL, args: readonly string[]): ChildProgram<Message> {
  const path = fileURLToPath(program);
  const child: ChildProcess = fork(path, [...args]);
  let latest: Message | undefined;
  child.on('message', (message: Message) => {
    latest = message;
  });
  const exited = once(child, 'exit');
  return {
    message: (fits) =>
      new Promise((resolve, reject) => {
        const look = (message: Message) => {
          if (!fits(message)) return;
          child.off('message', look);
          resolve(message);
        };
        if (latest !== undefined && fits(latest)) return resolve(latest);
        child.on('message', look);
        child.once('exit', (code, signal) => reject(new Error(`${path} ended (${signal ?? `code ${code}`})`)));
      }),
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
