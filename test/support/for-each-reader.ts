/** Runs a suite once with each reader of items' rows. */
import type { RowReaderName } from '../../src/domain/imports/pipeline/row-applier.js';

const READERS: readonly RowReaderName[] = ['fast', 'plain'];

/** Declares the suite once a reader. @param declareSuite is given the environment in which that reader is chosen */
export function forEachReader(
  title: string,
  declareSuite: (environment: Readonly<Record<string, string>>) => void,
): void {
  for (const reader of READERS) {
    describe(`${title}, with the ${reader} reader`, () => declareSuite({ IMPORT_READER: reader }));
  }
}
