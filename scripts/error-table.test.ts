import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERROR_CODES } from '@millrace/core'
import { expect, test } from 'vitest'
import { root } from './published-packages.ts'

test('the page of errors lists every code with its description, in order', () => {
  const page = readFileSync(join(root, 'packages/core/docs/errors.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (.+) \|$/gm)].map(([, code, meaning]) => [code, meaning])
  expect(rows).toEqual(Object.entries(ERROR_CODES))
})
