/**
 * The program that guesses encodings: a process of its own, because the models of languages take 45 MB that are never given
 * back, and twice as much while they are unpacked. It ends with the channel to the process that has started it.
 */
import { detectAll } from 'jschardet';
import type { EncodingGuess, EncodingQuestion } from './guess-encodings.js';

process.on('message', ({ id, sample, allowed }: EncodingQuestion) => {
  const found = detectAll(sample, { detectEncodings: [...allowed], minimumThreshold: 0 });
  const guesses = found.map(({ encoding, confidence }): EncodingGuess => ({ encoding: encoding ?? '', confidence }));
  process.send?.({ id, guesses });
});
process.once('disconnect', () => process.exit());
