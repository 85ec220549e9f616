/** The conversions of a rule, in their order. */
import { Button } from '../../components/button.js';
import { ChoiceInput } from '../../components/choice-input.js';
import { distinctNames } from '../../components/distinct-names.js';
import { textsOf } from '../../texts/texts.js';
import type { Step } from './draft.js';
import { StepFields } from './step-fields.js';
import { FIRST_STEPS, STEP_NAMES, type StepName, useStepNames } from './step-texts.js';

const useText = textsOf('profile-steps-editor', {
  title: { en: 'Conversions, in this order', de: 'Umwandlungen, in dieser Reihenfolge' },
  add: { en: 'Add a conversion', de: 'Umwandlung hinzufügen' },
  choose: { en: 'choose one', de: 'bitte wählen' },
  up: { en: 'Earlier', de: 'Früher' },
  upOf: { en: 'Earlier: {step}', de: 'Früher: {step}' },
  remove: { en: 'Remove', de: 'Entfernen' },
  removeOf: { en: 'Remove: {step}', de: 'Entfernen: {step}' },
});

const NONE = '';

interface StepsEditorProps {
  readonly steps: readonly Step[];
  readonly onChange: (steps: Step[]) => void;
}

export function StepsEditor({ steps, onChange }: StepsEditorProps) {
  const t = useText();
  const names = useStepNames();
  const labels = distinctNames(
    steps,
    ({ step }) => names(step),
    (step) => String(steps.indexOf(step) + 1),
  );
  const labelOf = (step: Step) => labels.get(step) ?? names(step.step);
  const without = (at: number) => steps.filter((_, index) => index !== at);
  const earlier = (at: number) => {
    const next = [...steps];
    const [step] = next.splice(at, 1);
    if (step !== undefined) next.splice(at - 1, 0, step);
    onChange(next);
  };
  return (
    <section className="steps-editor" aria-label={t('title')}>
      <h3>{t('title')}</h3>
      <ol className="step-list">
        {steps.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same step may be there twice, and its place is what it is
          <li key={`${index}:${step.step}`} className="step">
            <div className="step-head">
              <strong>{names(step.step)}</strong>
              <span className="actions">
                {index === 0 ? null : (
                  <Button kind="quiet" aria-label={t('upOf', { step: labelOf(step) })} onPress={() => earlier(index)}>
                    {t('up')}
                  </Button>
                )}
                <Button
                  kind="quiet"
                  aria-label={t('removeOf', { step: labelOf(step) })}
                  onPress={() => onChange(without(index))}
                >
                  {t('remove')}
                </Button>
              </span>
            </div>
            <StepFields
              step={step}
              onChange={(next) => onChange(steps.map((before, at) => (at === index ? next : before)))}
            />
          </li>
        ))}
      </ol>
      <ChoiceInput
        label={t('add')}
        value={NONE}
        choices={[
          { id: NONE, label: t('choose') },
          ...STEP_NAMES.map((id) => ({ id: id as string, label: names(id) })),
        ]}
        onChange={(name) => {
          if (name !== NONE) onChange([...steps, FIRST_STEPS[name as StepName]]);
        }}
      />
    </section>
  );
}
