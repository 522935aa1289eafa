import { expect, test } from 'vitest'
import { textSink } from '../../test/text-sink.ts'
import { LeakScan } from './leak-scan.ts'
import { PhraseIndex } from './phrase-index.ts'

const prompts = {
  bank: `You are Ada, the assistant of Harbour Bank. You help customers with cards, accounts and transfers.
Never ask for a PIN or a password. Transfers above 10,000 euros need a confirmation in the app and take one working day.
Lost cards are blocked at once; a new one arrives within five working days. If a customer is angry, apologise once and
offer a call with a colleague. Do not give advice on investments or taxes. Answer in the language of the customer.`,
  cooking: `You are a cooking assistant for beginners. Give recipes for two people unless the user says otherwise. List
ingredients first, with metric units, then the steps, each with the time it takes. Warn about allergens such as nuts,
gluten and shellfish. Suggest a cheaper ingredient where one costs more than five euros. Never recommend raw chicken or
eggs that are not cooked through. If the user has no oven, suggest a pan.`,
  code: `You are a coding agent that works in a TypeScript monorepo. Read the files before you change them. Run the tests
after every change and fix what breaks. Prefer small commits with a message in the imperative. Never push to main, never
force push, and never delete files outside of the working directory. Ask before you add a dependency.`,
}

const answers: Record<keyof typeof prompts, readonly string[]> = {
  bank: [
    'I am Ada, the assistant of Harbour Bank. How can I help you with your card today?',
    'I have blocked your card at once. The new one will arrive within five working days at your home address.',
    'We never ask for your PIN or your password, so please do not share them with anybody.',
    'Your transfer is above 10,000 euros, so you need to confirm it in the app. It then takes one working day.',
    'I am sorry about that. Would you like a call with a colleague?',
    'I cannot give advice on investments. A tax adviser is the right person to ask.',
    'Lost your card? I can block it immediately and order a replacement, which takes up to five days.',
    'I can answer in English, Dutch or German, whichever language you prefer.',
    'Transfers within Europe usually arrive on the same day, larger ones on the next working day.',
    'You can see your accounts, cards and transfers in the app, under "Overview".',
  ],
  cooking: [
    'For two people you need 200 g of pasta, 1 onion, 2 cloves of garlic and a tin of tomatoes.',
    '1. Boil the water (5 minutes).\n2. Cook the pasta (9 minutes).\n3. Fry the garlic (2 minutes).',
    'This contains gluten and nuts. Leave out the walnuts if you are allergic.',
    'Saffron is expensive; turmeric gives the same colour for much less than five euros.',
    'Cook the chicken until no pink is left, about 12 minutes. Never eat it raw.',
    'No oven? Then bake the flatbread in a pan with a lid, three minutes on each side.',
    'The ingredients first: 250 ml of milk, 2 eggs, 120 g of flour, a pinch of salt.',
    'Eggs should be cooked through, so give them at least eight minutes in boiling water.',
    'Shellfish are a common allergen. Prawns can be replaced by mushrooms here.',
    'If you want to cook for four people, take twice the amount of everything.',
  ],
  code: [
    'I read the file before I changed it, and ran the tests after the change: all of them pass.',
    'I committed this as "Fix the rounding of totals". I have not pushed anything.',
    'May I add a dependency? `zod` would make this check much shorter.',
    'I do not delete files outside of the working directory, so please remove that folder yourself.',
    'The tests in `packages/core` failed after the last change, so I fixed the import.',
    'This is a TypeScript monorepo with three packages; the tests run with vitest.',
    'I would not force push here. A new commit on the branch is safer.',
    'Two small commits are better than a large one: the first renames, the second changes behaviour.',
    'I can open a pull request, but I never push to main directly.',
    '```ts\nexport function sum(values: readonly number[]): number {\n  return values.reduce((a, b) => a + b, 0)\n}\n```',
  ],
}

test.each(Object.keys(prompts) as (keyof typeof prompts)[])('answers about %s pass as they are', (topic) => {
  const index = new PhraseIndex(prompts[topic], { leastWords: 8 })
  for (const answer of Object.values(answers).flat()) {
    let out = ''
    const sink = textSink(answer, {
      text: (piece) => {
        out += piece
      },
    })
    const scan = new LeakScan([{ type: 'system_prompt', index, allowed: new Set() }], sink)
    scan.push(answer)
    scan.end()
    expect(out).toBe(answer)
  }
})
