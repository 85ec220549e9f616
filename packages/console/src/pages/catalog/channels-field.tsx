/** The channels of an item, as numbers, or all of them. */
import { SwitchInput } from '../../components/switch-input.js';
import { textsOf } from '../../texts/texts.js';
import type { Draft } from './drafts.js';
import { numbersOf } from './item-fields.js';

const useText = textsOf('channels-field', {
  all: { en: 'In all channels', de: 'In allen Kanälen' },
  numbers: { en: 'Numbers of the channels of {sku}', de: 'Nummern der Kanäle von {sku}' },
  help: { en: 'Such as 1, 4', de: 'Etwa 1, 4' },
});

interface ChannelsFieldProps {
  readonly sku: string;
  readonly draft: Draft | undefined;
  /** As they are written. */
  readonly channels: unknown;
  /** @param value undefined: what was typed are no numbers */
  readonly onChange: (value: readonly number[] | null | undefined, text: string) => void;
}

export function ChannelsField({ sku, draft, channels, onChange }: ChannelsFieldProps) {
  const t = useText();
  const value = draft === undefined ? channels : draft.value;
  const isAll = value === null;
  const text = draft === undefined || draft.text === '' ? numbersOf(value).join(', ') : draft.text;
  const isWrong = draft !== undefined && draft.value === undefined;
  return (
    <>
      <SwitchInput
        label={t('all')}
        isOn={isAll}
        onChange={(isOn) => onChange(isOn ? null : channels === null ? undefined : numbersOf(channels), '')}
      />
      {isAll ? null : (
        <>
          <input
            type="text"
            className={isWrong ? 'cell wrong' : draft === undefined ? 'cell' : 'cell edited'}
            aria-label={t('numbers', { sku })}
            data-column="channels"
            value={text}
            {...(isWrong ? { 'aria-invalid': true } : {})}
            onChange={({ target }) => onChange(parse(target.value), target.value)}
          />
          <p className="help">{t('help')}</p>
        </>
      )}
    </>
  );
}

/** @returns undefined: these are no whole numbers, or there is none */
function parse(text: string): readonly number[] | undefined {
  const parts = text.split(/[\s,;]+/).filter((one) => one !== '');
  return parts.length > 0 && parts.every((one) => /^\d{1,9}$/.test(one)) ? numbersOf(parts) : undefined;
}
