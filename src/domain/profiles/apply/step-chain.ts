/** Runs the steps of a rule on the texts of cells. */
import { alternateCategoryEntry } from '../../catalog/categories/alternate-categories-cell.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { quoted } from '../../kernel/value-problem.js';
import { type CompiledStep, compileStep, type Step, type StepName } from '../steps/registry.js';
import type { StepFailure, StepResult } from '../steps/step.js';

/** What a text is: one that is still to be read, or a value that was read and has one meaning. */
export type Meaning = 'text' | StepResult;

/** Why a cell cannot be converted. */
export interface FailedStep {
  readonly step: StepName;
  /** About the text that the step was given: `"x" is no number …`. */
  readonly message: string;
  /** The text that the step was given. */
  readonly text: string;
}

/** What puts the entries of our columns of several values apart. */
const ENTRY_SEPARATOR = ';';
/** Columns in whose entries a semicolon has a backslash before it. */
const ESCAPED_ENTRIES = new Set(['items', 'locales']);

export class StepChain {
  /** What the text is that `run` has returned last. */
  meaning: Meaning = 'text';
  /** Whether the steps can fill an empty cell. */
  readonly fillsEmpty: boolean;
  /** The kinds of values that the steps read. */
  readonly reads: ReadonlySet<StepResult>;
  readonly #before: readonly CompiledStep[];
  readonly #list: ElementSteps | null;

  /** @param to the name of our column */
  constructor(steps: readonly Step[], to: string) {
    const compiled = steps.map(compileStep);
    const at = steps.findIndex(({ step }) => step === 'list');
    const list = steps[at];
    this.fillsEmpty = steps.some(({ step }) => step === 'default');
    this.reads = new Set(compiled.flatMap(({ result }) => (result === undefined ? [] : [result])));
    this.#before = at < 0 ? compiled : compiled.slice(0, at);
    this.#list = list?.step === 'list' ? new ElementSteps(list.separator, compiled.slice(at + 1), to) : null;
  }

  /** @param meaning what the text is: a cell of a workbook may be a number, a date or a boolean */
  run(text: string, meaning: Meaning): string | FailedStep {
    this.meaning = meaning;
    const before = this.#each(this.#before, text);
    if (this.#list === null || typeof before !== 'string') return before;
    return this.#listed(before, this.#list);
  }

  #listed(text: string, { separator, steps, defaults, entry }: ElementSteps): string | FailedStep {
    const entries: string[] = [];
    for (const element of text.split(separator)) {
      const trimmed = element.trim();
      if (trimmed === '') continue;
      this.meaning = 'text';
      const converted = this.#each(steps, trimmed);
      if (typeof converted !== 'string') return converted;
      if (converted !== '') entries.push(converted);
    }
    if (entries.length === 0) return this.#each(defaults, '');
    // Several values are a text of our column, and a single one is what its steps have made of it.
    if (entries.length > 1) this.meaning = 'text';
    return entries.map(entry).join(ENTRY_SEPARATOR);
  }

  #each(steps: readonly CompiledStep[], given: string): string | FailedStep {
    let text = given;
    for (const { name, convert, result } of steps) {
      if (text === '' && name !== 'default') continue;
      if (result !== undefined && result === this.meaning) continue;
      const converted = convert(text);
      if (typeof converted === 'string') {
        if (result !== undefined) this.meaning = converted === '' ? 'text' : result;
        else if (converted !== text) this.meaning = 'text';
        text = converted;
      } else if (text.trim() === '') text = '';
      else return failed(name, converted, text);
    }
    return text;
  }
}

/** The steps behind `list`, which convert each of its values. */
class ElementSteps {
  readonly separator: string;
  readonly steps: readonly CompiledStep[];
  /** They concern a cell without any value. */
  readonly defaults: readonly CompiledStep[];
  readonly entry: (text: string) => string;

  constructor(separator: string, steps: readonly CompiledStep[], to: string) {
    this.separator = separator;
    this.steps = steps.filter(({ name }) => name !== 'default');
    this.defaults = steps.filter(({ name }) => name === 'default');
    const key = attributeKey(to);
    if (key === 'alternate categories') this.entry = alternateCategoryEntry;
    else if (ESCAPED_ENTRIES.has(key)) this.entry = (text) => text.replaceAll(ENTRY_SEPARATOR, `\\${ENTRY_SEPARATOR}`);
    else this.entry = (text) => text;
  }
}

function failed(step: StepName, { message }: StepFailure, text: string): FailedStep {
  return { step, message, text };
}

/** What the error of a row says of a step that has failed. @param source what the cell of the source holds */
export function describeFailure({ step, message, text }: FailedStep, column: string, source: string): string {
  const whole = text === source ? '' : ` (the cell holds ${quoted(source)})`;
  return `the step "${step}" of the profile cannot convert the column ${quoted(column)}: ${message}${whole}`;
}
