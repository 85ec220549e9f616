/** One rule of a profile: which columns of the file fill which of ours, and how; with what it makes of the first values. */
import type { schemas } from '@longshore/client';
import { Button } from '../../components/button.js';
import { ChoiceInput } from '../../components/choice-input.js';
import { Dialog } from '../../components/dialog.js';
import { SuggestInput } from '../../components/suggest-input.js';
import { SwitchInput } from '../../components/switch-input.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import { meant, type Rule, sourcesOf, visible, withSources } from './draft.js';
import { SplitFields } from './split-fields.js';
import { StepsEditor } from './steps-editor.js';
import { useProfileText } from './texts.js';
import { TriedCell } from './trial.js';

const useText = textsOf('profile-rule', {
  title: { en: 'One column', de: 'Eine Spalte' },
  kind: { en: 'Where the value comes from', de: 'Woher der Wert kommt' },
  column: { en: 'a column of the file', de: 'aus einer Spalte der Datei' },
  fixed: { en: 'always the same value', de: 'immer derselbe Wert' },
  from: { en: 'In your file', de: 'In Ihrer Datei' },
  another: { en: 'Another column', de: 'Weitere Spalte' },
  addAnother: { en: 'Add another column', de: 'Weitere Spalte hinzufügen' },
  combine: { en: 'Of several columns', de: 'Aus mehreren Spalten' },
  first: { en: 'the first that is not empty', de: 'die erste, die nicht leer ist' },
  join: { en: 'all that are not empty', de: 'alle, die nicht leer sind' },
  joinWith: { en: 'What is put between them', de: 'Was dazwischengesetzt wird' },
  constant: { en: 'Value', de: 'Wert' },
  optional: { en: 'The file may lack the column', de: 'Die Spalte darf in der Datei fehlen' },
  to: { en: 'Becomes', de: 'Wird zu' },
  toHelp: {
    en: 'A column of Longshore or an attribute. Empty: it is not imported',
    de: 'Eine Spalte von Longshore oder ein Attribut. Leer: Sie wird nicht importiert',
  },
  remove: { en: 'Remove the column', de: 'Spalte entfernen' },
  done: { en: 'Done', de: 'Fertig' },
  makes: { en: 'What it makes of the first values', de: 'Was es aus den ersten Werten macht' },
  noValues: {
    en: 'No file to show it on, or the profile is not complete yet.',
    de: 'Keine Datei, um es zu zeigen, oder das Profil ist noch nicht vollständig.',
  },
});

const MOST_SHOWN = 6;

interface RuleDialogProps {
  readonly rule: Rule;
  /** The columns of the file. */
  readonly sources: readonly string[];
  /** The columns that can be filled. */
  readonly targets: readonly string[];
  readonly trial: schemas.ProfileTrial | undefined;
  readonly onChange: (rule: Rule) => void;
  readonly onRemove: () => void;
  readonly onClose: () => void;
}

export function RuleDialog(props: RuleDialogProps) {
  const { rule, sources, targets, trial, onChange, onRemove, onClose } = props;
  const t = useText();
  const names = sourcesOf(rule);
  const isFixed = rule.constant !== undefined;
  const setName = (at: number, name: string) =>
    onChange(
      withSources(
        rule,
        names.map((before, index) => (index === at ? name : before)),
      ),
    );
  return (
    <Dialog title={t('title')} isOpen isWide onClose={onClose}>
      <div className="rule-form">
        <div className="rule-side">
          <ChoiceInput
            label={t('kind')}
            value={isFixed ? 'fixed' : 'column'}
            choices={(['column', 'fixed'] as const).map((id) => ({ id, label: t(id) }))}
            onChange={(kind) => onChange(kind === 'fixed' ? asFixed(rule) : asColumn(rule))}
          />
          {isFixed ? (
            <TextInput
              label={t('constant')}
              value={rule.constant ?? ''}
              onChange={(constant) => onChange({ ...rule, constant })}
            />
          ) : (
            <>
              {(names.length === 0 ? [''] : names).map((name, index) => (
                <SuggestInput
                  // Fields stand in their order; none is moved.
                  // biome-ignore lint/suspicious/noArrayIndexKey: the place is what identifies them
                  key={index}
                  label={t(index === 0 ? 'from' : 'another')}
                  value={name}
                  known={sources}
                  onChange={(typed) => setName(index, typed)}
                />
              ))}
              <div className="actions">
                <Button kind="quiet" onPress={() => onChange(withSources(rule, [...names, '']))}>
                  {t('addAnother')}
                </Button>
              </div>
              {names.length > 1 ? <CombineFields rule={rule} onChange={onChange} /> : null}
              <SplitFields rule={rule} onChange={onChange} />
              <SwitchInput
                label={t('optional')}
                isOn={rule.optional === true}
                onChange={(isOn) => {
                  const { optional: _, ...others } = rule;
                  onChange(isOn ? { ...others, optional: true } : others);
                }}
              />
            </>
          )}
        </div>
        <div className="rule-side">
          <SuggestInput
            label={t('to')}
            help={t('toHelp')}
            value={rule.to ?? ''}
            known={targets}
            onChange={(to) => onChange({ ...rule, to: to === '' && !isFixed ? null : to })}
          />
          {rule.to === null ? null : (
            <StepsEditor steps={rule.steps ?? []} onChange={(steps) => onChange({ ...rule, steps })} />
          )}
          <RuleTrial rule={rule} trial={trial} />
        </div>
      </div>
      <div className="actions">
        <Button kind="primary" onPress={onClose}>
          {t('done')}
        </Button>
        <Button kind="danger" onPress={onRemove}>
          {t('remove')}
        </Button>
      </div>
    </Dialog>
  );
}

function asFixed({ from: _, combine: __, joinWith: ___, split: ____, optional: _____, ...rule }: Rule): Rule {
  return { ...rule, to: rule.to ?? '', constant: '' };
}

function asColumn({ constant: _, ...rule }: Rule): Rule {
  return { ...rule, from: '' };
}

function CombineFields({ rule, onChange }: Pick<RuleDialogProps, 'rule' | 'onChange'>) {
  const t = useText();
  const { joinWith: _, ...others } = rule;
  return (
    <>
      <ChoiceInput
        label={t('combine')}
        value={rule.combine ?? 'first'}
        choices={(['first', 'join'] as const).map((id) => ({ id, label: t(id) }))}
        onChange={(combine) => onChange({ ...others, combine })}
      />
      {rule.combine === 'join' ? (
        <TextInput
          label={t('joinWith')}
          value={visible(rule.joinWith ?? ' ')}
          onChange={(text) => onChange({ ...rule, joinWith: meant(text) })}
        />
      ) : null}
    </>
  );
}

function RuleTrial({ rule, trial }: Pick<RuleDialogProps, 'rule' | 'trial'>) {
  const t = useText();
  const p = useProfileText();
  const at = trial === undefined || rule.to === null ? -1 : trial.columns.indexOf(rule.to);
  const cells = trial?.rows.flatMap(({ row, cells: all }) => {
    const cell = all[at];
    return cell === undefined ? [] : [{ row, ...cell }];
  });
  return (
    <div className="rule-trial" aria-live="polite">
      <h3>{t('makes')}</h3>
      {rule.to === null ? (
        <p className="note">{p('ignored')}</p>
      ) : cells === undefined || cells.length === 0 ? (
        <p className="note">{t('noValues')}</p>
      ) : (
        <ul className="rule-values">
          {cells.slice(0, MOST_SHOWN).map(({ row, ...cell }) => (
            <li key={row}>
              <TriedCell {...cell} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
