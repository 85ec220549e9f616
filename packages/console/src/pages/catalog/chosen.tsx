/** What is chosen, each with a button that takes it away. */
import { Icon } from '../../components/icon.js';
import { textsOf } from '../../texts/texts.js';

const useText = textsOf('chosen', {
  chosen: { en: 'Chosen', de: 'Gewählt' },
  none: { en: 'None is chosen', de: 'Keine ist gewählt' },
  remove: { en: 'Take away: {name}', de: 'Herausnehmen: {name}' },
});

interface ChosenProps {
  readonly names: readonly { readonly id: string; readonly label: string }[];
  /** Undefined: another is chosen instead. */
  readonly onRemove?: (id: string) => void;
}

export function Chosen({ names, onRemove }: ChosenProps) {
  const t = useText();
  if (names.length === 0) return <p className="note">{t('none')}</p>;
  return (
    <ul className="chips" aria-label={t('chosen')}>
      {names.map(({ id, label }) => (
        <li key={id} className="chip">
          <bdi className="chip-text">{label}</bdi>
          {onRemove === undefined ? null : (
            <button
              type="button"
              className="chip-remove"
              aria-label={t('remove', { name: label })}
              onClick={() => onRemove(id)}
            >
              <Icon name="cross" />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
