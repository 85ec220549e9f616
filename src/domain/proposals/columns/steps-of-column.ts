/** The steps by which the values of a column become those of an attribute, as the inspection has read them. */
import type { AttributeTypeName, OptionsType, TextSubType } from '../../catalog/model/attribute-definition.js';
import { isNoDate, oppositeWords } from '../../inspection/cells/words.js';
import type { Column } from '../../inspection/model/column.js';
import type { ProposedRule } from '../../profiles/model/proposed-rule.js';
import type { NamedColumn } from '../match/candidates.js';
import type { Concept } from '../match/dictionary.js';
import type { Verdict } from '../model/proposal.js';
import { hasUnreadable } from './date-formats.js';
import { emptyingStep, unmistakableWords, wordsForNothing } from './emptied-words.js';
import { dateSteps, listSteps, numberSteps } from './open-steps.js';

type Steps = ProposedRule['steps'];

/** What a column is converted to. */
export interface Form {
  readonly type: AttributeTypeName;
  readonly textSubType?: TextSubType | null | undefined;
  readonly optionsType?: OptionsType | null | undefined;
  readonly options?: readonly (string | number)[] | null | undefined;
}

export interface ColumnSteps {
  readonly steps: Steps;
  readonly verdict: Verdict;
}

/** Texts of these columns have commas, hyphens and line ends that separate nothing. */
export const PROSE: ReadonlySet<Concept> = new Set([
  ...(['name', 'shortDescription', 'description', 'seoTitle', 'seoDescription', 'note'] as const),
]);
/** What clears a value in our files, and in those that no step converts. */
const CLEARED = 'NULL';
const TRIM = { step: 'trim' } as const;
/** Several values of a path are a cell with line feeds between. */
const VALUES_OF_PATH = { step: 'list', separator: '\n' } as const;
/** Ranges, ratios, fractions and sizes have these, and would be others with another sign. */
const WITHIN_VALUES: ReadonlySet<string> = new Set(['/', ' - ']);
/** A longer text has line ends of its own more often. */
const MAX_JOINED = 500;

/** The steps, those first that empty cells which stand for no value. */
export function stepsOfColumn(named: NamedColumn, form: Form): ColumnSteps {
  const { steps, verdict } = stepsOfValues(named, form);
  const emptied = emptyingStep(emptiedWords(named, form));
  if (emptied === null) return { steps, verdict };
  return { steps: [emptied, ...steps], verdict: verdict === 'certain' ? 'likely' : verdict };
}

/** The words whose cells are emptied. A text may hold such words as they are; anything else would be an error of its row. */
export function emptiedWords(named: NamedColumn, form: Form): readonly string[] {
  const words = wordsOf(named, form);
  if (!words.includes(CLEARED)) return words;
  const isConverted = stepsOfValues(named, form).steps.some((step) => 'undecided' in step || step.step !== 'trim');
  return isConverted ? words : words.filter((word) => word !== CLEARED);
}

function wordsOf(named: NamedColumn, form: Form): readonly string[] {
  const words = wordsForNothing(named);
  if (form.type === 'TEXT') return words.every(isNoDate) ? words : [];
  return form.type !== 'OPTIONS' || hasNumbers(form)
    ? words
    : unmistakableWords(named, (form.options ?? []).map(String));
}

function hasNumbers({ optionsType }: Form): boolean {
  return optionsType === 'INTEGER' || optionsType === 'DECIMAL';
}

function stepsOfValues({ column, concept, isPath, note }: NamedColumn, form: Form): ColumnSteps {
  const numbers = () => (column.number === null ? [] : numberSteps(column, note?.minusBehind === true));
  switch (form.type) {
    case 'INTEGER':
    case 'DECIMAL':
    case 'SERIAL':
      return judged(numbers(), verdictOf(column.number?.decimal.verdict));
    case 'BOOLEAN':
      return judged(booleanSteps(column), 'certain');
    case 'DATETIME':
      return judged(dateSteps(column), hasUnreadable(column) ? 'likely' : verdictOf(column.date?.formats.verdict));
    case 'URL':
      return judged([TRIM], 'certain');
    case 'OPTIONS':
      if (hasNumbers(form)) {
        return judged(column.number === null ? [TRIM] : numbers(), verdictOf(column.number?.decimal.verdict));
      }
      return judged([TRIM], 'certain');
    case 'TEXT': {
      const isPlain = form.textSubType !== 'HTML';
      const html: Steps = isPlain && column.type.value === 'html' ? [{ step: 'stripHtml' }] : [];
      const mayBeList = (concept === null || !PROSE.has(concept)) && column.path === null;
      const isList = column.list !== null && mayBeList && !WITHIN_VALUES.has(column.list.value ?? '');
      if (isPath && mayBeList && isJoined(column)) return judged([...html, VALUES_OF_PATH, TRIM], 'likely');
      const list = isList ? listSteps(column) : [];
      return judged([...html, ...list, TRIM], isList ? verdictOf(column.list?.verdict) : 'certain');
    }
  }
}

/** Whether a column has several values in few rows only, so that the inspection does not call it a list. */
function isJoined({ list, examples, longest }: Column): boolean {
  return list === null && longest <= MAX_JOINED && examples.some((example) => example.includes('\n'));
}

/** An undecided step makes the whole of it ambiguous. */
function judged(steps: Steps, verdict: Verdict): ColumnSteps {
  const isOpen = steps.some((step) => 'undecided' in step);
  return { steps, verdict: isOpen ? 'ambiguous' : verdict === 'ambiguous' ? 'likely' : verdict };
}

function verdictOf(verdict: Verdict | undefined): Verdict {
  return verdict ?? 'certain';
}

/** What an import reads as true and false without a profile. */
const KNOWN = new Set(['true', 'yes', '1', 'false', 'no', '0']);

function booleanSteps({ boolean }: Column): Steps {
  if (boolean === null) return [];
  const words = [...boolean.true, ...boolean.false];
  if (words.every((word) => KNOWN.has(word.toLowerCase()))) return [];
  const keys = (list: readonly string[]) => [...new Map(list.map((word) => [word.toLowerCase(), word])).values()];
  const yes = boolean.true.length > 0 ? keys(boolean.true) : orElse(oppositeWords(boolean.false), 'yes');
  const no = boolean.false.length > 0 ? keys(boolean.false) : orElse(oppositeWords(boolean.true), 'no');
  return [{ step: 'boolean', true: yes, false: no }];
}

function orElse(words: string[], otherwise: string): string[] {
  return words.length > 0 ? words : [otherwise];
}
