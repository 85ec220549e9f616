/** One of a few that are all seen. */
import { Label } from 'react-aria-components/Label';
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';

interface RadioCardsProps {
  readonly label: string;
  readonly value: string | null;
  readonly choices: readonly { readonly value: string; readonly label: string; readonly help?: string | undefined }[];
  readonly onChange: (value: string) => void;
}

export function RadioCards({ label, value, choices, onChange }: RadioCardsProps) {
  return (
    <RadioGroup className="radio-group" value={value} onChange={onChange}>
      <Label className="radio-question">{label}</Label>
      <div className="radio-cards">
        {choices.map((choice) => (
          <Radio key={choice.value} value={choice.value} className="radio-card">
            <span className="radio-mark" aria-hidden="true" />
            <span className="radio-text">
              <span className="radio-label">{choice.label}</span>
              {choice.help === undefined ? null : <span className="radio-help">{choice.help}</span>}
            </span>
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}
