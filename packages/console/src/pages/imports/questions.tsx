/** What the file does not decide, asked in words, with what each answer would mean. */
import { useLingui } from '@lingui/react';
import { Badge, Section } from '../../components/content.js';
import { RadioCards } from '../../components/radio-cards.js';
import { localeOf } from '../../texts/language.js';
import { textsOf } from '../../texts/texts.js';
import { dayOf, lastOfJanuary } from './day.js';
import type { Asked } from './mapping.js';
import { useReadingWords } from './reading-words.js';

const useText = textsOf('questions', {
  title: {
    en: '{count, plural, one {One question} other {# questions}} before it goes on',
    de: '{count, plural, one {Eine Frage} other {# Fragen}}, bevor es weitergeht',
  },
  note: {
    en: 'The file can be read in several ways, and nothing is guessed: say which one is right.',
    de: 'Die Datei kann auf mehrere Arten gelesen werden, und nichts wird geraten: Sagen Sie, welche stimmt.',
  },
  open: { en: 'open', de: 'offen' },
  answered: { en: 'answered', de: 'beantwortet' },
  values: {
    en: 'Is {example} in row {row} of “{column}” {readings}?',
    de: 'Ist {example} in Zeile {row} von „{column}“ {readings}?',
  },
  sameDay: {
    en: 'How are dates such as {example} in row {row} of “{column}” written?',
    de: 'Wie sind Daten wie {example} in Zeile {row} von „{column}“ geschrieben?',
  },
  sameReading: { en: 'January 31 would be {example}', de: 'Der 31. Januar wäre {example}' },
  encoding: { en: 'How are the letters of the file written?', de: 'Wie sind die Buchstaben der Datei gespeichert?' },
  delimiter: { en: 'What stands between the columns?', de: 'Was steht zwischen den Spalten?' },
  headerRow: { en: 'Which row has the names of the columns?', de: 'In welcher Zeile stehen die Namen der Spalten?' },
  sheet: { en: 'In which sheet are the rows?', de: 'In welchem Tabellenblatt stehen die Zeilen?' },
  rowPath: { en: 'Where are the rows?', de: 'Wo stehen die Zeilen?' },
  key: { en: 'Which column identifies an item?', de: 'Welche Spalte bezeichnet den Artikel?' },
  row: { en: 'Row {row}: {example}', de: 'Zeile {row}: {example}' },
  headerReading: { en: 'Row {value}', de: 'Zeile {value}' },
  tab: { en: 'A tab', de: 'Ein Tabulator' },
  keyReading: { en: 'The column “{value}”', de: 'Die Spalte „{value}“' },
});

const FILE_SUBJECTS = ['encoding', 'delimiter', 'headerRow', 'sheet', 'rowPath', 'key'] as const;

interface QuestionsProps {
  /** What the file looks like. */
  readonly kind: string | null;
  readonly asked: readonly Asked[];
  readonly onAnswer: (question: Asked, value: string) => void;
}

export function Questions({ kind, asked, onAnswer }: QuestionsProps) {
  const t = useText();
  const write = useWords(kind);
  return (
    <Section title={t('title', { count: asked.length })} note={t('note')} className="questions">
      <ol className="question-list">
        {asked.map((question) => (
          <li key={question.key} className={question.answer === undefined ? 'question open' : 'question'}>
            <RadioCards
              label={write.question(question)}
              value={question.answer ?? null}
              choices={question.readings.map((reading) => ({
                value: reading.value,
                label: write.reading(question, reading),
                help:
                  reading.example === '' || isOfValues(question)
                    ? undefined
                    : t('row', { row: reading.row, example: reading.example }),
              }))}
              onChange={(value) => onAnswer(question, value)}
            />
            <Badge tone={question.answer === undefined ? 'warn' : 'good'}>
              {t(question.answer === undefined ? 'open' : 'answered')}
            </Badge>
          </li>
        ))}
      </ol>
    </Section>
  );
}

type Reading = Asked['readings'][number];

function isOfValues({ about }: Asked): boolean {
  return about === undefined;
}

/** Whether each reading makes the same day of the cell, such as 01.01.2026: that day tells nobody how dates are written. */
function isSameDay({ about, readings }: Asked): boolean {
  if (about !== undefined || readings.length < 2) return false;
  const days = new Set(readings.map(({ example, value }) => dayOf(example, value)?.getTime()));
  return days.size === 1 && !days.has(undefined);
}

/** Questions and answers in the language that is shown; where the API has said it better, as it said it. */
function useWords(kind: string | null) {
  const t = useText();
  const words = useReadingWords(kind);
  const { i18n } = useLingui();
  const locale = localeOf(i18n.locale);
  const reading = (asked: Asked, given: Reading): string => {
    const { about } = asked;
    const { value, label, example } = given;
    if (about === 'key') return t('keyReading', { value });
    if (about === 'headerRow') return t('headerReading', { value });
    if (about === 'delimiter' && value === '\t') return t('tab');
    if (about === 'encoding' || about === 'delimiter' || about === 'sheet' || about === 'rowPath') return value;
    if (isSameDay(asked)) return t('sameReading', { example: lastOfJanuary(value) });
    const day = about === undefined ? dayOf(example, value) : undefined;
    return day === undefined
      ? (words.reading(asked, given) ?? label)
      : new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(day);
  };
  const question = (asked: Asked): string => {
    const subject = FILE_SUBJECTS.find((one) => one === asked.about);
    if (subject !== undefined) return t(subject);
    const said = words.question(asked);
    if (said !== undefined) return said;
    if (asked.about !== undefined) return asked.question;
    const [first] = asked.readings;
    const cell = { example: first?.example ?? '', row: first?.row ?? 0, column: asked.column };
    if (isSameDay(asked)) return t('sameDay', cell);
    const readings = new Intl.ListFormat(locale, { type: 'disjunction' }).format(
      asked.readings.map((one) => reading(asked, one)),
    );
    return t('values', { ...cell, readings });
  };
  return { question, reading };
}
