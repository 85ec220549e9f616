/** Uploads in the console in a real Chromium, over a line that is cut: 64 MiB; test/long has a gigabyte. */
import { skipWithoutChromium } from '../support/worlds/test-browser.js';
import {
  goesOnByItself,
  goesOnWithOneButton,
  openUploadWorld,
  saysThatTheFileHasChanged,
  stops,
  type UploadWorld,
} from './console-upload.trials.js';

describe('an upload in the console', function () {
  this.timeout(120_000);
  let upload: UploadWorld;

  before(async function () {
    skipWithoutChromium(this);
    upload = await openUploadWorld(2 ** 26);
  });
  after(() => upload?.stop());

  it('goes on by itself where it was when the line is cut, says why, and shows how far it is', () =>
    goesOnByItself(upload));

  it('goes on with one button where it was when the line stayed cut', () => goesOnWithOneButton(upload));

  it('is streamed, and leaves nothing behind when it is stopped', () => stops(upload));

  it('says that the file was changed, rather than that the line was cut', () => saysThatTheFileHasChanged(upload));
});
