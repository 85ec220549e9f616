/** Parts that a page is shown without: they are loaded when the browser has nothing else to do, or when somebody wants one before. */
import { useEffect, useSyncExternalStore } from 'react';
import { fetchPart, newerVersion } from '../newer-version.js';

interface Later<T> {
  /** Undefined: it is not there yet. */
  present(): T | undefined;
  /** What failed is tried anew. */
  load(): Promise<T>;
  onLoaded(listener: () => void): () => void;
}

export function later<T>(load: () => Promise<T>): Later<T> {
  const listeners = new Set<() => void>();
  let present: T | undefined;
  let coming: Promise<T> | undefined;
  const loadOnce = () => {
    coming ??= fetchPart(load).then(
      (part) => {
        present = part;
        for (const listener of listeners) listener();
        return part;
      },
      (error: unknown) => {
        coming = undefined;
        throw error;
      },
    );
    return coming;
  };
  return {
    present: () => present,
    load: loadOnce,
    onLoaded: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const AGAIN_MS = 2_000;

/** Loads what nothing goes on without, however long there is no answer. Of an older version nothing comes any more. */
export async function loadSurely<T>(part: Later<T>): Promise<T> {
  for (;;) {
    try {
      return await part.load();
    } catch {
      if (newerVersion() !== undefined) return new Promise(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** The longest wait, also in a browser that is never idle, or does not say when it is: somebody may wait for the part. */
const IDLE_MS = 1_000;

function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const id = requestIdleCallback(act, { timeout: IDLE_MS });
    return () => cancelIdleCallback(id);
  }
  const timer = setTimeout(act, IDLE_MS);
  return () => clearTimeout(timer);
}

/** @returns the part; undefined while it is not there */
export function useLater<T>(part: Later<T>): T | undefined {
  const present = useSyncExternalStore(part.onLoaded, part.present);
  const isThere = present !== undefined;
  useEffect(() => {
    // Who needs what has failed here, tries again.
    return isThere ? undefined : whenIdle(() => void part.load().catch(() => undefined));
  }, [part, isThere]);
  return present;
}
