/** A file store that holds whoever comes to a certain step, until the test lets go. */
import type { FileStore } from '../../../src/platform/file-store.js';

type Step = 'create' | 'read' | 'readRange' | 'removeAbandoned';

export interface HeldStore {
  readonly fileStore: FileStore;
  /** Resolves when somebody stands at the step. */
  readonly reached: Promise<void>;
  /** Lets everybody go on, now and from now on. */
  release(): void;
}

/** @param isHeld which keys are held; default: all */
export function holdStore(store: FileStore, step: Step, isHeld: (key: string) => boolean = () => true): HeldStore {
  let arrive: () => void = () => undefined;
  let release: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = async (at: Step, key: string): Promise<void> => {
    if (at !== step || !isHeld(key)) return;
    arrive();
    await released;
  };
  const fileStore: FileStore = {
    ...store,
    create: async (key) => {
      await held('create', key);
      return store.create(key);
    },
    read: async (key, range) => {
      await held('read', key);
      return store.read(key, range);
    },
    readRange: async (key, start, end) => {
      await held('readRange', key);
      return store.readRange(key, start, end);
    },
    removeAbandoned: async (idleMs) => {
      await held('removeAbandoned', '');
      return store.removeAbandoned(idleMs);
    },
  };
  return { fileStore, reached, release };
}
