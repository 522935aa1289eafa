import { test } from 'vitest'
import { pipelineSvg } from './pipeline-svg.ts'
import { savePicture } from './save-picture.ts'

test('the stages of a run', () => {
  savePicture('pipeline.svg', pipelineSvg())
})
