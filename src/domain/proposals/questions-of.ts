/** The questions of a proposal in words: those about the file, and those about the steps of its columns. */
import type { ProposedProfile } from '../profiles/model/profile.js';
import type { ProposalQuestion } from './model/proposal.js';

export function questionsOf({ columns, undecided = [] }: ProposedProfile): ProposalQuestion[] {
  const open = undecided.map(({ column, question, readings }) => ({ column, question, readings: readings.map(shown) }));
  const ofSteps = columns.flatMap(({ from, steps }) =>
    steps.flatMap((step): ProposalQuestion[] => {
      if (!('undecided' in step)) return [];
      const [first] = step.undecided;
      const column = typeof from === 'string' ? from : (from?.[0] ?? null);
      const labels = step.undecided.map(({ label }) => label);
      const cell = first === undefined ? '' : `${first.example} in row ${first.row} of "${column}"`;
      return [{ column, question: `Is ${cell} ${labels.join(', or ')}?`, readings: step.undecided.map(shown) }];
    }),
  );
  return [...open, ...ofSteps];
}

function shown({ value, label, row, example }: ProposalQuestion['readings'][number]) {
  return { value, label, row, example };
}
