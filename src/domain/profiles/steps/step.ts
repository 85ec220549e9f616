/** What a step of a profile is: one conversion of the text of a cell. Each step has one file here, and a line in the registry. */
import { z } from 'zod';
import { isStorable } from '../../kernel/characters.js';

/** Why a step cannot convert a text. It is returned, never thrown, because such texts are expected. */
export class StepFailure {
  /** @param message about the text, without a subject of its own: `"x" is no number …` */
  constructor(readonly message: string) {}
}

/** Converts the text of a cell that is not empty. */
type Convert = (text: string) => string | StepFailure;

/** What cells hold after a step that reads values: numbers with a point, days and instants in ISO 8601, TRUE and FALSE. */
export type StepResult = 'number' | 'date' | 'boolean';

export interface StepDefinition<Schema extends z.ZodType> {
  /** The step as it is written in a profile; its member `step` is its name. */
  readonly schema: Schema;
  /** Absent: the step changes texts. */
  readonly result?: StepResult;
  /** Prepares what all cells of a column have in common. Called once for each job. */
  readonly compile: (step: z.output<Schema>) => Convert;
}

/** Defines a step. */
export function defineStep<Schema extends z.ZodType>(definition: StepDefinition<Schema>): StepDefinition<Schema> {
  return definition;
}

const MAX_TEXT_CHARACTERS = 1_000;
const UNSTORABLE = 'contains a NUL character or an unpaired surrogate, which no file holds';

/** A text of a step, which may be empty. */
export const stepText = z.string().max(MAX_TEXT_CHARACTERS).refine(isStorable, UNSTORABLE);

/** A text of a step, which is not empty. */
export const someText = z.string().min(1).max(MAX_TEXT_CHARACTERS).refine(isStorable, UNSTORABLE);

/** Words that a step compares with cells, without case and outer blanks. */
export const words = z.array(z.string().trim().min(1).max(MAX_TEXT_CHARACTERS).refine(isStorable, UNSTORABLE)).max(100);

/** A word in the form in which words are compared. */
export function wordKey(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}
