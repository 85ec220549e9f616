/** A file of items in the columns of the platform whose interface we implement. */
import { HTML, INHERITED, importBody, tableText } from './table.mjs';

const HEADER = [
  ...['Hierarchy Node', 'SKU', 'Parent SKU', 'Title', 'Description', 'Brand', 'Price', 'Is Active', 'Image URL'],
  ...['Color', 'Size', 'Launch Date'],
];

export function otherPlatformFiles(goods) {
  return {
    'other-platform.csv': tableText(HEADER, goods.flatMap(rowsOf)),
    'other-platform.import.json': importBody(
      'other-platform',
      ATTRIBUTES,
      goods.map(({ path }) => path.join('->')),
    ),
  };
}

function rowsOf(good) {
  const category = `PRIMARY->${good.path.join('->')}`;
  const [year, month, day] = good.released.split('-');
  const product = {
    ...{ 'Hierarchy Node': category, SKU: good.code, Title: good.title, Description: good.html, Brand: good.brand },
    ...{ Price: good.price.toFixed(2), 'Is Active': good.active ? 'TRUE' : 'FALSE', 'Image URL': good.images[0] },
    'Launch Date': `${month}/${day}/${year}`,
  };
  if (Object.keys(good.options).length === 0) return [product];
  const variants = good.variants.map(({ sku, values, price }) => ({
    ...{ 'Hierarchy Node': category, SKU: sku, 'Parent SKU': good.code, Price: price.toFixed(2), 'Is Active': 'TRUE' },
    ...{ Color: values.Color, Size: values.Size },
  }));
  return [product, ...variants];
}

const ATTRIBUTES = {
  Title: INHERITED,
  Description: { ...HTML, validation: { inheritable: true } },
  Brand: INHERITED,
  Price: 'DECIMAL',
  Active: 'BOOLEAN',
  Image: { type: 'URL', validation: { inheritable: true } },
  Colour: 'TEXT',
  Size: 'TEXT',
  'Release Date': { type: 'DATETIME', validation: { inheritable: true } },
};
