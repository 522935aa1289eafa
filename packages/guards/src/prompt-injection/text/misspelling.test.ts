import { expect, test } from 'vitest'
import { spelledOut } from './misspelling.ts'

test.each([
  ['ignroe', 'ignore'],
  ['insturctions', 'instructions'],
  ['previuos', 'previous'],
  ['isntructions', 'instructions'],
  ['pasword', 'password'],
  ['overide', 'override'],
  ['ignnore', 'ignore'],
  ['promptt', 'prompt'],
])('corrects %s to %s', (written, meant) => {
  expect(spelledOut(written)).toBe(meant)
})

test.each([
  'instruction',
  'instructions',
  'direction',
  'guideline',
  'prompt',
  'prompts',
  'region',
  'revel',
  'forge',
  'ignite',
  'passport',
  'a',
])('does not change %s', (word) => {
  expect(spelledOut(word)).toBe(word)
})
