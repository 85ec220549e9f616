/** What was judged wrongly of files that shop systems and programs of DOS have written. */
import assert from 'node:assert/strict';
import iconv from 'iconv-lite';
import { inspect } from './inspect-fixture.js';

const table = (header: string, row: (number: number) => string, rows = 20) =>
  `${[header, ...Array.from({ length: rows }, (_, number) => row(number))].join('\n')}\n`;

describe('files of shop systems', () => {
  it('are stock or prices if all else are remarks that are not imported', async () => {
    const stock = await inspect(
      table('ordernumber;instock;_additionaltext;_supplier;_price', (n) => `SW${n};${n * 5};1,5 Liter;Acme;14.95`),
    );
    assert.deepEqual([stock.kind.value, stock.kind.rivals], ['stock', ['orders']]);
    const prices = await inspect(
      table('ordernumber;price;pricegroup;from;_name;_supplier', (n) => `SW${n};${n},99;EK;1;Korn;Acme`),
    );
    assert.equal(prices.kind.value, 'prices');
  });

  it('may be categories if they have levels or numbers of categories, and parents', async () => {
    const trees = [
      table('id;parent_id;active;level;type;visible;name;media_url', (n) => `c${n};c0;1;2;page;1;Name ${n};`),
      table('Category ID,Active (0/1),Name *,Parent category,Image URL', (n) => `${n},1,Name ${n},Home,`),
      table(
        'categoryId;parentID;description;position;metatitle;cmstext;template;active;blog;external;hidefilter',
        (n) => `${n};1;Name ${n};0;;;;1;;;`,
      ),
    ];
    for (const tree of trees) {
      const { kind } = await inspect(tree);
      assert.deepEqual([kind.value, kind.verdict, kind.rivals], ['categories', 'likely', ['items']], tree);
    }
    const items = await inspect(table('id;parent_id;sku;level;name;price', (n) => `${n};1;S${n};2;Name ${n};9.99`));
    assert.equal(items.kind.value, 'items');
    for (const header of [
      'sku;parent sku;name;category id;description;color;size;material',
      'SKU;Parent SKU;Title;Category ID;Image;Brand;Color;Size;Weight',
      'sku;parent;level;name;description;color;size;gtin',
    ]) {
      const width = header.split(';').length;
      const { kind } = await inspect(table(header, (n) => Array.from({ length: width }, () => `v${n}`).join(';')));
      assert.deepEqual([kind.value, kind.verdict], ['items', 'certain'], header);
    }
  });

  it('are stock or prices in further languages as well', async () => {
    const headers: readonly (readonly [kind: string, header: string])[] = [
      ['stock', 'Артикул;Остаток'],
      ['prices', 'Артикул;Цена'],
      ['stock', 'Cikkszám;Raktárkészlet'],
      ['prices', 'Cod produs;Preț'],
      ['stock', 'Varenummer;Lagersaldo'],
      ['prices', 'Tuotenumero;Hinta'],
      ['stock', 'Mã sản phẩm;Tồn kho'],
      ['prices', 'מק"ט;מחיר'],
      ['stock', 'رمز المنتج;المخزون'],
      ['prices', 'รหัสสินค้า;ราคา'],
      ['stock', 'ürün kodu;Stok'],
    ];
    for (const [wanted, header] of headers) {
      const { kind } = await inspect(table(header, (n) => `SW${n};${n * 5}`));
      assert.deepEqual([kind.value, kind.verdict], [wanted, 'certain'], `${header}: ${kind.reason}`);
    }
    const { kind } = await inspect(
      table('Артикул;Название;Цена;Склад;Описание', (n) => `A${n};Рубашка ${n};${n};хлопок;x`),
    );
    assert.deepEqual([kind.value, kind.verdict], ['items', 'certain']);
  });

  it('are read in the encoding of DOS, as found and as it is said', async () => {
    const words = ['Zubehör', 'Schlösser für Türen', 'Größe M', 'Schläuche', 'Räder', 'Maß 5'];
    const text = table('Nummer;Bezeichnung;Preis', (n) => `A${n};${words[n % words.length]};${n},50`);
    const bytes = iconv.encode(text, 'cp850');
    for (const options of [{}, { options: { encoding: 'cp850' } }]) {
      const { format, sample } = await inspect(bytes, options);
      assert.equal(format.encoding.value, 'ibm850', format.encoding.reason);
      assert.equal(sample[0]?.cells[1], 'Zubehör');
    }
    const few = await inspect(iconv.encode(text.replaceAll(/[üßÖÄ]/g, 'u'), 'cp850'));
    assert.notEqual(few.format.encoding.verdict, 'certain', 'of its letters, all are quotes in Windows');
  });

  it('are not read in it where they have no more than the signs of Windows', async () => {
    for (const sign of [
      'the shirt\u2026 and more',
      '\u201eguten\u201c Tag',
      '\u201ax\u2018',
      '5\u00a0cm',
      'Size\u00a0M',
    ]) {
      for (const every of [1, 300]) {
        const text = table('sku;name', (n) => `A${n};${n % every === 0 ? sign : 'the shirt and more'}`, 300);
        const { encoding } = (await inspect(iconv.encode(text, 'cp1252'))).format;
        const found = [encoding.value, encoding.verdict, encoding.rivals.includes('ibm850')];
        assert.deepEqual(found, ['windows-1252', 'certain', false], `${sign}: ${encoding.reason}`);
      }
    }
  });

  it('are read in the encodings of Hebrew, Arabic, Thai, of older Macs and of DOS', async () => {
    const files: readonly [encoding: string, header: string, ...words: string[]][] = [
      ['windows-1255', 'שם המוצר', 'חולצה אדומה', 'מכנסיים', 'נעלי ספורט', 'כובע קיץ', 'שמלה ארוכה'],
      ['windows-1256', 'اسم المنتج', 'قميص أحمر', 'بنطلون أزرق', 'حذاء رياضي', 'قبعة صيفية'],
      ['windows-874', 'ชื่อสินค้า', 'เสื้อสีแดง', 'กางเกงยีนส์', 'รองเท้ากีฬา', 'หมวกฤดูร้อน'],
      ['ibm866', 'Название', 'Рубашка красная', 'Брюки синие', 'Кроссовки летние', 'Шапка зимняя'],
      ['ibm852', 'Nazwa', 'Żółta koszulka', 'Buty zimowe świąteczne', 'Rękawiczki', 'Spódnica długa'],
      ['macintosh', 'Größe', 'Größe M Schürze', 'Schlüssel für Türen', 'Zubehör', 'Fußbälle'],
      ['macintosh', 'Désignation', 'Chaussures été', 'Vêtements forêt', 'Écharpe à carreaux', 'Théière'],
    ];
    for (const [encoding, header, ...words] of files) {
      const text = table(`SKU;${header};Preis`, (n) => `A${n};${words[n % words.length]};${n},50`);
      const { format, columns, sample } = await inspect(iconv.encode(text, encoding));
      assert.equal(format.encoding.value, encoding, format.encoding.reason);
      assert.deepEqual([columns[1]?.name, sample[0]?.cells[1]], [header, words[0]]);
    }
    // A few accents or signs are those of the West, whatever other encodings make of them.
    for (const cell of ['créée', 'Größe', '12 °C', '5 €']) {
      const { encoding } = (
        await inspect(
          iconv.encode(
            table('sku;name', (n) => `A${n};${cell}`),
            'cp1252',
          ),
        )
      ).format;
      assert.deepEqual([encoding.value, encoding.verdict], ['windows-1252', 'certain'], encoding.reason);
    }
  });

  it('are said to be encoded twice, and to have signs for spreadsheets around codes', async () => {
    const twice = iconv.decode(Buffer.from('Größe für Käse, 5 €'), 'cp1252');
    const { format, columns } = await inspect(
      table('sku;name;ean;plz', (n) => `A${n};${twice};="40063813339${n}";'0${1000 + n}`),
    );
    assert.deepEqual([format.encoding.value, format.encoding.verdict], ['utf-8', 'likely']);
    assert.match(
      format.encoding.reason,
      /encoded twice, such as "GrÃ¶ÃŸe", and are imported so: export the file again/,
    );
    for (const index of [2, 3]) {
      const { type } = columns[index] as (typeof columns)[number];
      assert.deepEqual([type.value, type.verdict], ['text', 'likely']);
      assert.match(type.reason, /signs for a spreadsheet around them, such as ".+" in row 2, .* export the file again/);
    }
    const { format: plain } = await inspect(table('sku;name', (n) => `A${n};Ação Ânimo Größe ${n}`));
    assert.equal(plain.encoding.verdict, 'certain');
  });
});
