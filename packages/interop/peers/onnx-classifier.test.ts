import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { env, pipeline } from '@huggingface/transformers'
import { Agent } from '@millrace/core'
import { PromptInjectionDetector, pipelineClassifier } from '@millrace/guards/prompt-injection'
import { ScriptedModel } from '@millrace/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeTinyModel } from './tiny-onnx-model.ts'

const folder = mkdtempSync(join(tmpdir(), 'millrace-onnx-'))

beforeAll(() => {
  writeTinyModel(folder, ['heron', 'reeds'])
  env.allowRemoteModels = false
  env.localModelPath = dirname(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const load = () => pipeline('text-classification', basename(folder), { dtype: 'fp32', device: 'cpu' })

async function statusOf(input: string, guard: PromptInjectionDetector): Promise<string> {
  const agent = new Agent({ name: 'a', model: new ScriptedModel(['Fine.']), processors: [guard] })
  return (await agent.generate(input)).status
}

test('an ONNX model classifies, loaded with the first text or before', async () => {
  const lazy = new PromptInjectionDetector({
    classifier: pipelineClassifier(load, { attacks: ['INJECTION'] }),
  })
  expect(await statusOf('A heron stands there.', lazy)).toBe('tripwire')
  expect(await statusOf('A boat lies there.', lazy)).toBe('completed')
  const classifier = pipelineClassifier(await load(), { attacks: ['INJECTION'] })
  expect(await classifier('In the reeds.', AbortSignal.timeout(60_000))).toBeGreaterThan(0.9)
  expect(await classifier('On the hill.', AbortSignal.timeout(60_000))).toBeLessThan(0.1)
})

test('an unknown class throws, with the known ones', async () => {
  const classifier = pipelineClassifier(load, { attacks: ['JAILBREAK'] })
  await expect(classifier('A heron.', AbortSignal.timeout(60_000))).rejects.toThrow(
    /none of the classes JAILBREAK\. It has: (SAFE, INJECTION|INJECTION, SAFE)\./,
  )
})
