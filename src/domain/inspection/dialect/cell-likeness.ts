/** How much a text is like a cell, rather than a piece of one or several together. */
import { CellScan } from '../cells/cell-scan.js';
import { Signatures } from '../cells/classify-cell.js';

/** What a cell of a sample is; columns have cells of one kind. */
export type CellKind = 'empty' | 'number' | 'date' | 'word' | 'url' | 'text';

const scan = new CellScan();

export class CellKinds {
  readonly #signatures = new Signatures();

  of(cell: string): CellKind {
    const text = cell.trim();
    if (text === '') return 'empty';
    scan.read(text);
    const { kind } = this.#signatures.find(text, scan.seen, 't').trait;
    switch (kind) {
      case 'nothing':
        return 'empty';
      case 'marked':
      case 'html':
        return 'text';
      default:
        return kind;
    }
  }
}

/** 1: like a cell; less: it has signs that separate cells, or quotes that are not its own. */
export function likeness(cell: string, kind: CellKind, delimiter: string): number {
  if (kind === 'number' || kind === 'date' || kind === 'url' || kind === 'word') return 1;
  if (kind === 'empty') return 0.95;
  const text = cell.trim();
  // Quotes that are not read as such stand around the cell, or around several cells.
  if (/^["`]/.test(text) || (text.startsWith("'") && text.endsWith("'"))) return 0.1;
  if (/["`]$/.test(text)) return 0.5;
  if (text.includes('\t') && delimiter !== '\t') return 0.2;
  const separators = text.match(/[;|]/g)?.length ?? 0;
  if (separators > 0) return separators > 2 ? 0.3 : 0.7;
  // Prose has commas before blanks.
  return /,(?! )/.test(text) ? 0.7 : 1;
}
