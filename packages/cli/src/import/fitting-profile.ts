/** Offers the profiles that read files with the columns of a file: what is proposed without one is for files that nobody knows. */
import type { schemas } from '@longshore/client';
import { ask, canAsk } from '../ask.js';
import { asTyped, print, style } from '../terminal.js';
import type { ImportOptions } from './options.js';
import { writtenReading } from './reading.js';

type Proposal = Pick<schemas.ImportProposal, 'profiles'>;

/** Asks which of them is taken. @returns undefined: none */
export async function askFitting({ profiles }: Proposal, options: ImportOptions): Promise<string | undefined> {
  if (!isOpen(options) || options.yes === true || options.json || !canAsk() || profiles.length === 0) return undefined;
  const { bold } = style(process.stdout);
  print(bold('Profiles that read files with these columns:'));
  for (const [index, { name, description }] of profiles.entries())
    print(`  ${index + 1}  ${labelOf(name, description)}`);
  print('  0  none: see what is proposed');
  for (;;) {
    const answer = await ask(`0 to ${profiles.length}: `, '--profile NAME', { unanswered: 'nothing is imported' });
    if (answer === '0') return undefined;
    const chosen = profiles[Number(answer) - 1] ?? profiles.find(({ name }) => name === answer);
    if (chosen !== undefined) return chosen.name;
  }
}

/** Names them where nobody can be asked. */
export function printFitting({ profiles }: Proposal, options: ImportOptions): void {
  if (!isOpen(options) || profiles.length === 0) return;
  print();
  print('Profiles that read files with these columns. To import by one instead, add:');
  for (const { name, description } of profiles)
    print(`  ${asTyped('--profile', name)}${description === null ? '' : `  ${description}`}`);
}

/** Whether nobody has said how the file is read: a profile says it, and contradicts such an option. */
function isOpen(options: ImportOptions): boolean {
  const { profile, decide = [] } = options;
  return profile === undefined && decide.length === 0 && writtenReading(options).length === 0;
}

function labelOf(name: string, description: string | null): string {
  return description === null ? name : `${name}: ${description}`;
}
