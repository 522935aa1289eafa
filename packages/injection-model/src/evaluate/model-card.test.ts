import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readDescription, WEIGHTS_FOLDER } from '../train/weights-file.ts'
import { MODEL_CARD } from './model-card.ts'

test('the scores in the model card are those of the published weights', () => {
  expect(readFileSync(MODEL_CARD, 'utf8')).toContain(`Weights ${readDescription(WEIGHTS_FOLDER).sha256}.`)
})
