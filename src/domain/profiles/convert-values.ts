/** Converts single values by the steps of a rule: proposals show what a reading would make of them. */
import { compileStep, type Step } from './steps/registry.js';
import { StepFailure } from './steps/step.js';

/** @returns what becomes of a value, several of a list; null when a step cannot convert it */
export function valueConverter(steps: readonly Step[]): (value: string) => string[] | null {
  const compiled = steps.map((step) => ({ step, convert: compileStep(step).convert }));
  return (value) => {
    let values = [value];
    for (const { step, convert } of compiled) {
      if (step.step === 'list')
        values = values.flatMap((each) => each.split(step.separator).map((part) => part.trim()));
      else {
        const converted = values.map((each) => (each === '' && step.step !== 'default' ? '' : convert(each)));
        if (converted.some((each) => each instanceof StepFailure)) return null;
        values = converted as string[];
      }
    }
    return values.filter((each) => each !== '');
  };
}
