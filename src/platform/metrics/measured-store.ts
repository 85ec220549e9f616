/** A file store whose operations are measured. */
import type { FileStore } from '../file-store.js';
import type { Metrics } from '../metrics.js';
import { secondsSince } from './instruments.js';

/** The operations of a file store that are measured. */
const MEASURED: ReadonlySet<string | symbol> = new Set<keyof FileStore>([
  ...(['create', 'read', 'readRange', 'size', 'requireSize', 'remove', 'ping'] as const),
]);

export function measuredStore(store: FileStore, metrics: Metrics): FileStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function' || typeof name !== 'string' || !MEASURED.has(name)) return member;
      return async (...given: unknown[]) => {
        const began = performance.now();
        let failed = false;
        try {
          return await Reflect.apply(member, target, given);
        } catch (error) {
          failed = !(error instanceof Error && error.name === 'FileMissing');
          throw error;
        } finally {
          metrics.storeAnswered(name, secondsSince(began), failed);
        }
      };
    },
  });
}
