/** The part of the stage that an export is limited to because a program has asked for it: it is said, and can be left out. */
import { SwitchInput } from '../../components/switch-input.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import type { ExportForm } from './start-export.js';

const useText = textsOf('part-of-stage', {
  channel: { en: 'Only what channel {number} shows', de: 'Nur was Kanal {number} zeigt' },
  channelHelp: {
    en: 'The earlier export was asked for this channel. Items without a channel are in each.',
    de: 'Der frühere Export war für diesen Kanal. Artikel ohne Kanal sind in jedem.',
  },
  upTo: { en: 'Only what was changed up to {time}', de: 'Nur was bis {time} geändert wurde' },
  upToHelp: {
    en: 'The earlier export was asked for this time. What was changed later is left out.',
    de: 'Der frühere Export war für diesen Zeitpunkt. Was später geändert wurde, fehlt.',
  },
});

interface PartOfStageProps {
  readonly form: ExportForm;
  /** What the earlier or saved export was asked for; undefined: there is none. */
  readonly given: ExportForm | undefined;
  readonly onChange: (form: ExportForm) => void;
}

export function PartOfStage({ form, given, onChange }: PartOfStageProps) {
  const t = useText();
  const format = useFormat();
  const { channel, upTo } = given ?? {};
  if (channel === undefined && upTo === undefined) return null;
  const { channel: presentChannel, upTo: presentTime, ...others } = form;
  const change = (nextChannel: number | undefined, nextTime: string | undefined) =>
    onChange({
      ...others,
      ...(nextChannel === undefined ? {} : { channel: nextChannel }),
      ...(nextTime === undefined ? {} : { upTo: nextTime }),
    });
  return (
    <div className="form">
      {channel === undefined || (form.what !== 'items' && form.what !== 'bundles') ? null : (
        <SwitchInput
          label={t('channel', { number: String(channel) })}
          help={t('channelHelp')}
          isOn={presentChannel !== undefined}
          onChange={(isOn) => change(isOn ? channel : undefined, presentTime)}
        />
      )}
      {upTo === undefined ? null : (
        <SwitchInput
          label={t('upTo', { time: format.time(upTo) })}
          help={t('upToHelp')}
          isOn={presentTime !== undefined}
          onChange={(isOn) => change(presentChannel, isOn ? upTo : undefined)}
        />
      )}
    </div>
  );
}
