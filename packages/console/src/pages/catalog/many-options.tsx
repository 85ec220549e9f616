/** More options than a field can hold: they are looked for, and changed elsewhere. */
import { useState } from 'react';
import { TextInput } from '../../components/text-input.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';

const MOST_SHOWN = 50;

const useText = textsOf('many-options', {
  search: { en: 'Find one of the {count} options', de: 'Eine der {count} Optionen suchen' },
  note: {
    en: 'These are too many to be typed here. Change them by a file of attributes or by the API; what else you change here leaves them as they are.',
    de: 'Das sind zu viele, um sie hier einzugeben. Ändern Sie sie mit einer Datei von Attributen oder über die API; was Sie hier sonst ändern, lässt sie, wie sie sind.',
  },
  first: { en: 'The first that contain it:', de: 'Die ersten, die das enthalten:' },
});

export function ManyOptions({ options }: { readonly options: readonly unknown[] }) {
  const t = useText();
  const format = useFormat();
  const [part, setPart] = useState('');
  const wanted = part.toLowerCase();
  const found: string[] = [];
  for (const option of options) {
    const text = String(option);
    if (text.toLowerCase().includes(wanted)) found.push(text);
    if (found.length === MOST_SHOWN) break;
  }
  return (
    <>
      <TextInput
        label={t('search', { count: format.number(options.length) })}
        type="search"
        value={part}
        onChange={setPart}
      />
      <p className="small">{t('first')}</p>
      <ul className="many-options">
        {found.map((option) => (
          <li key={option}>
            <bdi>{option}</bdi>
          </li>
        ))}
      </ul>
      <p className="note">{t('note')}</p>
    </>
  );
}
