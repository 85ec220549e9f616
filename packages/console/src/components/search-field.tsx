/** What is searched for, as the address of the page says: it is changed when somebody stops typing for a moment. */
import { useEffect, useRef, useState } from 'react';
import { TextInput } from './text-input.js';

/** Whoever types is not asked after each letter. */
const TYPING_MS = 350;

interface SearchFieldProps {
  readonly label: string;
  /** What is searched for, as the address says. */
  readonly text: string;
  readonly onSearch: (text: string) => void;
}

export function SearchField({ label, text, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(text);
  const [seen, setSeen] = useState(text);
  const sent = useRef(text);
  if (text !== seen) {
    setSeen(text);
    // Somebody went back, or took the condition away; what was just asked for is already in the field.
    if (text !== sent.current) setTyped(text);
  }
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === text || wanted === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = wanted;
      onSearch(wanted);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  });
  useEffect(() => {
    sent.current = text;
  }, [text]);
  return (
    <div className="search-field">
      <TextInput label={label} type="search" value={typed} onChange={setTyped} />
    </div>
  );
}
