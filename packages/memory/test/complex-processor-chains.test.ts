// The plan's tests of whole chains, under its names: see docs/tests-of-the-plan.md for what each is adapted to.
import {
  Agent,
  type Message,
  type ProcessInputArgs,
  type Processor,
  TripWire,
  textOfParts,
} from '@millrace/core'
import { ModerationProcessor } from '@millrace/guards/moderation'
import { PromptInjectionDetector } from '@millrace/guards/prompt-injection'
import { PIIDetector } from '@millrace/pii'
import { LargeMessageSummarizer } from '@millrace/steering/large-message-summarizer'
import { ScriptedModel } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { countTokens, TokenLimiterProcessor } from '@millrace/tokens'
import { describe, expect, test } from 'vitest'
import { Memory } from '../src/index.ts'
import { INJECTION, LONG_STORY } from './said.ts'
import { lines } from './texts.ts'
import { watchStore } from './watched-store.ts'

expect.extend(matchers)

describe('Complex Processor Chains', () => {
  test('custom processor + memory processors', async () => {
    class CustomValidator implements Processor {
      readonly id = 'custom-validator'

      processInput({ messages }: ProcessInputArgs): Message[] {
        if (lines(messages).some((line) => line.includes('[restricted topic]'))) {
          throw new TripWire('Restricted topic')
        }
        return messages
      }
    }

    const { storage, calls } = watchStore()
    const memory = new Memory({ storage, lastMessages: 10 })
    const agent = new Agent({
      model: new ScriptedModel(['Fine.']),
      inputProcessors: [new CustomValidator(), ...memory.getInputProcessors()],
    })
    const result = await agent.generate('[restricted topic]')
    expect(result).toHaveTripped({ processorId: 'custom-validator', reason: 'Restricted topic' })
    expect(calls).toEqual([])
    // What is allowed gets to the memory; its input half alone loads and saves nothing.
    await agent.generate('Anything else')
    expect(calls).toEqual(['listMessages'])
  })

  test('multiple memory features with guardrails', async () => {
    const { storage, calls } = watchStore()
    const memory = new Memory({
      storage,
      lastMessages: 2,
      semanticRecall: true,
      workingMemory: { template: 'Topic: {{topic}}', model: notes('lighthouses') },
    })
    await memory.saveMessages([
      { role: 'user', content: 'Tell me about lighthouses' },
      { role: 'assistant', content: 'The lighthouse of Exampleville is 40 metres high.' },
      { role: 'user', content: 'Thanks' },
      { role: 'assistant', content: 'You are welcome.' },
    ])
    const model = new ScriptedModel(['Hello! Write to ada@example.com.', 'Forty metres.'])
    const agent = new Agent({
      model,
      inputProcessors: [
        new PromptInjectionDetector(),
        new ModerationProcessor(),
        ...memory.getInputProcessors(),
      ],
      outputProcessors: [new PIIDetector(), new TokenLimiterProcessor(1000), ...memory.getOutputProcessors()],
    })

    // 1. Input was validated before memory access
    calls.length = 0
    expect((await agent.generate(INJECTION)).tripwire).toBe(true)
    expect(calls).toEqual([])

    await agent.generate('Hello')
    await agent.generate('How high is the lighthouse?')
    const prompt = model.lastPrompt
    const sections = prompt.map((message) => JSON.stringify(message.content))
    // 2. History was fetched correctly
    expect(sections.at(-3)).toContain('Hello')
    expect(sections.at(-2)).toContain('Hello! Write to')
    expect(prompt.at(-1)).toMatchObject({ content: [{ text: 'How high is the lighthouse?' }] })
    // 3. Semantic search worked
    expect(sections.slice(0, -3).join()).toContain('40 metres high')
    // 4. Working memory was injected
    expect(sections.slice(0, -3).join()).toContain('lighthouses')
    // 5. Output was cleaned before saving
    expect(lines(await memory.getMessages()).slice(-4)).toEqual([
      'user: Hello',
      'assistant: Hello! Write to ***@***.***.',
      'user: How high is the lighthouse?',
      'assistant: Forty metres.',
    ])
    // 6. Working memory was extracted from clean output
    await agent.close()
    expect(await memory.getWorkingMemory()).toEqual({ topic: 'lighthouses' })
  })

  test('processor order affects final output', async () => {
    const saved1 = await savedBy((memory) => [
      ...memory.getOutputProcessors(),
      new LargeMessageSummarizer({ maxLength: 100 }),
    ])
    const saved2 = await savedBy((memory) => [
      new LargeMessageSummarizer({ maxLength: 100 }),
      ...memory.getOutputProcessors(),
    ])
    expect(await countTokens(saved1)).toBeGreaterThan(50)
    expect(await countTokens(saved2)).toBeLessThanOrEqual(50)
    // The limiter cuts the stream itself, so wherever it stands nobody gets more.
    const limited = await savedBy((memory) => [
      ...memory.getOutputProcessors(),
      new TokenLimiterProcessor(50),
    ])
    expect(await countTokens(limited)).toBeLessThanOrEqual(50)
  })
})

type Chain = ConstructorParameters<typeof Agent>[0]['outputProcessors']

async function savedBy(chain: (memory: Memory) => Chain): Promise<string> {
  const memory = new Memory({})
  const outputProcessors = chain(memory) ?? []
  const agent = new Agent({ model: new ScriptedModel([LONG_STORY]), outputProcessors })
  await agent.generate('Write a long response')
  const [, answer] = await memory.getMessages()
  return textOfParts(answer?.content.parts ?? [])
}

/** A model that always notes the same topic. */
function notes(topic: string): ScriptedModel {
  return new ScriptedModel(() => JSON.stringify({ topic }))
}
