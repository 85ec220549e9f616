/** The jobs that were begun here and have not ended yet: their end is told on whatever page one is. */

export interface WatchedJob {
  readonly id: string;
  readonly stage: string;
  /** As one knows it: the name of the file. */
  readonly name: string;
}

const KEPT_AS = 'longshore.jobs';
const listeners = new Set<() => void>();
let watched: readonly WatchedJob[] = kept();

export function watchedJobs(): readonly WatchedJob[] {
  return watched;
}

export function onWatchedJobs(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function watchJob(job: WatchedJob): void {
  if (!watched.some(({ id }) => id === job.id)) set([...watched, job]);
}

export function unwatchJobs(ids: readonly string[]): void {
  set(watched.filter(({ id }) => !ids.includes(id)));
}

/** They outlive a page that is loaded again, but not the window. */
function set(next: readonly WatchedJob[]): void {
  watched = next;
  sessionStorage.setItem(KEPT_AS, JSON.stringify(next));
  for (const listener of listeners) listener();
}

function kept(): readonly WatchedJob[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(KEPT_AS) ?? '[]');
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}
