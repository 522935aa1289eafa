import { test } from 'vitest'
import { answered, ask, openChat } from '../../apps/chat/e2e/scene.ts'
import { useBrowser } from '../e2e/browser.ts'
import { savePage } from './save-picture.ts'

useBrowser()

test.each(['light', 'dark'] as const)('a retracted answer, %s', async (colorScheme) => {
  const { page } = await openChat({ colorScheme, viewport: { width: 960, height: 640 } })
  await ask(page, 'Will my parcel come tomorrow?')
  await answered(page)
  await ask(page, 'Is there a voucher code?')
  await page.getByText('This answer was retracted.').waitFor()
  await savePage(page, `chat-retraction-${colorScheme}`)
})
