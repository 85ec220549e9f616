/** The stage that was looked at last: the console opens with it. */

const KEPT_AS = 'longshore.stage';
const FIRST = 'production';

export function keptStage(): string {
  return localStorage.getItem(KEPT_AS) ?? FIRST;
}

export function keepStage(stage: string): void {
  localStorage.setItem(KEPT_AS, stage);
}
