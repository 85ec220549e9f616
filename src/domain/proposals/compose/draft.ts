/** A proposal while it is made: the rules, lines and questions of its columns, and what the catalog lacks. */
import type { AttributeElement } from '../../catalog/attributes/attribute-input.js';
import type { SiteDefinitions } from '../../catalog/site-definitions.js';
import type { Column } from '../../inspection/model/column.js';
import type { ColumnNote, StoredInspection } from '../../inspection/model/inspection.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import type { OpenQuestion } from '../../profiles/model/open-question.js';
import type { ProfileFileType } from '../../profiles/model/profile.js';
import type { ProposedRule } from '../../profiles/model/proposed-rule.js';
import { freeName } from '../columns/new-attribute.js';
import type { NamedColumn } from '../match/candidates.js';
import { labelOf } from '../match/path-label.js';
import type { ProposalLine, Verdict } from '../model/proposal.js';

export interface Planned {
  readonly rule: ProposedRule;
  readonly line: ProposalLine;
}

export class Draft {
  /** By the index of the column. */
  readonly planned = new Map<number, Planned>();
  /** Rules and lines that have no column of the file. */
  readonly added: Planned[] = [];
  readonly questions: OpenQuestion[] = [];
  readonly attributes = new Map<string, AttributeElement & { readonly name: string }>();
  readonly options = new Map<string, (string | number)[]>();
  /** Attributes that a rule, or a reading of a question, fills: their names by their keys. */
  readonly filled = new Map<string, string>();
  readonly #taken: Set<string>;
  /** The name that the attribute of a column would have. */
  readonly #names = new Map<number, string>();
  /** Whether the columns are paths of JSON or XML. */
  readonly isNested: boolean;
  /** Whether the columns have names in groups. */
  readonly isGrouped: boolean;
  /** How some cells of columns are written, by the index of the column. */
  readonly notes: ReadonlyMap<number, ColumnNote>;
  /** How many rows the file has without titles, sums and repeated headers. */
  rows: number;

  constructor(
    readonly inspection: StoredInspection,
    readonly definitions: SiteDefinitions,
    readonly fileType: ProfileFileType,
  ) {
    const { rows, apart } = inspection;
    this.rows = rows - (apart?.count ?? 0) - (apart?.headers?.count ?? 0);
    this.notes = new Map(inspection.notes.map((note) => [note.index, note]));
    this.isNested = inspection.format.rowPath !== null;
    this.isGrouped = inspection.format.headerRows > 1;
    this.#taken = new Set(definitions.attributes.map(({ name }) => attributeKey(name)));
  }

  /** Counts the rows that repeat the header as others: without a key, no condition leaves them out. */
  countHeaders(): void {
    this.rows += this.inspection.apart?.headers?.count ?? 0;
  }

  /** The name of the attribute that a column becomes which the catalog lacks. */
  nameFor(column: Column): string {
    const known = this.#names.get(column.index) ?? freeName({ name: this.#wantedName(column) }, this.#taken);
    this.#names.set(column.index, known);
    return known;
  }

  /** Has the new attribute of a column another name than the column, as somebody has said. */
  name(column: Column, wanted: string): void {
    this.#names.set(column.index, freeName({ name: wanted }, this.#taken));
  }

  /** The part of a path that names the value, if it is the only column of this name. */
  #wantedName({ name, locale }: Column): string {
    const label = this.isNested ? labelOf(name) : null;
    if (label === null) return name;
    const isSelected = locale !== null && name.includes('[');
    const own = isSelected ? `${label.name} (${locale})` : label.name;
    return this.#taken.has(attributeKey(own)) ? name : own;
  }

  /** A cell of a column, and its row: of the first rows, if one of them has a value. */
  cellOf({ index, examples }: Column): { row: number; example: string } {
    const { sample, format } = this.inspection;
    for (const { row, cells } of sample) {
      const text = (cells[index] ?? '').trim();
      if (text !== '') return { row, example: text.slice(0, 200) };
    }
    const header = this.isNested ? 0 : (format.headerRow.value ?? format.headerRow.rivals[0] ?? 1);
    return { row: header + 1, example: examples[0] ?? '' };
  }

  /** The row of the header, with its first names: what shows questions about the whole file. */
  header(): { row: number; example: string } {
    const { format, columns } = this.inspection;
    const names = columns.slice(0, 8).map(({ name }) => name);
    const example = names.join(', ').slice(0, 200);
    return { row: format.headerRow.value ?? format.headerRow.rivals[0] ?? 1, example };
  }
}

const ORDER: readonly Verdict[] = ['ambiguous', 'likely', 'certain'];

/** The least sure of several verdicts. */
export function leastSure(...verdicts: readonly Verdict[]): Verdict {
  return ORDER.find((verdict) => verdicts.includes(verdict)) ?? 'certain';
}

/** A line about one column. */
export function lineOf(
  { column }: Pick<NamedColumn, 'column'>,
  line: Pick<ProposalLine, 'to' | 'as' | 'verdict' | 'reason'> & Partial<ProposalLine>,
): ProposalLine {
  const samples = column.examples.map((example) => example.slice(0, 100));
  return { from: column.name, isNew: false, rivals: [], samples, ...line };
}

/** A column that is left out. */
export function ignored(named: NamedColumn, verdict: Verdict, reason: string): Planned {
  const rule: ProposedRule = { to: null, from: named.column.name, steps: [] };
  return { rule, line: lineOf(named, { to: null, as: 'ignored', verdict, reason }) };
}
