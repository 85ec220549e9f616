/** Says that a page waits for an answer: without it, a page of which nothing has come yet looks empty. It is loaded after the page. */
import { type Query, useIsFetching } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Progress } from '../components/content.js';
import { textsOf } from '../texts/texts.js';

const useText = textsOf('loading', {
  loading: { en: 'Waiting for an answer', de: 'Auf Antwort wird gewartet' },
});

/** What is answered sooner is not announced: it would only flicker. */
const SOON_MS = 400;

const isNew = ({ state }: Query) => state.data === undefined;

export function Loading() {
  const t = useText();
  const isWaiting = useIsFetching({ predicate: isNew }) > 0;
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    if (!isWaiting) return setLong(false);
    const timer = setTimeout(() => setLong(true), SOON_MS);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  if (!(isWaiting && isLong)) return null;
  return (
    <div className="loading">
      <Progress label={t('loading')} share={undefined} />
    </div>
  );
}
