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

/** The way back of a step: what the file had, of what the step has made of it. Exports by a profile use it. */
export interface StepInverse {
  /**
   * A text that the step converts to the given one, as far as this can be known; null: there is none. It is a proposal: the caller
   * applies the step to it, and writes nothing that does not come back.
   */
  readonly write: (text: string) => string | null;
  /** What cannot be written as the file had it, for the client who defines the profile; null: nothing. */
  readonly loss: string | null;
}

/** The way back of a step that changes nothing which an export could restore. */
export const AS_IT_IS: StepInverse = { write: (text) => text, loss: null };

export interface StepDefinition<Schema extends z.ZodType> {
  /** The step as it is written in a profile; its member `step` is its name. */
  readonly schema: Schema;
  /** Absent: the step changes texts. */
  readonly result?: StepResult;
  /** Prepares what all cells of a column have in common. Called once for each job. */
  readonly compile: (step: z.output<Schema>) => Convert;
  /** Prepares the way back. Called once for each export, and when a profile is shown. */
  readonly inverse: (step: z.output<Schema>) => StepInverse;
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
