/** Several words, one on each line. What is typed stays as it is typed. */
import { useState } from 'react';
import { TextAreaInput } from '../../components/text-area.js';
import { linesOf } from './draft.js';

const MOST_ROWS = 8;

interface LinesInputProps {
  readonly label: string;
  readonly help?: string;
  readonly lines: readonly string[];
  readonly onChange: (lines: string[]) => void;
}

export function LinesInput({ label, help, lines, onChange }: LinesInputProps) {
  // The empty line that somebody is about to fill is no word yet.
  const [typed, setTyped] = useState(lines.join('\n'));
  const isOther = linesOf(typed).join('\n') !== lines.join('\n');
  return (
    <TextAreaInput
      label={label}
      help={help}
      rows={Math.max(2, Math.min(MOST_ROWS, lines.length + 1))}
      value={isOther ? lines.join('\n') : typed}
      onChange={(text) => {
        setTyped(text);
        onChange(linesOf(text));
      }}
    />
  );
}
