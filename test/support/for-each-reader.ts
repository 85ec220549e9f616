/** Runs a suite once with each reader of items' rows. */
import type { RowReaderName } from '../../src/domain/imports/rows/row-applier.js';
import { testEnvironment } from './worlds/test-environment.js';

const READERS: readonly RowReaderName[] = ['fast', 'plain'];

/** Declares the suite once a reader; in a run in which all worlds have one reader, with that one. @param declareSuite is given the environment in which that reader is chosen */
export function forEachReader(
  title: string,
  declareSuite: (environment: Readonly<Record<string, string>>) => void,
): void {
  const { importReader } = testEnvironment();
  for (const reader of READERS.filter((name) => importReader === undefined || name === importReader)) {
    describe(`${title}, with the ${reader} reader`, () => declareSuite({ IMPORT_READER: reader }));
  }
}

/** Declares the suite with one reader, of which the title says the name: the fast one, where the run has no other. */
export function withReaderOfRun(
  title: string,
  declareSuite: (environment: Readonly<Record<string, string>>) => void,
): void {
  const reader = testEnvironment().importReader ?? 'fast';
  describe(`${title}, with the ${reader} reader`, () => declareSuite({ IMPORT_READER: reader }));
}
