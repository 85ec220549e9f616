/** The steps of profiles: a closed list, for a profile is data and no program. */
import { z } from 'zod';
import { booleanStep } from './boolean.js';
import { caseStep } from './case.js';
import { collapseSpacesStep } from './collapse-spaces.js';
import { dateStep } from './date.js';
import { defaultStep } from './default.js';
import { listStep } from './list.js';
import { numberStep } from './number.js';
import { pathStep } from './path.js';
import { prefixStep } from './prefix.js';
import { removeUnitStep } from './remove-unit.js';
import { replaceStep } from './replace.js';
import type { StepDefinition, StepFailure, StepInverse, StepResult } from './step.js';
import { stripHtmlStep } from './strip-html.js';
import { suffixStep } from './suffix.js';
import { trimStep } from './trim.js';

/** The steps by name, in the order in which messages and the documentation list them. */
const STEPS = {
  trim: trimStep,
  collapseSpaces: collapseSpacesStep,
  stripHtml: stripHtmlStep,
  case: caseStep,
  replace: replaceStep,
  prefix: prefixStep,
  suffix: suffixStep,
  removeUnit: removeUnitStep,
  number: numberStep,
  date: dateStep,
  boolean: booleanStep,
  list: listStep,
  path: pathStep,
  default: defaultStep,
} as const;

export type StepName = keyof typeof STEPS;
export const STEP_NAMES = Object.keys(STEPS) as [StepName, ...StepName[]];

export const stepSchema = z.discriminatedUnion('step', [
  STEPS.trim.schema,
  STEPS.collapseSpaces.schema,
  STEPS.stripHtml.schema,
  STEPS.case.schema,
  STEPS.replace.schema,
  STEPS.prefix.schema,
  STEPS.suffix.schema,
  STEPS.removeUnit.schema,
  STEPS.number.schema,
  STEPS.date.schema,
  STEPS.boolean.schema,
  STEPS.list.schema,
  STEPS.path.schema,
  STEPS.default.schema,
]);

/** One conversion of the text of a cell. */
export type Step = z.output<typeof stepSchema>;

/** A step that is ready to convert the cells of a column. */
export interface CompiledStep {
  readonly name: StepName;
  readonly convert: (text: string) => string | StepFailure;
  /** What its results are; undefined: texts. */
  readonly result: StepResult | undefined;
}

/** Prepares a step. Call it once for each column of a job. */
export function compileStep(step: Step): CompiledStep {
  // Each definition compiles the steps that have its name.
  const { compile, result } = STEPS[step.step] as StepDefinition<z.ZodType<Step>>;
  return { name: step.step, convert: compile(step), result };
}

/** Prepares the way back of a step. */
export function inverseOf(step: Step): StepInverse {
  return (STEPS[step.step] as StepDefinition<z.ZodType<Step>>).inverse(step);
}
