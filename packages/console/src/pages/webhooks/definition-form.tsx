/** The fields of a webhook definition: what everybody needs first, the rest when it is opened. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Form } from 'react-aria-components/Form';
import { Button } from '../../components/button.js';
import { Checks } from '../../components/checks.js';
import { Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { fieldProblems } from '../../components/field-problems.js';
import { RadioCards } from '../../components/radio-cards.js';
import { SwitchInput } from '../../components/switch-input.js';
import { TextInput } from '../../components/text-input.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { TypedNote } from '../../typed/typed-note.js';
import type { Typed } from '../../typed/use-typed.js';
import type { DefinitionValues } from './definition-values.js';
import { useEventText } from './event-texts.js';

const useText = textsOf('webhook-form', {
  where: { en: 'Where to', de: 'Wohin' },
  target: { en: 'Address that is called', de: 'Adresse, die aufgerufen wird' },
  targetHelp: {
    en: 'Of your server, such as https://shop.example/hooks/catalog',
    de: 'Ihres Servers, zum Beispiel https://shop.example/hooks/catalog',
  },
  what: { en: 'What about', de: 'Worüber' },
  source: { en: 'Where do the events come from?', de: 'Woher kommen die Ereignisse?' },
  CATALOG: { en: 'The catalog', de: 'Vom Katalog' },
  catalogHelp: {
    en: 'Items change, jobs end, exports are ready',
    de: 'Artikel ändern sich, Aufträge enden, Exporte sind fertig',
  },
  OMS: { en: 'Your order management', de: 'Von Ihrer Auftragsverwaltung' },
  omsHelp: {
    en: 'Orders, shipments and more, which you emit by the API',
    de: 'Bestellungen, Sendungen und mehr, die Sie über die API senden',
  },
  other: { en: 'Another service', de: 'Von einem anderen Dienst' },
  otherHelp: { en: 'Of yours; its name ends in _SERVICE', de: 'Einem eigenen; sein Name endet auf _SERVICE' },
  service: { en: 'Name of the service', de: 'Name des Dienstes' },
  events: { en: 'Events', de: 'Ereignisse' },
  every: { en: 'All events of this source', de: 'Alle Ereignisse dieser Quelle' },
  ownEvents: { en: 'Other events', de: 'Andere Ereignisse' },
  ownHelp: {
    en: 'Names of your own, such as ORDER_RETURNED, separated by commas',
    de: 'Eigene Namen wie ORDER_RETURNED, durch Kommas getrennt',
  },
  more: { en: 'More settings', de: 'Weitere Einstellungen' },
  isOrdered: { en: 'Keep the order', de: 'Reihenfolge einhalten' },
  orderedHelp: {
    en: 'Events of one order or document arrive one after the other. One that fails keeps the later ones back.',
    de: 'Ereignisse einer Bestellung oder eines Belegs kommen nacheinander an. Eines, das scheitert, hält die späteren zurück.',
  },
  rateLimit: { en: 'At most so many requests a second', de: 'Höchstens so viele Aufrufe je Sekunde' },
  rateHelp: { en: 'Empty: as fast as the endpoint answers', de: 'Leer: so schnell, wie der Endpunkt antwortet' },
  targetApiKey: { en: 'Key that your server asks for', de: 'Schlüssel, den Ihr Server verlangt' },
  keyHelp: {
    en: 'Sent as x-api-key. It is stored encrypted and shown masked.',
    de: 'Wird als x-api-key gesendet. Er wird verschlüsselt gespeichert und nur maskiert gezeigt.',
  },
  callbackUrl: { en: 'Address to call when it fails', de: 'Adresse, die bei Störungen aufgerufen wird' },
  callbackHelp: {
    en: 'Told when a delivery has failed for good or the webhook is switched off',
    de: 'Erfährt, wenn eine Zustellung endgültig gescheitert ist oder der Webhook ausgeschaltet wird',
  },
  collectHours: {
    en: 'Hours that events are kept while it is off',
    de: 'Stunden, die Ereignisse im ausgeschalteten Zustand aufgehoben werden',
  },
  collectHelp: {
    en: '0 to 168; they are sent when it is on again',
    de: '0 bis 168; sie werden gesendet, wenn er wieder an ist',
  },
});

interface DefinitionFormProps {
  readonly typed: Typed<DefinitionValues>;
  readonly submitText: string;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly onSubmit: (values: DefinitionValues) => void;
  /** What stands above the button. */
  readonly warning?: ReactNode;
  /** What stands beside the button. */
  readonly children?: ReactNode;
}

const OTHER = 'OTHER';

export function DefinitionForm(props: DefinitionFormProps) {
  const { typed, submitText, isBusy, error, onSubmit, warning, children } = props;
  const t = useText();
  const eventText = useEventText();
  const { values, set } = typed;
  const { data: known = [] } = useKnownEvents();
  const source = values.source === 'CATALOG' || values.source === 'OMS' ? values.source : OTHER;
  const names = known.filter((one) => one.source === source).map(({ event }) => event);
  const isEvery = values.events.includes('*');
  const wrong = fieldProblems(error);
  return (
    <Form
      className="form webhook-form"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(values);
      }}
    >
      <TypedNote typed={typed} />
      <Section title={t('where')}>
        <TextInput
          label={t('target')}
          help={t('targetHelp')}
          error={wrong.get('target')}
          value={values.target}
          onChange={(target) => set({ target })}
          type="url"
          isRequired
          autoFocus
        />
      </Section>
      <Section title={t('what')}>
        <RadioCards
          label={t('source')}
          value={source}
          onChange={(chosen) =>
            set({ source: chosen === OTHER ? '' : chosen, events: chosen === OTHER ? ['*'] : [], ownEvents: '' })
          }
          choices={[
            { value: 'CATALOG', label: t('CATALOG'), help: t('catalogHelp') },
            { value: 'OMS', label: t('OMS'), help: t('omsHelp') },
            { value: OTHER, label: t('other'), help: t('otherHelp') },
          ]}
        />
        {source === OTHER ? (
          <TextInput
            label={t('service')}
            error={wrong.get('source')}
            value={values.source}
            onChange={(service) => set({ source: service })}
            isRequired
          />
        ) : null}
        <SwitchInput label={t('every')} isOn={isEvery} onChange={(isOn) => set({ events: isOn ? ['*'] : [] })} />
        {isEvery ? null : (
          <>
            {names.length === 0 ? null : (
              <Checks
                label={t('events')}
                choices={names.map((name) => ({ id: name, label: name, help: eventText(name) }))}
                value={values.events}
                onChange={(events) => set({ events })}
              />
            )}
            {source === 'CATALOG' ? null : (
              <TextInput
                label={t('ownEvents')}
                help={t('ownHelp')}
                value={values.ownEvents}
                onChange={(ownEvents) => set({ ownEvents })}
              />
            )}
          </>
        )}
      </Section>
      <details className="more">
        <summary>{t('more')}</summary>
        <div className="form">
          <SwitchInput
            label={t('isOrdered')}
            help={t('orderedHelp')}
            isOn={values.isOrdered}
            onChange={(isOrdered) => set({ isOrdered })}
          />
          {MORE.map(({ name, help, mode }) => (
            <TextInput
              key={name}
              label={t(name)}
              help={t(help)}
              error={wrong.get(name)}
              value={values[name]}
              onChange={(value) => set({ [name]: value })}
              inputMode={mode}
              isSecret={name === 'targetApiKey'}
              autoComplete="off"
            />
          ))}
        </div>
      </details>
      {error === undefined ? null : <ErrorPanel error={error} />}
      {warning}
      <div className="actions">
        <Button type="submit" kind="primary" isPending={isBusy}>
          {submitText}
        </Button>
        {children}
      </div>
    </Form>
  );
}

const MORE = [
  { name: 'targetApiKey', help: 'keyHelp', mode: 'text' },
  { name: 'rateLimit', help: 'rateHelp', mode: 'numeric' },
  { name: 'callbackUrl', help: 'callbackHelp', mode: 'url' },
  { name: 'collectHours', help: 'collectHelp', mode: 'numeric' },
] as const;

/** The events that Longshore emits itself, or that have names in advance. */
export function useKnownEvents() {
  const api = useApi();
  return useQuery({
    queryKey: ['event-types'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => api.listEventTypes({}, { signal }),
  });
}
