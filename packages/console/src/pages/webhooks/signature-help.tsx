/** Explains how a receiver checks that a request comes from Longshore, and tries it on a request that was received. */
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs';
import { Section } from '../../components/content.js';
import { Code, CopyButton } from '../../components/copied.js';
import { type Column, DataTable } from '../../components/table.js';
import { textsOf } from '../../texts/texts.js';
import { SAMPLES } from './signature-samples.js';
import { SignatureTrial } from './signature-trial.js';

const useText = textsOf('webhook-signature-help', {
  headers: { en: 'Three headers of each request', de: 'Drei Kopfzeilen jedes Aufrufs' },
  name: { en: 'Header', de: 'Kopfzeile' },
  means: { en: 'What it says', de: 'Was sie sagt' },
  id: {
    en: 'The id of the event, the same in every attempt: ignore ids that you have seen.',
    de: 'Die Kennung des Ereignisses, in jedem Versuch dieselbe: Übergehen Sie Kennungen, die Sie schon hatten.',
  },
  timestamp: {
    en: 'When it was sent, in seconds since 1970. Refuse what is more than five minutes off.',
    de: 'Wann gesendet wurde, in Sekunden seit 1970. Lehnen Sie ab, was mehr als fünf Minuten abweicht.',
  },
  signature: {
    en: 'v1, and the signature as base64; two of them, with a space between, for a day after a new secret.',
    de: 'v1, und die Signatur als Base64; einen Tag lang nach einem neuen Geheimnis zwei, durch ein Leerzeichen getrennt.',
  },
  how: { en: 'How it is checked', de: 'So wird geprüft' },
  step1: {
    en: 'Take the body as it arrived, byte for byte, before it is parsed.',
    de: 'Nehmen Sie den Inhalt, wie er ankam, Byte für Byte, bevor er gelesen wird.',
  },
  step2: {
    en: 'Put the id, a dot, the time, a dot and the body behind each other.',
    de: 'Setzen Sie Kennung, Punkt, Zeit, Punkt und Inhalt hintereinander.',
  },
  step3: {
    en: 'Compute HMAC-SHA256 of it. The key is the secret without whsec_, decoded from base64.',
    de: 'Berechnen Sie davon HMAC-SHA256. Der Schlüssel ist das Geheimnis ohne whsec_, aus Base64 gelesen.',
  },
  step4: {
    en: 'One of the signatures in the header has to be the same.',
    de: 'Eine der Signaturen in der Kopfzeile muss dieselbe sein.',
  },
  standard: {
    en: 'It is the way of Standard Webhooks: there are libraries for most languages.',
    de: 'Es ist das Verfahren von Standard Webhooks: Für die meisten Sprachen gibt es Bibliotheken.',
  },
  program: { en: 'A program without any package', de: 'Ein Programm ohne weitere Pakete' },
  language: { en: 'Language of the program', de: 'Sprache des Programms' },
});

const HEADERS = [
  { name: 'webhook-id', means: 'id' },
  { name: 'webhook-timestamp', means: 'timestamp' },
  { name: 'webhook-signature', means: 'signature' },
] as const;

export function SignatureHelp() {
  const t = useText();
  const columns: readonly Column<(typeof HEADERS)[number]>[] = [
    { id: 'name', title: t('name'), isHeader: true, cell: ({ name }) => <span className="code">{name}</span> },
    { id: 'means', title: t('means'), cell: ({ means }) => t(means) },
  ];
  return (
    <>
      <Section title={t('headers')}>
        <DataTable caption={t('headers')} columns={columns} rows={HEADERS} keyOf={({ name }) => name} />
      </Section>
      <Section title={t('how')} note={t('standard')}>
        <ol className="steps">
          {(['step1', 'step2', 'step3', 'step4'] as const).map((step) => (
            <li key={step}>{t(step)}</li>
          ))}
        </ol>
      </Section>
      <Section title={t('program')}>
        <Tabs className="tabs">
          <TabList className="tab-list" aria-label={t('language')}>
            {SAMPLES.map(({ id, title }) => (
              <Tab key={id} id={id} className="tab">
                {title}
              </Tab>
            ))}
          </TabList>
          {SAMPLES.map(({ id, title, text }) => (
            <TabPanel key={id} id={id}>
              <Code label={title} text={text} actions={<CopyButton text={text} what={title} />} />
            </TabPanel>
          ))}
        </Tabs>
      </Section>
      <SignatureTrial />
    </>
  );
}
