// A chat with the agent in the terminal.
import { stdin, stdout } from 'node:process'
import { createInterface } from 'node:readline/promises'
import { openai } from '@ai-sdk/openai'
import { createAgent } from './agent.ts'

if (!process.env.OPENAI_API_KEY) {
  console.error(
    'Set OPENAI_API_KEY, or put another model of the AI SDK into src/main.ts. Tests need no key: npm test',
  )
  process.exit(1)
}

const agent = createAgent(openai('gpt-5-mini'))
const thread = { threadId: 'terminal', resourceId: 'me' }
const terminal = createInterface({ input: stdin, output: stdout })
console.log('Ask about your orders. Ctrl+C ends.')

terminal.setPrompt('> ')
terminal.prompt()
for await (const line of terminal) {
  if (line.trim() !== '') await answer(line)
  terminal.prompt()
}

async function answer(question: string): Promise<void> {
  const run = agent.stream(question, thread)
  for await (const text of run.textStream) stdout.write(text)
  let result = await run.result
  while (result.status === 'suspended') {
    const reply = await terminal.question(`${JSON.stringify(result.suspension.payload)}\nApprove? (y/n) `)
    const decision = { approved: reply.startsWith('y'), all: true }
    const resumed = agent.resume(result.suspension.runId, decision, thread)
    for await (const text of resumed.textStream) stdout.write(text)
    result = await resumed.result
  }
  if (result.status === 'tripwire') stdout.write(`Blocked: ${result.rejection?.reason}`)
  stdout.write('\n')
}
