/** What is on or off. */
import { Switch } from 'react-aria-components/Switch';

interface SwitchInputProps {
  readonly label: string;
  readonly help?: string | undefined;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function SwitchInput({ label, help, isOn, onChange }: SwitchInputProps) {
  return (
    <Switch className="switch" isSelected={isOn} onChange={onChange}>
      <span className="switch-track" aria-hidden="true">
        <span className="switch-thumb" />
      </span>
      <span className="switch-text">
        <span>{label}</span>
        {help === undefined ? null : <span className="help">{help}</span>}
      </span>
    </Switch>
  );
}
