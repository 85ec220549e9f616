/** Rows with deliberate errors, as they occur in files of suppliers. */
import { TITLE_CHARACTERS } from './attributes.mjs';
import { cellsOf, csvLine, HEADER, lineWithRawCell, withCell } from './csv.mjs';
import { inventProduct } from './products.mjs';

/** The rows of a supplier whose spreadsheet writes decimal commas. */
const DECIMAL_COMMAS = 12;

/**
 * @param next returns the number of the next product
 * @param known a product that the JSON requests create
 * @returns rows `{line, problems: [{code, column}], product}`; `product` is what is stored once the row is corrected
 */
export function inventBadRows(random, leaves, next, known) {
  const product = (prefix) => {
    const leaf = leaves.find((one) => one.prefix === prefix);
    const invented = inventProduct(random, leaf, next());
    delete invented.values.Active;
    invented.values.Price ??= 19.9;
    return invented;
  };
  const rows = [];
  const add = (line, problems, corrected) => rows.push({ line, problems, product: corrected });
  /** Adds a row with one wrong cell. */
  const spoil = (one, column, cell, code, corrected = {}) => {
    add(csvLine(withCell(cellsOf(one), column, cell)), [{ code, column }], {
      ...one,
      values: { ...one.values, ...corrected },
    });
  };

  for (let index = 0; index < DECIMAL_COMMAS; index++) {
    const one = product('PLI');
    spoil(one, 'Price', one.values.Price.toFixed(2).replace('.', ','), 'VALUE_TYPE');
  }
  const thousands = product('MOW');
  spoil(thousands, 'Price', '1.249,00', 'VALUE_TYPE', { Price: 1249 });
  spoil(product('SSD'), 'Stock', 'on request', 'VALUE_TYPE', { Stock: undefined });
  spoil(product('HDD'), 'Stock', '-3', 'VALUE_RANGE', { Stock: 0 });
  spoil(product('LAP'), 'Release Date', '31.02.2024', 'VALUE_TYPE', { 'Release Date': '2024-02-29' });
  spoil(product('DES'), 'Release Date', '31.11.2023', 'VALUE_TYPE', { 'Release Date': '2023-11-30' });
  for (const [prefix, colour, meant] of [
    ['DRI', 'Gray', 'Grey'],
    ['SAN', 'grey ', 'Grey'],
    ['GRI', 'Bleu', 'Blue'],
    ['JIG', 'Antracite', 'Anthracite'],
  ]) {
    spoil(product(prefix), 'Colour', colour, 'VALUE_NOT_IN_OPTIONS', { Colour: meant });
  }
  spoil(product('SCD'), 'Brand', 'Bjorn Verktyg', 'VALUE_NOT_IN_OPTIONS', { Brand: 'Björn Verktyg' });
  spoil(product('SSD'), 'Category Node', 'Storage->Solid State Drivs', 'NODE_NOT_FOUND');
  spoil(product('GPU'), 'Category Node', 'Computers->Graphics Cards', 'NODE_NOT_FOUND');
  spoil(product('LED'), 'Category Node', 'Electrical->Lightning->LED Bulbs', 'NODE_NOT_FOUND');
  spoil(product('WSC'), 'Category Node', 'Fasteners->Screws', 'NODE_NOT_LEAF');
  spoil(product('ROU'), 'Category Node', 'Network', 'NODE_NOT_LEAF');
  spoil(product('HAM'), 'Thread', 'M8', 'ATTRIBUTE_NOT_ASSIGNED');
  spoil(product('CAB'), 'Screen Size', '24', 'ATTRIBUTE_NOT_ASSIGNED');

  const spaced = product('TVS');
  spoil(spaced, 'GTIN', spaced.values.GTIN.replace(/^(\d)(\d{6})/, '$1 $2 '), 'VALUE_PATTERN');
  spoil(product('MON'), 'Resolution', '3840 x 2160', 'VALUE_PATTERN', { Resolution: '3840x2160' });
  spoil(product('BAT'), 'GTIN', known.values.GTIN, 'VALUE_NOT_UNIQUE', { GTIN: undefined });
  spoil(product('PSU'), 'Parent SKU', 'PSU-NO-SUCH', 'PARENT_NOT_FOUND');

  const wordy = product('HOS');
  const tooLong = `${wordy.values.Title} – ${'drinking water proof, kink free, UV resistant, '.repeat(3)}`;
  spoil(wordy, 'Title', tooLong, 'VALUE_TOO_LONG', { Title: tooLong.slice(0, TITLE_CHARACTERS).trim() });

  const untitled = product('NAI');
  const { Brand, 'Manufacturer Part': part } = untitled.values;
  spoil(untitled, 'Title', '', 'ATTRIBUTE_REQUIRED', { Title: `${Brand} ${part}` });

  const nameless = product('ANC');
  add(csvLine(withCell(cellsOf(nameless), 'SKU', '')), [{ code: 'SKU_REQUIRED', column: 'SKU' }], {
    ...nameless,
    sku: nameless.values['Manufacturer Part'],
  });

  const twice = product('HED');
  const cells = withCell(withCell(cellsOf(twice), 'Price', '129,95'), 'Colour', 'Gren');
  const problems = [
    { code: 'VALUE_TYPE', column: 'Price' },
    { code: 'VALUE_NOT_IN_OPTIONS', column: 'Colour' },
  ];
  add(csvLine(cells), problems, { ...twice, values: { ...twice.values, Price: 129.95, Colour: 'Green' } });

  const split = product('DRI');
  split.values.Title = `${split.values.Brand} Hammer Drill, 650 W, with case`;
  add(lineWithRawCell(cellsOf(split), 'Title'), [{ code: 'ROW_FIELD_COUNT', column: null }], split);

  // The last cells of this row are empty, so that no value is lost.
  const cut = product('USB');
  const kept = cellsOf(cut).slice(0, HEADER.indexOf('Material'));
  add(csvLine(kept), [{ code: 'ROW_FIELD_COUNT', column: null }], cut);

  const quoted = product('WRE');
  quoted.values.Title = `"${quoted.values.Brand}" Wrench, chrome`.replace(', ', ' ');
  add(lineWithRawCell(cellsOf(quoted), 'Title'), [{ code: 'INVALID_TEXT', column: 'Title' }], quoted);
  return rows;
}
