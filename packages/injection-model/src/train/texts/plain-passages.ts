/**
 * Passages by many hands: posts, columns, tutorials, forum answers, mails, tables; alone or with a
 * question about them. Harmless, of our own writing, none made from a template.
 */
export const PLAIN_PASSAGES: readonly string[] = [
  `Why Your Morning Is Not The Problem

Every productivity guru on the planet wants you to wake up at 5 a.m. I tried it for six months. You know what happened? I was tired at 2 p.m. instead of 4 p.m. The truth is that you don't have a morning problem. You have a priority problem. If you do not know what matters to you, an extra two hours will simply be filled with more of the same noise.

So here is what I want you to do instead. Take one sheet of paper tonight. Write down the three things you would be proud of finishing this week. Not ten. Three. Then cross out the one you only wrote down because someone else expects it from you. What is left is your week. Protect it. Say no to the meeting. Turn off the notifications. You must be willing to disappoint somebody, and let me be clear, that somebody should not be you.`,
  `Use \`shutil.rmtree\`:

\`\`\`python
import shutil
shutil.rmtree("build", ignore_errors=True)
\`\`\`

\`os.rmdir\` only works on empty directories, that's why you get the OSError. Be careful, there is no undo.`,
  `Dear Mr. Castellano,

Your new online banking profile at Prairie First Credit Union has been created. Your user ID is below. For your security, your temporary password will arrive in a separate email.

User ID: rcastellano77

Please sign in within 72 hours and choose a new password. It must have at least 10 characters, one number and one symbol. Do not share your password with anyone. Prairie First employees will never ask you for it by phone, text or email. If you did not request online access, call Member Services right away at the number on the back of your card.

Thank you for banking with us,
Member Services Team`,
  `You just need to call \`super().__init__()\` before you touch any attribute:

\`\`\`python
class Timer(Base):
    def __init__(self, seconds):
        super().__init__()
        self.seconds = seconds
\`\`\`

Without it the base class never creates \`_handlers\`, hence the AttributeError. You don't need the second class at all btw.`,
  `Step 3: Add the widget to your page

Now that your account is active, copy the following snippet and paste it right before the closing \`</body>\` tag of every page where you want the calendar to appear:

\`\`\`html
<script src="https://cdn.bookwell.example/widget.js" data-shop="YOUR_SHOP_ID" async></script>
<div id="bookwell-calendar"></div>
\`\`\`

Replace \`YOUR_SHOP_ID\` with the ID shown on your dashboard. Save the file and reload your site. You should see a blue "Book now" button in the lower right corner. If nothing shows up, open your browser's console and check for errors. The most common mistake is leaving the quotes off the shop ID. Do not include the snippet twice on one page or the calendar will load two times.`,
  `The Hendersonville Hawks opened their season Friday night with a 34-20 win over visiting Carver Tech, and they did it without their starting quarterback. Sophomore Deshawn Pruitt, who had taken exactly four varsity snaps before this week, threw for 212 yards and two touchdowns and ran for another.

"Coach told me at lunch," Pruitt said. "I didn't finish my sandwich."

Carver Tech led 13-10 at the half after a blocked punt was returned for a score. The Hawks answered with a nine-play, 80-yard drive to open the third quarter and never trailed again. Senior linebacker Cole Yancey had 11 tackles and a fumble recovery.

The Hawks travel to Mill Creek next Friday. Kickoff is at 7 p.m.

Who did not finish his sandwich and why?`,
  `| Region | Q1 | Q2 | Q3 | Q4 |
|---|---|---|---|---|
| Northeast | 412 | 398 | 441 | 502 |
| Southeast | 288 | 301 | 295 | 340 |
| Midwest | 190 | 215 | 240 | 233 |
| West | 505 | 490 | 521 | 610 |

Numbers are in thousands of dollars. Which region grew the most between Q1 and Q4 in percent? Show your math.`,
  `Hi team,

Quick recap of Tuesday's vendor call since half of you were on the plane.

- Brightpath can do the May 12 go-live, but only if we send the final user list by April 28.
- Pricing stays at $14 per seat through year two. Year three is open. Marcy will push for a cap.
- They still don't support SSO with our identity provider. Workaround is a nightly sync. Greg is not happy.
- Training: two sessions, one recorded.

Action items: Marcy – redline the contract by Friday. Greg – write up what the nightly sync would need. Me – chase the user list. Please ignore the agenda I sent Monday, it had the old dates in it.

Thanks,
Tonya`,
  `In my opinion the new phone is good but not so good like everybody say. I have it since three weeks. The screen is very beautiful, the colors is strong and I can see it in the sun. The battery it goes one day and half if I don't play. But the camera in the night make the picture yellow, and the seller told me "you must to update the software". I make the update, still yellow. Also the box come without the charger, I needed to buy it separate, this is not correct for a phone of this price. I give 3 star. If you don't take picture in the night you can buy it, otherwise wait the next model.

Summarize this review in two sentences and give the overall sentiment.`,
  `You can't do that with a regular \`forEach\`, it doesn't wait for promises. Use \`for...of\`:

\`\`\`js
for (const url of urls) {
  const res = await fetch(url)
  console.log(await res.json())
}
\`\`\`

Or if the order doesn't matter: \`await Promise.all(urls.map(load))\`.`,
  `## Installation

\`\`\`bash
npm install tidy-queue
\`\`\`

## Usage

Import the queue and add the following lines to your entry file:

\`\`\`ts
import { Queue } from 'tidy-queue'

const queue = new Queue({ concurrency: 4 })
queue.add(() => sendMail('hello'))
\`\`\`

## Options

- \`concurrency\` – how many jobs run at the same time. Default: 1.
- \`timeout\` – milliseconds before a job is rejected. Default: none.
- \`onError\` – called with the error and the job. If you do not set it, errors are thrown from \`queue.idle()\`.

## FAQ

**Does it work in the browser?** Yes.

**Can I override the default retry policy?** Pass your own function as \`retry\`. It will be called instead of the built-in one.

## License

MIT`,
  `Brothers and sisters, I want to talk to you this morning about waiting. None of us is any good at it. We stand in front of the microwave and tell it to hurry up. And yet so much of the faith we read about is people sitting in the dark, waiting on a word that has not come yet.

My grandmother planted pecan trees at seventy-nine years old. Somebody asked her, "Miss Odessa, you think you're going to eat off of those?" And she said, "No, baby, but somebody planted the ones I've been eating off of." That is what hope looks like with dirt under its fingernails. You must do the planting. You do not get to set the date of the harvest.

So this week, plant something. Forgive somebody who hasn't asked. Call the one you've been avoiding. And then wait.`,
  `Order #88213-B has shipped!

Hi Keisha, good news. Your order left our warehouse in Reno this morning.

1 x Ridgeline Trail Socks (M, gray) – $18.00
2 x Ridgeline Camp Mug (blue) – $24.00
Shipping – free
Tax – $3.47
Total charged to Visa ending in 0192 – $45.47

Carrier: SwiftParcel Ground
Tracking: SP 4471 9920 1837
Estimated delivery: Thursday, October 9

Want to change your address? It's too late for this package, sorry, but you can ask the carrier to hold it at a pickup location. Returns are free within 45 days. Just don't wear the socks outside first.`,
  `Many people think that a novel must have a likable main character. Reading "The Glass Orchard" again last month I was struck by how little its author cares for that rule. Lenore is vain, she lies to her sister, and she lets a man go to jail for something she saw with her own eyes. But the narrator never instructs us to judge. The sentences stay flat and patient, like a person wiping down a counter. It is only in the last forty pages, when the orchard itself is sold and cut, that the language begins to swell, and by then it is too late for Lenore and too late for us. The effect is devastating because it has been withheld. What the book finally argues, I think, is that attention is a form of morality, and that most of us pay it too late.

What is the critic's main claim about the style of the novel? Answer in no more than three sentences.`,
  `"You're late," said Marge without looking up from the register.

"Traffic."

"There's one road in this town, Dale."

"Well, there was a cow on it."

She did look up then. Dale had mud to the knees and a scratch across his cheek, and he was holding a length of rope with nothing at the other end.

"Do I want to know?" she asked.

"You do not. But if Sheriff Boone comes by, I've been here since eight, stocking the canned peaches."

"I don't lie to Sheriff Boone. He buys the good coffee."

Dale thought about it. He set the rope down on the counter, very gently, as if it might bite. "Then tell him the truth," he said. "Tell him I don't have his cow."

Outside, something mooed.

Continue the story for about 300 words. Keep the dialogue dry and do not explain the joke.`,
  `Subject: Your ticket #55210 has been resolved

Hello Priscilla,

We reset your account as requested. You can log on with the following details:

Username: pnwosu
Temporary password: Maple-Tractor-41

The system will ask you to change the password the first time you log on. Please don't reuse your old one. If you are connecting from home, start the VPN client before you open the portal, otherwise you will see the message "domain not available".

If this solved your issue you don't have to do anything. If not, just reply to this message and the ticket will be reopened.

IT Service Desk
Ext. 4400, Mon–Fri 7 a.m. to 6 p.m.`,
  `Five Lessons I Learned From Losing My Biggest Client

1. Never let one customer be more than 30 percent of your revenue. Mine was 61.
2. The warning signs were there. Slow replies. New faces on calls. A "quick sync" on a Friday. You have to listen to what people stop saying.
3. Your team can handle bad news. What they can't handle is finding out from somebody else. Tell them first, tell them everything, and tell them what you plan to do.
4. Don't slash your prices in a panic. I did it and I spent two years climbing back.
5. Ask for feedback after the breakup. It will sting. My client said, "You were great when things went wrong and invisible when things went right." I wrote that on a sticky note. It is still on my monitor.

If you are in that place right now: breathe, open the spreadsheet, and make the ten phone calls you don't want to make.`,
  `Photosynthesis takes place in two stages. In the light-dependent reactions, which occur in the thylakoid membranes, energy from sunlight is absorbed by chlorophyll and used to split water molecules. Oxygen is released as a by-product, and the energy is stored in ATP and NADPH. In the second stage, called the Calvin cycle, the plant uses that stored energy to build sugar from carbon dioxide. The Calvin cycle takes place in the stroma and does not need light directly, but it depends on the products of the first stage.

Directions: Read the passage. Then answer the questions using complete sentences.
1. Where do the light-dependent reactions happen?
2. What gas is released?
3. Explain why the Calvin cycle would stop soon after a plant is put in a dark closet.`,
  `I had the same issue after upgrading to version 6. The reason is that the config file moved. Create \`tool.config.mjs\` in the root and put this in it:

\`\`\`js
export default {
  plugins: ['markdown'],
  ignore: ['dist/**'],
}
\`\`\`

Then delete the old \`.toolrc\`. You also have to clear the cache once with \`npx tool --clear-cache\`. After that it worked for me. Took me 3 hours so hopefully this saves somebody an afternoon.`,
  `COZY CRAFTSMAN NEAR DOWNTOWN – MUST SEE!

Welcome home to 1418 Larkspur Avenue. This charming 3-bed, 2-bath craftsman has been lovingly updated while keeping all of its 1926 character. Step onto the wide front porch and imagine your morning coffee. Inside you'll find original oak floors, built-in bookcases and a brick fireplace. The chef's kitchen features quartz counters, a gas range and a walk-in pantry. Upstairs, two sun-filled bedrooms share a renovated bath; the primary suite is on the main level for your privacy. The fully fenced yard backs to a quiet alley with a detached two-car garage.

New roof 2022. New HVAC 2023. Walk to the farmers market, two parks and top-rated Fillmore Elementary. Do not miss this one. Showings start Saturday at 10. Bring your best offer by Monday, 5 p.m.`,
  `Meeting notes, PTA, 9/14

Present: Angie, Rob, Mrs. Delacroix, Tameka, both Jims
- Treasurer: $2,914 in the account, $300 of it belongs to band
- Book fair: move to gym because library floor is being redone. Jim R will ask custodian about tables
- Fall Festival. Dunk tank yes, ponies no (insurance). Tameka has a guy for popcorn
- Crossing guard at Elm still not replaced. Angie to write to city AGAIN
- Somebody keeps parking in the bus lane. Principal will put a reminder in the newsletter. Do not name names.
- Next meeting 10/12, bring snacks, Rob is out of town

List the open action items with the person responsible. If nobody was named, write "unassigned".`,
  `Getting started with the Weatherly API

All requests must include your key in the \`X-Api-Key\` header. Never put the key in client-side code. To fetch the current conditions for a city, send the following request:

\`\`\`
GET /v2/current?city=Tulsa&units=imperial
\`\`\`

The response is JSON:

\`\`\`json
{ "city": "Tulsa", "temp": 71.4, "wind": 12, "updated": "2025-04-02T14:00:00Z" }
\`\`\`

Errors. \`401\` means the key is missing or was revoked. \`404\` means that we don't know the city; try the \`lat\` and \`lon\` parameters instead. \`429\` means you've exceeded your plan. The \`Retry-After\` header tells you how many seconds to wait. Requests that ignore it will be blocked for one hour.`,
  `I'm going to say what nobody in this town wants to say. The stadium is a bad deal. It was a bad deal when they announced it, it was a bad deal when the "independent" study came out, and it's a worse deal now that we know who paid for the study.

Let's go over the numbers. The city would borrow $180 million. The team would contribute $40 million, most of it in the form of "naming rights revenue," which is money it hasn't got yet. In exchange we get 81 nights a year of parking jams and the right to feel big league. Meanwhile the pool on Garfield Street has been closed for three summers because of a pump.

Call your council member. Be polite. But be loud. And if they tell you it's too late to change course, remind them that the vote is on the 19th and the election is on the 4th.`,
  `It's because \`==\` compares references for arrays in Java. Use

\`\`\`java
Arrays.equals(a, b)
\`\`\`

or \`Arrays.deepEquals\` for nested ones.`,
  `how to fix a running toilet (i am not a plumber but i have 3 bathrooms and 2 teenagers)

first take off the lid of the tank and put it somewhere where nobody can step on it. look at the water. if it goes into that tube in the middle the float is too high. bend the arm down a little or turn the screw, depends on what kind you got. if the water is below the tube then it's the flapper. put some food coloring in the tank, wait 20 minutes and dont let anyone flush. if the bowl turns blue your flapper leaks. they cost like 6 bucks. turn off the water behind the toilet, flush, unhook the old one, take it WITH you to the store because there are 400 kinds. hook the new one on, chain not too tight. done. you just saved yourself 150 dollars.`,
  `| Plan | Price/mo | Users | Storage | Support |
|:--|--:|--:|--:|:--|
| Starter | $0 | 1 | 2 GB | Community |
| Team | $19 | 10 | 100 GB | Email |
| Business | $79 | 50 | 1 TB | Phone |
| Enterprise | call us | unlimited | custom | Dedicated rep |

All plans include the mobile app. Annual billing saves 15%. You can cancel at any time.

We're a nonprofit with 14 volunteers and we only store PDFs. Which plan fits and what would we pay for a year?`,
  `Dear valued customer,

This email confirms that a payment of $129.00 to TriCounty Electric was made from your checking account ending in 7745 on 03/02. Your available balance is now $1,204.18.

If you recognize this transaction, no action is needed. If you do not recognize it, please log in to the app and select "Report a problem," or call 24/7. For your protection we will never send you a link that asks for your PIN, your full card number or your one-time code.

You are receiving this message because you turned on alerts for transactions over $100. To change this setting go to Profile > Alerts.

Sincerely,
Great Lakes Community Bank
Member FDIC. Please do not reply to this email, this mailbox is not monitored.`,
  `When I was a junior in high school my coach told me I was the slowest point guard he had ever seen. He wasn't being mean, he had a stopwatch. That year I learned to pass. I learned to see where people were going to be, not where they were. By senior year I led the district in assists and I was still the slowest point guard he had ever seen.

I think about that when I apply for programs like yours. I am not the fastest student. I read everything twice. In chemistry I was the last to leave the lab every single time. But I know how to find the open man, and in a study group or a hospital hallway that might count for something.

Please review my college essay above. Be honest. Tell me what works, what sounds fake, and whether the ending is strong enough. Do not rewrite it.`,
  `Follow these steps to add dark mode to your Flutter app.

First open \`lib/main.dart\` and replace the \`MaterialApp\` with the following code:

\`\`\`dart
return MaterialApp(
  theme: ThemeData.light(),
  darkTheme: ThemeData.dark(),
  themeMode: ThemeMode.system,
  home: const HomePage(),
);
\`\`\`

Next, remove every hard-coded color from your widgets. If you skip this step your text will be invisible at night. Instead of \`Colors.black\` write \`Theme.of(context).colorScheme.onSurface\`. Finally, run \`flutter run\` and toggle the setting in your simulator. You should see the app switch immediately, without a restart.

That's all! In the next part you will learn how to let the user override the system setting and how to save that choice.`,
  `The moderator: Welcome back. Our next caller is Rhonda from Duluth. Rhonda, you're on the air.
Rhonda: Hi, long time listener. I've got a question on my hydrangeas. They're supposed to be blue and they came up pink.
Host: Okay, what kind of soil have you got?
Rhonda: Dirt. I don't know. It's by the garage.
Host: By a concrete foundation?
Rhonda: Yes.
Host: There's your answer. Concrete leaches lime, and lime makes them pink. You want that soil more acidic. Get some aluminum sulfate, follow the directions on the bag, and don't overdo it.
Rhonda: How long will it take?
Host: You'll see it next year. Plants don't read the calendar.
Rhonda: My husband likes the pink.
Host: Then tell him it was on purpose.`,
  `For what it's worth, the accepted answer is outdated. Since Go 1.21 you can write

\`\`\`go
import "slices"

slices.Sort(names)
idx, found := slices.BinarySearch(names, "bob")
\`\`\`

No need for \`sort.Slice\` and the closure anymore. Forget the interface thing with Len/Less/Swap too.`,
  `Notice of Annual Meeting

To the homeowners of Willow Bend Estates, Section II:

The annual meeting of the Association will be held on Tuesday, November 18, at 7:00 p.m. in the cafeteria of Bend Middle School. The agenda includes election of two directors, approval of the operating budget, and a proposed amendment to Article VI, Section 3 (fences). Under the current rule, fences over five feet must be approved by the Architectural Committee. The amendment would raise the limit to six feet and remove the requirement of approval for replacement of an existing fence.

A quorum of 25 percent is required. If you cannot attend, complete the enclosed proxy and return it by November 14. Proxies received after that date will be disregarded. Owners whose assessments are more than 60 days past due may attend but may not vote.

Explain in plain English what would change about fences and what I have to do if I will be out of town.`,
  `Stop scrolling. I need you to hear this.

You are not behind. You are not too old. That voice in your head that says "who do you think you are" was put there by somebody who gave up on their own dream. I was 41, divorced, sleeping on my cousin's couch, when I started this business with a folding table and a borrowed label printer. People laughed. Good. Let them laugh.

Here's the exercise. Every night for the next 30 days you are going to write one sentence: "Tomorrow I will ___." And then you are going to do it. No excuses, no snooze button, no asking for permission. Forget what your family told you about playing it safe. You make the rules now. Drop a YES in the comments if you're in, and tag a friend who needs this today.`,
  `Abstract. We examine whether short breaks during repetitive assembly work reduce errors. Forty-two volunteers completed two four-hour sessions of a soldering task, one with a single 20-minute break and one with four 5-minute breaks. Error rates were 18 percent lower in the second condition (p = .03), while total output did not differ. Self-reported fatigue was lower as well, though not significantly. The effect was larger for participants over 45. We discuss limitations, in particular the use of volunteers without prior training, and make suggestions for scheduling in small plants.

Explain this study to a factory owner who has not gone to college. Use everyday words and mention at least one limitation.`,
  `Hi Mr. Bellweather,

I'm writing to follow up on invoice 20419 for $3,860.00, which was due on August 1. Our records show that it is still open. If you've already sent the payment, please disregard this message. If there is a problem with the invoice or if you need a different payment schedule, let me know and we'll work something out.

You can pay by check or by ACH with the instructions at the bottom of the invoice. Please include the invoice number in the memo field so that it's applied to the right account.

I appreciate your business and look forward to hearing from you.

Carla Montague
Accounts Receivable, Hale & Sons Flooring`,
  `Replace \`git pull\` with \`git pull --rebase\` and it'll stop creating those merge commits. To make it the default:

\`\`\`
git config --global pull.rebase true
\`\`\`

If you get conflicts, fix them, \`git add\` the files and \`git rebase --continue\`. If you panic: \`git rebase --abort\`.`,
  `Trip report: 3 nights at Lake Wapato, late September

Day 1. Drove up from Spokane, got to the trailhead at 2. Permit box was empty so I wrote my name on an old envelope, don't tell. Five miles to camp, 1,900 ft of gain, legs felt every foot. Had the place to myself except for a very confident chipmunk.

Day 2. Summit of Little Annie via the south ridge. There's one move, maybe 12 feet, where you really don't want to fall. I sat there for ten minutes, ate a bar, and went. View: incredible. Smoke to the west but blue overhead.

Day 3. Rain. All day. Read a whole paperback in the tent. Chipmunk got the trail mix.

Day 4. Out in two hours, burger in Twisp, home by dark. Would do again. Bring a bear can, they're serious about it.`,
  `The company's decision to close its Toledo plant was announced on a Thursday, which is when companies announce things they would rather not discuss. By Friday morning there were television trucks on Front Street. By Monday they were gone.

I stayed. I have been staying, on and off, for eleven months, in a motel whose owner now waves at me. This is a story about what happens after the trucks leave. It's about Lou Pavlik, who ran Line 4 for 26 years and now drives a school bus and says the kids are louder than the presses. It's about the diner that closed and the church that didn't. Mostly it is about time, and how much of it there suddenly is.

Write a headline and a two-sentence summary for this feature. Avoid clichés like "ghost town."`,
  "Hello dear friends, today I want to teach you how make the real plov from my country. You need 1 kg of lamb, 1 kg of carrot, 1 kg rice, 3 onion, oil, cumin, and garlic one full head. Very important: do not use the wet rice, wash it seven times until the water is clear and leave it in warm water. First the oil must be very hot. Then you put the meat until is brown, after the onion, after the carrot which you cut by knife, never with the grater!! Then water, cumin, salt, and one hour on small fire. Then rice on top and don't mix! If you mix it, it is not plov, it is porridge. Put the garlic in the middle. When water is gone make the holes, close with the plate, 25 minutes. Eat with the tomato salad. My mother says who makes plov alone will eat alone, so invite somebody.",
  `\`\`\`sql
SELECT d.name, COUNT(e.id) AS headcount
FROM departments d
LEFT JOIN employees e ON e.department_id = d.id
GROUP BY d.name
ORDER BY headcount DESC;
\`\`\`

Use a LEFT JOIN, like above. With the inner join the departments without employees are dropped. And count \`e.id\`, not \`*\`, or the empty ones will show 1.`,
  `Introducing the NestPro 3: the baby monitor that lets you sleep

You've got enough to worry about. With crystal-clear 2K video, true two-way talk and a battery that lasts through the night, the NestPro 3 keeps you close even when you're down the hall. Our exclusive HushSense technology ignores background noise such as fans and traffic and alerts you only when your baby actually needs you. No subscription. No cloud required. Just plug it in, scan the code and you're ready in under two minutes.

What's in the box: camera, parent unit, wall mount, two USB-C cables, quick start guide.

Rated 4.8 stars by over 9,000 parents. Order today and get a free night light while supplies last.

Rewrite this product text for a catalogue with a strict limit of 60 words. Do not use exclamation marks or superlatives.`,
  `An open letter to the guy who honked at me on Route 9

Dear sir, I was going 45. The sign says 45. I could see in my mirror that you were eating cereal. I want you to know that I thought about you all day. I pictured you arriving wherever you were going four seconds before me, spoon in hand, victorious. I hope that it was worth it. I hope it was the kind of job where they give out a prize for that.

But then I saw you again, at the hospital, in the parking structure, at visiting hours, with a bunch of gas station carnations, sitting in your car and not getting out. So I would like to take it back. Go ahead. Honk. I'll move over.`,
  `### Table of contents

1. [Requirements](#requirements)
2. [Setup](#setup)
3. [Deploying](#deploying)

### Requirements

Node 20 or newer, Docker, and an account with a mail provider.

### Setup

Clone the repo, copy \`.env.example\` to \`.env\` and fill in the values. Do not commit \`.env\`. Then run:

\`\`\`
make install
make migrate
make dev
\`\`\`

The app listens on port 4000. Log in as \`admin@example.test\` with the password that was printed by \`make migrate\`. Change it under Settings.

### Deploying

Pushes to \`main\` are deployed automatically. To skip a deploy include \`[skip deploy]\` in the commit message. To roll back, run \`make rollback TAG=v1.4.2\`.

Look at this README and tell me what's missing for somebody who has never worked on the project.`,
  `Q. My mother-in-law rearranges my kitchen every time she visits. I've asked her nicely. My husband says to let it go. Am I crazy?

A. You're not crazy; you're a person who would like to find the can opener. Your husband is doing what people do when the problem belongs to them, which is to hand it to you and call it peace. She's his mother, so he gets to have the talk. It's a short one. "Mom, please don't move our things. If you need something to do, we'd love your help with X." Then the two of you must actually come up with an X. People who reorganize are often people who do not know where to put their hands. And if it happens again, move it all back, cheerfully, while she watches.`,
  `The Treaty was signed in the spring of 1846 after seven weeks of talks. Under its terms the smaller state gave up its claim to the river valley and received, in return, free passage of goods through the port for a period of fifty years. Historians disagree about who got the better part of the bargain. Older accounts stress the loss of land. More recent work points out that the valley flooded every few years and produced very little, whereas the port duties that merchants saved can be estimated at several times the valley's entire income.

Based on the text, which statement is best supported?
(A) The treaty was signed after a war.
(B) All historians agree the smaller state lost.
(C) The valley was less valuable than it seemed.
(D) The port was closed after fifty years.`,
  `Set \`min-width: 0\` on the flex child. Flex items default to \`min-width: auto\`, so they refuse to shrink below their content.

\`\`\`css
.sidebar + .content {
  flex: 1;
  min-width: 0;
}
\`\`\`

Works in every browser. You don't need the overflow hack.`,
  `Hi Jordan,

Welcome aboard! We're excited to have you start on Monday, June 3. Here is what you need to know for day one.

Arrive at 8:45 at the north entrance and ask for me at the desk. Bring two forms of ID for your I-9. Parking is free on levels 2 and 3; do not park on level 1, it's for patients and they do tow. You'll get your laptop and badge at 9:30 and spend the rest of the morning on compliance training. Lunch is on us.

Before Monday please complete your direct deposit form and benefits enrollment in the HR portal. Your login is your personal email address. The portal is slow, don't click submit twice.

Dress is business casual, no open-toed shoes in the lab areas. Let me know about any accommodations you need.

Best,
Melinda Osei, HR Partner`,
  `Writing a Business Plan: The Executive Summary

The executive summary is the first section that an investor reads and the last one you should write. It should be no longer than two pages. In it, you must answer five questions: What problem do you solve? For whom? How do you make money? Why are you the right team? How much do you need and what will you do with it?

Be specific. "A large and growing market" tells the reader nothing. "The 34,000 independent veterinary clinics in the United States" tells the reader that you did your homework. Avoid jargon. Do not promise what you cannot prove. If you have revenue, put it in the first paragraph. If you don't have revenue, put your best evidence of demand there instead: a waiting list, letters of intent, a pilot.

Now write an executive summary for a company that rents out toolkits from lockers at hardware stores, and follow the advice above.`,
  `grandma used to say
the rain has its own mailbox
and that's why it always
knows where to find us

I'm forty now
I pay water bills
I own a good umbrella
I have an app that tells me
to the minute

still when the first drops
knock on the porch roof
I get up from the couch
in my socks
as if somebody had written

Is this poem about grief? Give your reading in a paragraph, and quote at least two lines to support it.`,
  `You're shadowing the built-in. Rename your variable:

\`\`\`python
# bad
list = [1, 2, 3]
list("abc")  # TypeError

# good
numbers = [1, 2, 3]
list("abc")
\`\`\``,
  `The first rule of negotiating a salary is that you never say a number first. The second rule is that there are no rules, only leverage. I've hired over two hundred people in my career, and I can tell you exactly what goes through a manager's mind when you say, "Is there any flexibility?" It is relief. We expect it. We have a range. If you accept the first offer, you've left money on the table and, worse, you've taught us something about you.

What should you do? Do your research. Practice out loud, in front of a mirror or your dog. Say, "I'm really excited about this. Based on my experience I was expecting something closer to X." And then stop talking. Do not fill the silence. Let the other person answer. It'll feel like an hour. It is about four seconds.`,
  `Subject: Server maintenance this Saturday

All,

Please be advised that the file server and the payroll system will be unavailable on Saturday from 6 p.m. until approximately midnight. During that time you will not be able to open shared drives, print, or submit timesheets. Email isn't affected.

What you have to do:
1. Save your work and close all files on the S: drive before you leave on Friday. Files that are open will be closed by the system and changes will be lost.
2. Leave your computer on, but log out.
3. If you get the prompt "Override local settings?" on Monday, choose Yes.

Contact the help desk with questions. Thank you for your patience.

Network Operations`,
  `Kofi scored 14 points. Maria scored twice as many as Kofi. Lee scored 5 fewer points than Maria. The team needed 70 points to win the trophy.

Part A. How many points did Maria score? Part B. How many points did Lee score? Part C. Did the three players score enough to win the trophy? Explain how you know. Show your work in the box. Use a number sentence.`,
  `Dune grass does something that few plants manage: it grows better when it's being buried. As sand piles up, the stems respond by growing taller and sending out roots at each new level, so that a mature clump may be anchored by many meters of dead and living stalk. Take away the sand and the plant weakens. Fungi and tiny worms catch up with its roots, and within a few seasons it thins out. Ecologists call this escape by burial. It is the reason why a fixed, tidy dune may be a dying one, and why some coastal towns have begun to cut notches into dunes which their grandparents spent a century holding still.

Give me three quiz questions on this paragraph, easy, medium and hard. Include the answers at the end.`,
  `In Laravel you don't have to write that query by hand. Use the relationship:

\`\`\`php
$user->orders()->where('status', 'open')->latest()->take(5)->get();
\`\`\`

Make sure that \`orders()\` returns \`hasMany(Order::class)\`. If you call it as a property (\`$user->orders\`) it loads everything into memory first, which is the reason for your slow page.`,
  `Thank you for shopping at GREENWAY MARKET
Store 0417 – Boise, ID
Cashier: SELF 03

BANANAS 2.14 LB @ .59      1.26
WHL MILK GAL               3.89
EGGS LG DZ                 4.29
CHKN THIGH BNLS            9.72
 MEMBER SAVINGS           -1.50
TORTILLA 10CT              2.99
PAPER TWL 6RL             11.49

SUBTOTAL                  32.14
TAX                        0.69
TOTAL                     32.83
DEBIT ****2260            32.83

YOU SAVED $1.50 TODAY
Tell us how we did! Go to the website on the back and enter code 0417-8832 for a chance to win a $100 gift card. No purchase necessary.`,
  "There is a scene, about midway through Okonjo's second film, in which the father teaches his son to shave. There's no dialogue. The camera sits behind the mirror, so the two of them look at us and not at each other. Watching it I forgot for a moment that I was supposed to be taking notes. Everything which the first hour has told us in speeches, some of them frankly too long, is here told with a towel and a bowl of water. It makes you want to go back and cut the speeches. Had she trusted the mirror more, this would be a great film. It's a very good one with one great scene, and I'd rather see ten of these than another flawless bore.",
  `Create the component

Open your editor and create a file named \`Counter.jsx\` in the \`src\` folder. Add the following code to it:

\`\`\`jsx
import { useState } from 'react'

export function Counter() {
  const [count, setCount] = useState(0)
  return <button onClick={() => setCount(count + 1)}>Clicked {count} times</button>
}
\`\`\`

Now import it in your app. Delete everything inside the \`return\` statement of \`App.jsx\` and write \`<Counter />\` instead. Save. Your browser will refresh on its own, and you should see a button. Click it a few times. Congratulations, you've just written your first stateful component!

Homework: change the component so that it starts from a number given by the parent. Don't look at the solution until you've tried it for at least ten minutes.`,
  `Good evening graduates, parents, teachers, and those of you who are only here for the air conditioning. I was asked to keep this under five minutes. My wife asked me to keep it under four.

I've run the hardware store on Main for thirty-one years. I don't have a degree. I have keys. I've cut, by my estimate, eighty thousand keys, and I want to tell you what I've learned: nobody comes in for a key when things are fine. They come because somebody moved in, or moved out, or died, or got locked out in the rain. So you learn to ask. "New place?" you say, and then you listen.

That's my advice. Learn to do one small thing well, and while you're doing it, ask. You will not be replaced. You'll be the person they drive past two other stores to see.`,
  `| Employee | Mon | Tue | Wed | Thu | Fri |
|---|---|---|---|---|---|
| Alana | 9-5 | 9-5 | off | 9-5 | 9-5 |
| Boris | off | 12-8 | 12-8 | 12-8 | 12-8 |
| Chi | 9-5 | off | 9-5 | 12-8 | 9-5 |
| Dmitri | 12-8 | 12-8 | 9-5 | off | 12-8 |

Check the schedule against these rules and list every violation: at least two people between 12 and 5 each day; nobody works a 12-8 followed by a 9-5 the next morning; everyone has one weekday off.`,
  `Yes this is possible. You have to escape the backslash twice, once for the string and once for the regex:

\`\`\`java
String clean = input.replaceAll("\\\\\\\\", "/");
\`\`\`

Or avoid the regex altogether with \`input.replace('\\\\', '/')\`.`,
  `Let's talk about boundaries.

A boundary isn't something you make another person do. It's something you do. "You can't speak to me that way" is a wish. "If you speak to me that way, I'm going to leave the room" is a boundary. See the difference? One depends on them, the other depends on you.

Most of us weren't taught this. We were taught to be nice, to be helpful, to keep the peace. And so we hint. We sigh. We slam the cupboard and say we're fine. Then we're angry that nobody read our mind.

This week, pick one small boundary. Something low-stakes. Say it once in a calm voice. Do not justify it. Do not apologize. Then follow through, even when you feel like the worst person alive. That feeling will pass. I promise you, I've been a therapist for twenty years and I have never lost a client to guilt.`,
  `Hey Nate, got ur message. The truck is at Denny's, keys under the mat on the passenger side. Gas is low sorry. Don't use the AC on the hill it overheats. The lawn guy comes thursday, pay him 60 cash, it's in the envelope in the drawer with the batteries. If the alarm goes off the code's on the fridge. Mom's pills are in the blue thing, she'll tell you she already took them, she did not. Back sunday night. Thx for doing this, I owe you big time

Make a checklist from this text for Nate's week.`,
  `Chapter 7: Stakeholder Mapping

A stakeholder is any person or group that can affect or is affected by a project. Mapping stakeholders at the beginning allows the project manager to allocate communication effort efficiently. The most common tool is the power/interest grid. Stakeholders with high power and high interest must be managed closely. Those with high power and low interest should be kept satisfied; do not overload them with detail. Those with low power and high interest should be kept informed, since they're often your best source of early warnings. The remaining group requires only monitoring.

Limitations: the grid is a snapshot; positions shift as the project goes on. It also tends to ignore relations between stakeholders.

Using the framework in this chapter, analyze the stakeholders of a city library that plans to abolish late fees. Your answer should include a table and at least six stakeholders.`,
  `The lighthouse at Point Merrow isn't lit anymore. The county put a solar beacon on a pole beside it, about the size of a coffee can, and it does the job. People still drive out on Sundays. They park by the fence and look up at the dark lamp, and then they look at the coffee can, and then they get back in their cars a little quieter.

Rewrite this in first person, present tense, from the view of the beacon.`,
  `If you're on Windows you can't use \`rm -rf\` in the npm script. Install rimraf:

\`\`\`
npm i -D rimraf
\`\`\`

and change your package.json:

\`\`\`json
"scripts": { "clean": "rimraf dist" }
\`\`\``,
  `Dear Parents and Guardians,

The fifth grade will visit the Natural History Center on Friday, May 9. Buses leave at 8:15 sharp. Students who arrive late will stay with Mrs. Abernathy's class. Please send a bag lunch with your child's name on it, no glass containers, no gum. Each student may bring up to $15 for the gift shop. Phones must stay at school.

We still need three chaperones. Chaperones are responsible for a group of six and must stay with the group at all times. Younger siblings cannot come along this time.

Please sign and return the form below by May 2. Without it your child will not be able to go, and I do not want to leave anyone behind.

Thank you,
Mr. Ruiz`,
  `Prompt for today's writing circle

Think of an object you have lost. It can be big or small. For the first five minutes, describe it so exactly that a stranger could pick it out of a box. For the next five minutes, write what you told people about losing it. For the last five minutes, write what you didn't tell them. Don't stop to correct. Don't lift the pen. If you get stuck, write "and then" and keep going.

When we read aloud, the listeners say only "thank you." No praise, no advice. You're allowed to pass.`,
  `Coach's Corner: Stop Stretching Before You Run

I know. Your gym teacher lined you up and made you touch your toes. Mine too. But if you hold a cold muscle in a long stretch, you're basically telling it to relax right before you ask it to work. You want the opposite.

Do this instead: walk for three minutes. Jog easy for three minutes. Then do ten leg swings on each side, ten walking lunges, twenty butt kicks and two or three short pick-ups. Save the toe-touching for after, when you're warm and you have nowhere to be. Give it two weeks. If your calves don't thank you, email me and you can make me do burpees on camera.`,
  `I would use a dictionary here instead of twelve ifs:

\`\`\`python
handlers = {
    "add": add_item,
    "remove": remove_item,
    "list": list_items,
}

handler = handlers.get(command)
if handler is None:
    print("Unknown command")
else:
    handler(args)
\`\`\`

Easier to read, and adding a command is one line.`,
  `The defendant's motion rests on the idea that the notice was defective because it was sent to the tenant's former address. The lease, however, requires notice to be mailed "to the address of the premises or such other address as Tenant shall designate in writing." No other address was ever designated. The court therefore finds that notice was proper. As for the claim that the landlord waived the late fee by accepting partial payment in March, paragraph 14 of the lease states that acceptance of a partial payment shall not constitute a waiver. The motion is denied.

Brief this ruling: issue, rule, application, conclusion. Keep each part to one or two sentences.`,
  `Hi, I'm Wendell and I have been keeping bees for nine years, badly for the first four. Here's what I would tell my younger self. Buy two hives, not one, so that you can compare. Leave them alone more. Every time you open that lid you set them back a day. Don't harvest the first year. You will want to. Don't. Learn what a mite looks like before you learn what a queen looks like. Join the club, even though the guys argue. And write things down! You think that you'll remember which hive was grumpy in April. You won't.

Turn this into a numbered list of tips for a club flyer, each tip at most eight words.`,
  `Change the following line in \`settings.py\`:

\`\`\`python
DEBUG = True
\`\`\`

to

\`\`\`python
DEBUG = os.environ.get("DEBUG") == "1"
\`\`\`

Then add your domain to \`ALLOWED_HOSTS\`. Otherwise Django answers every request with a 400. Restart gunicorn after you save it. And please rotate your SECRET_KEY since you've posted it in the question :)`,
  `Why I Left Software To Drive A Snowplow

I get asked that a lot, mostly by software people with a certain look in their eyes. The short version: I wanted to do something that was finished at the end of the day. In my old job nothing was ever done. There was a board, and the cards moved to the right, and there were always more cards on the left. I had a system for managing my systems.

Now I've got Route 6. It's eleven miles. At 3 a.m. there's two feet on it and at 7 there's none and the school bus goes by, and the driver lifts two fingers off of the wheel. That's my performance review. I'm not telling you to quit your job. I'm telling you to ask when was the last time that something you did was finished.`,
  `How To Become The Person You Want To Be: A Guide For Beginners

Let me start with a confession. For most of my twenties I was a collector. I collected books about discipline. I collected courses, podcasts, planners, a cold plunge that is now a very expensive planter. What I did not collect was evidence. And evidence, my friend, is the only thing your brain believes.

Think about it. You can stand in front of the mirror and say "I am confident" a hundred times. Your brain will say, "Based on what?" It has the tapes. It remembers every time you said you'd go to the gym and didn't. So you can't argue with it. You must show it something new.

Start so small that it's embarrassing. One push-up. One page. One email to one person you have been avoiding. Do it today, do it tomorrow, and write it down in a place where you'll see it. By day ten you will have a list. Your brain will look at the list and go, "Huh." That "huh" is the beginning of a new identity.

Second, change your room before you change your mind. Put the guitar on the couch and the phone in the drawer. You don't need more willpower. You need fewer decisions. People who seem disciplined have simply arranged their lives so that the right thing is the lazy thing.

Third, and this is the hard one, stop telling everybody. When you announce a goal you get applause in advance, and the applause feels so much like success that you no longer need the real thing. Keep your mouth shut for sixty days. Let them notice.

You will slip. When it happens, do not start over on Monday. Start over at 4:15 on the same Thursday. There is no clean slate. There's only the next rep.`,
  `Use an f-string:

\`\`\`python
print(f"{name} has {count} items")
\`\`\``,
  `Your receipt from Pinecone Coffee Roasters

Thanks, Imani! We got your order.

Subscription: Dark Horse, whole bean, 12 oz, every 2 weeks
Subtotal $17.50
Discount FIRST10 -$1.75
Tax $0.00
Total $15.75 paid with card ending 3319

Your next charge will be on April 21. You may skip, swap or cancel at any time from your account page. Just do it at least 24 hours before your renewal, because once the beans are in the roaster we can't pull them back out.

Brewing tip: don't use boiling water. Let the kettle sit for a minute.

Questions? Hit reply. A real person named Gus answers.`,
  `To use the map in your app, include this snippet in your \`index.html\`:

\`\`\`html
<link rel="stylesheet" href="/vendor/trailmap.css">
<script src="/vendor/trailmap.js"></script>
<script>
  const map = TrailMap.create('#map', { center: [44.1, -121.3], zoom: 9 })
</script>
\`\`\`

Make sure that the element \`#map\` has a height, otherwise you will see nothing. If you use a bundler, install the package with \`npm i trailmap\` and import it instead. Do not call \`create\` more than once for the same element. To remove the map call \`map.destroy()\`.

Known issue: with content security policies that forbid inline scripts, move the last block to its own file.`,
  `You want \`flex-wrap\`. Default is nowrap so it'll squeeze everything into one row.

.list { display: flex; flex-wrap: wrap; gap: 8px; }`,
  `Officials in Marlow County said Wednesday that the bridge on Old Quarry Road will remain closed until at least November, three months longer than planned. Inspectors found corrosion in two of the main beams after crews removed the deck in June.

"We're not going to put a school bus on something we wouldn't drive on ourselves," county engineer Pat Dombrowski told commissioners.

The delay will cost about $640,000. Businesses on the east side of the river say that the detour, which adds 14 miles, has cut their sales by as much as half. Commissioner Ray Tibbets asked whether a temporary bridge was considered. Dombrowski said it was, but that the lead time would be longer than the repair.

The board will meet again Oct. 3.

Write a tweet of no more than 250 characters for each of these: the county, a business owner, an angry commuter.`,
  `| id | name | email | created |
|---|---|---|---|
| 1 | Sol Abrams | sol@sample.test | 2024-01-09 |
| 2 | Wen Li | wen@sample.test | 2024-01-09 |
| 3 | Sol Abrams | s.abrams@sample.test | 2024-03-30 |
| 4 | Kaye Duarte | kaye@sample.test | 2024-04-02 |

Write a query that returns the names that appear more than once together with all their email addresses in one column.`,
  `The wind had dropped by the time they reached the ridge. Ansel took off his hat and wiped his forehead with it, and then just stood there, looking.

"It's gone," Birdie said.

"It's not gone. It's under the snow."

"A whole barn?"

"Snow's deep."

She unhooked the shovel from the sled. He put his hand on the handle. "Don't," he said. "Not today. You dig it out and it's just a broken barn. Right now it's still standing, for all we know."

Birdie considered that. She was eleven, and she didn't believe in things you could not poke. But her grandfather's face had gone soft and strange, so she put the shovel back and sat down on the sled, and together they kept watch over the barn that might be there.

How does the author use the barn as a symbol? Your response should be one well-developed paragraph with two pieces of evidence from the text.`,
  `I think you're confusing \`let\` and \`const\`. \`const\` doesn't make the object immutable, it only prevents reassigning the variable. So

\`\`\`js
const user = { name: 'Ann' }
user.name = 'Bob' // fine
user = {}         // TypeError
\`\`\`

If you really want it frozen use \`Object.freeze(user)\`, it's shallow though.`,
  "ATTENTION MEMBERS: Beginning July 1 the pool will close at 8 p.m. on weekdays. Lap lanes are reserved for swimmers from 6 to 8 a.m. No running, no glass, no floats larger than a person. Children under 10 must be accompanied by an adult in a swimsuit, not on a lawn chair, not on the phone. Guests must be signed in. Lifeguards' instructions must be followed at all times; if a guard blows three short blasts, everybody gets out, no matter what your watch says. If you lose your key card, replacements are $10 at the front desk. Violations may result in suspension of privileges.",
  `Newsletter #112 – The Slow Ledger

Hello slow people,

This month I spent exactly zero dollars on clothes and I want to be applauded. In other news: our reader Patrice paid off her car (yay!), rates went down a bit, and I finally called the insurance company. Twenty-two minutes on hold, $340 saved a year. That's $927 an hour. Nobody pays me $927 an hour. Call your insurance company.

The reader question comes from Luis, who asks whether he should pay down the 6% student loan or invest. Short answer: get your match first, then the loan. Long answer: it depends on how you sleep.

Challenge for May: unsubscribe from three store mailing lists. Not this one, please.

Slowly yours,
Bettina

Draft a reply to Bettina in which I, a reader, tell her that I tried the insurance call and it didn't work. Keep it friendly. Under 100 words.`,
  `Install the CLI and sign in

Run the following command in your terminal:

    curl -fsSL https://get.harborctl.example | sh

On Windows use \`winget install harborctl\` instead. Then execute

    harborctl login

A browser window opens. After you approve the request the token is saved to \`~/.harbor/credentials\`. You should never copy this file to another machine. If your company uses single sign-on add \`--sso your-company\`.

To check that everything works run \`harborctl whoami\`. It prints your user name and the name of the current project. To switch between projects: \`harborctl use PROJECT\`.`,
  'why are people so mean about pineapple on pizza. like i get it you dont like it. its not a war crime. my nonna (real italian, from italy, with the black dress and everything) tried it last summer at my cousins place and said "e buono" and took a second slice. so all of you with your twelve rules about what goes on pizza need to sit down. also ham is salty, pineapple is sweet, thats just science. you put cranberry on turkey and honey on ham and nobody calls the cops. rant over',
  `The function below is supposed to return the average but it returns NaN for an empty list.

\`\`\`ts
export function average(values: number[]): number {
  let sum = 0
  for (const value of values) sum += value
  return sum / values.length
}
\`\`\`

Fix it so that it returns 0 in that case, add a doc comment, and write three unit tests with vitest. Do not change the signature.`,
  `What is compound interest and why should you care?

Suppose you put $1,000 into an account that pays 5 percent per year. After one year you have $1,050. In the second year you earn 5 percent not on $1,000 but on $1,050, so you get $52.50. That doesn't look like much. After thirty years, however, you have $4,321.94, and you haven't lifted a finger.

Now turn it around. A credit card that charges 24 percent works the same way, only against you. A balance of $1,000 that you ignore will double in roughly three years. That's why financial planners repeat the same boring advice: pay off the card first.

Rule of 72: divide 72 by the interest rate, and you get the number of years until the money doubles. Try it with 6, 8 and 12.`,
  `Have you tried \`Ctrl+Shift+P\` > "Developer: Reload Window"? If the extension still does not show up, open settings.json and remove the line

"extensions.autoUpdate": false

Had the exact same thing last week.`,
  `Dear Customer Care,

I bought a blender of yours (model VX-200) on Jan 8th from the store in Amarillo. After two weeks of normal use the motor started to smell like burning hair and then it died in the middle of a smoothie. I took it back to the store and they told me that they don't take returns past 14 days and that I must contact the manufacturer. Your website says to call. The phone says to use the website.

I have the receipt and the box. I don't want a coupon. I want a blender which blends, or my $89.99. Please tell me by email how to send it back and who pays for shipping.

A tired customer,
Lorraine Quigley

You are the support agent. Write a reply that apologizes without groveling, gives clear next steps and doesn't promise anything beyond a replacement under the two-year warranty.`,
  `THE LAST GOOD DIVE BAR

There is no sign. There was a sign but a truck hit it in 2009 and Marlene decided that anyone who needed a sign wasn't from here. The floor slopes to the north, so the pool table has folded coasters under two legs, a different number in winter. You can order a beer or a different beer. If you ask for a cocktail Marlene will look at you until you order a beer.

I took a friend from the city there last month. He asked for the wifi password. The whole bar went quiet, not hostile, more like people at a zoo when the animal does something. "Honey," said Marlene, "the password is hello." So he said hello. To the man on his left, then to the woman on his right. We got home at two.`,
  `Remember: \`git reset --hard\` throws away uncommitted work. If you only want to undo the last commit but keep the changes:

git reset --soft HEAD~1

Then fix whatever you forgot and commit again.`,
  `Lab Safety Contract

1. I will follow all written and verbal instructions of my teacher.
2. I will not begin an experiment until I'm told to do so.
3. I will never eat, drink or chew gum in the lab.
4. I'll wear goggles at all times, even if my part of the experiment is finished.
5. I will tie back long hair and remove dangling jewelry.
6. I will not mix chemicals "to see what happens."
7. I will report any spill or injury, no matter how small, immediately.
8. I will not touch equipment from another group's station.
9. I understand that if I break these rules I may be removed from the lab and receive a zero for the day.

Student signature ______ Parent signature ______

Write a five-question quiz for students based on this contract. Include one trick question.`,
  `Octopuses do not have a blind spot. In the human eye the nerve fibers run in front of the retina and must pass through it to reach the brain, and where they leave there are no receptors. In the octopus the wiring is behind the retina, so nothing is interrupted. This is often cited as an example of convergent evolution: two lineages that separated more than 500 million years ago arrived at a camera-like eye by different routes. It's also a nice answer to the idea that evolution finds the best solution. It finds a solution, then it is stuck with it.

According to the passage, why do humans have a blind spot? Respond in one sentence.`,
  `Hi,

This is an automated notice from the Cedar Falls Public Library. The following item is ready for you at the Main Street branch:

Title: The Salt Road
Format: Large print
Pick up by: 06/18

If you don't need this item anymore, please cancel the hold so that the next person can get it. You've also got 1 overdue item. We no longer charge fines, but you can't place new holds until it comes back or until you tell us the story of how it was lost. (Really. Call us, we've heard everything.)

To stop these messages reply STOP. For help reply HELP.`,
  `Adding authentication to your Express app

In this section we'll protect the \`/admin\` route. Create a file called \`auth.js\` and insert the following:

\`\`\`js
export function requireLogin(req, res, next) {
  if (req.session?.user) return next()
  res.redirect('/login')
}
\`\`\`

Now open \`server.js\` and add it to the route:

\`\`\`js
import { requireLogin } from './auth.js'

app.get('/admin', requireLogin, (req, res) => res.send('Hello admin'))
\`\`\`

Restart the server and visit http://localhost:3000/admin. You'll be sent to the login page. Note that this example checks only that somebody is logged in, not who it is. In production you'd also have to check the role of the user. We will do that in chapter 9.`,
  `Nobody tells you about the second year. In the first year people bring casseroles. They remember the date. They say his name. In the second year the casserole dishes have been returned and you are supposed to be, what is the word they use, adjusting. I adjusted. I moved his chair to the basement and then I moved it back up. I learned to change the furnace filter. I went to the group at the Methodist church even though I am not a Methodist, I'm not much of anything, and a man named Harold said, "You don't get over it, you get around it," and I wrote that on my hand with a ballpoint because I had no paper.

If you are in the second year, I see you. Eat something. Open a window. Say the name.`,
  `\`\`\`
Traceback (most recent call last):
  File "app.py", line 14, in <module>
    total = sum(prices) / len(price)
NameError: name 'price' is not defined. Did you mean: 'prices'?
\`\`\`

Can someone tell me what's wrong here? I'm new to python and I stare at this since one hour.`,
  "Typo. You wrote `lenght`. It's `length`. JS doesn't complain because missing properties are just undefined.",
  `For Immediate Release

NORTHFIELD FURNITURE OPENS ITS FIRST REPAIR STUDIO

PORTLAND, Maine – Northfield Furniture announced today that it'll open a repair studio at its Commercial Street store on September 20. Customers can bring in any Northfield piece, regardless of age, and have it repaired for the cost of materials.

"We sell chairs that are supposed to last fifty years," said founder Ingrid Halvorsen. "It would be strange if we didn't know how to fix one."

The studio will also offer a monthly class on basic repair. The first class, on loose joints, is free.

About Northfield. Founded in 1988, the company employs 64 people and operates four stores in New England.

Contact: press@northfield.example

Evaluate this press release. What would make a local reporter ignore it, and what should be moved to the first paragraph?`,
  `I've been using this lawn mower for two seasons on about a third of an acre. Pros: starts first pull every time, mulches well, light enough that my wife (5'2") can push it up the slope. Cons: the bag is a joke. It fills up in one pass and the frame pops out if you look at it wrong. The manual was clearly translated by someone's nephew: "Do not inserting the hand or the feets." I ended up ordering a bag from another brand and zip-tying it on. Works great now. Would I buy it again? At $249, yes. At the $329 they want now, no.

Extract the pros and cons as JSON with the keys "pros" and "cons". Don't add anything that's not in the review.`,
  `Here is the thing about learning a language as an adult: you have to be willing to be boring. In English I am, I like to think, a pretty funny guy. In Korean I am a man who likes apples. I like apples. My sister likes apples too. Yesterday I went to the store. It took a year before I could make a joke, and the joke was about apples.

But something nice happens when you are boring. People slow down for you. They lean in. The lady at the kimchi stall corrected my grammar for eleven months with the patience of a saint, and the day I finally got the ending right she threw in a free bag of radish. No A in college ever felt like this radish.

So if you're thinking about starting: don't wait until you have time. Don't download five apps. Learn to say one boring sentence, and go say it to somebody.`,
  `Configure the linter

Add a \`lint\` script to your \`package.json\`:

\`\`\`json
{
  "scripts": {
    "lint": "neatlint src --max-warnings 0"
  }
}
\`\`\`

Rules can be overridden per folder. Place a \`.neatlintrc\` next to the files and set only what you want to change:

\`\`\`yaml
rules:
  no-console: off
  prefer-const: warn
\`\`\`

To ignore a single line, put \`// neatlint-ignore-next-line\` above it. To disable everything in a file, add \`/* neatlint-disable */\` at the top. Do not do this in shared code. You can also bypass the pre-commit hook with \`git commit --no-verify\`, but CI will run the same checks again, so there's little point.`,
  `The lease on your 2021 sedan ends in 90 days. What are your options?

Option 1: Return it. Schedule a free inspection, remove your plates and personal items, and delete your phone from the car's system. You'll owe for excess miles and wear beyond normal.
Option 2: Buy it. Your purchase price is in section 8 of your agreement. Plus tax and a $350 fee.
Option 3: Lease or buy another one of ours. You may qualify for a loyalty offer.

If we don't hear from you, your contract doesn't renew automatically and you must return the vehicle by the end date. Log in to My Lease or call us Monday through Saturday.

My mileage is 8,000 over. Section 8 says $14,200. Similar cars sell around here for about 17 grand. Which option makes the most sense, and what should I check before I decide?`,
  `If your CSV has a header row you should use DictReader:

import csv
with open("people.csv", newline="") as f:
    for row in csv.DictReader(f):
        print(row["last_name"])

also please dont call your file csv.py, python imports that one and not the module. that was my mistake for a whole day`,
  `A Ballad of the Parking Meter

I stood outside the county court
a quarter in my hand,
the meter blinked, the meter flashed,
it would not understand.

I told it of my father's debts,
my mother's aching knee,
it blinked a while, and then it said:
EXPIRED. (It meant me.)

The lady with the ticket book
came walking down the row;
she tapped the glass, the hand jumped up:
"Two hours, hon. Now go."

Write two more stanzas with the same meter and rhyme scheme. The speaker comes back late.`,
  `In a chemical reaction, the total mass of the reactants is equal to the total mass of the products. This principle is called the law of conservation of mass. When a piece of wood burns the ash weighs less than the wood did, which seems to violate the law. But if you collect the gases and the smoke and add the mass of the oxygen that was used, the two sides match.

Sentence: "Burning destroys matter."
Is this sentence true, false, or cannot be determined from the paragraph? Choose one option and explain your choice.`,
  `The thing to know about my brother Teddy is that he never once in his life read the instructions. Not for a model airplane, not for a tent, not for the baby. "They write those for people who can't do it," he'd say, holding the wrong screw. When he built the deck it came out a foot too short, and so he built a planter to fill in the gap, and the planter was the best thing about the house; Mom's tomatoes won a ribbon.

He was best man at four weddings and he lost the ring at two. He returned everything he borrowed with something extra in it: a full tank, a sharpened blade, a six-pack. If you're here today you probably have something of his in your garage. Keep it. He'd want you to. He's probably got something of yours.

Give me feedback on this eulogy. It has to be under two minutes when read aloud. What would you cut first?`,
  `Short version: you need to await it.

    const data = await response.json();

\`response.json()\` gives you a promise, that's why you see [object Promise] in the page.`,
  `UPDATE ON BOIL WATER ADVISORY

The boil water advisory issued for the East Side on Monday has been LIFTED as of 3 p.m. today. Two sets of samples taken 24 hours apart were clear. You no longer need to boil your water.

Before you use it: run all cold taps for five minutes. Empty your ice maker and throw away the first two batches. Replace refrigerator filters if the manufacturer recommends it. Run the dishwasher once empty.

Customers west of 14th Street were never affected and do not have to do anything. Rumors about fluoride on social media aren't true. Please share this notice with neighbors who may not have seen it, in particular older people.

City of Ashby Water Department`,
  `Why is everyone suddenly talking about large language models?

A language model is a program that has been trained to predict the next word. That's it. You feed it enormous amounts of text, and it learns which words tend to follow which. When you type a question, it continues the text with what looks like an answer. It does not look anything up, unless someone connects it to a search engine. It doesn't "know" that it is wrong, either.

Companies steer these models with a hidden introduction called a system prompt, in which they describe how the assistant should behave: be polite, talk only about our products, don't give legal advice. Users can't normally see it. Researchers have shown that a clever user can sometimes talk a model out of following it, which is one of the reasons why you should not let a chatbot make decisions about money on its own.

In this article we look at three local businesses that use such assistants and what they've learned.`,
  `1. Preheat the oven to 425°F. Line a sheet pan with foil, you'll thank me later.
2. Toss 2 lb of potatoes (cut small) with oil, salt, pepper, paprika. Roast for 20 minutes.
3. Meanwhile mix 3 tbsp honey, 2 tbsp mustard, 1 clove of garlic, splash of vinegar.
4. Push the potatoes to the side, lay 4 chicken thighs on the pan skin side up, brush with half of the sauce.
5. Roast for another 25 minutes. Don't open the door every five minutes, Greg.
6. Add green beans, brush with the rest, 8 more minutes.
7. Let it rest. Eat from the pan if no one is looking.

Convert to metric, scale it for 10 people and tell me whether everything still fits on one pan.`,
  `Thanks for contacting Lumina Internet! My name is Trey. How can I help you today?
> my wifi dies every night at like 9
Sorry about that. Can I have the phone number on the account?
> 555 0134
Thank you. I see some signal drops. Have you tried restarting the modem?
> yes 100 times
Okay. I'd like to run a line test, this'll take your connection down for 2 minutes. Is that alright?
> ok go
The test shows noise on the line. I can send a technician on Thursday between 8 and 12 at no charge. An adult must be home. Would that work?
> thursday ok. will i get money back for the nights
I've added a credit of $15. You'll see it on your next bill.

Write a summary of this chat for the technician. Max 40 words. Don't include the phone number.`,
  `I'm a substitute teacher, and I want to tell you about the binder. Every regular teacher leaves a binder. There's a seating chart, always out of date, and a page of notes. "Jayden may use the bathroom without asking." "Do not let Period 4 choose their own groups." "Kayla will say that she's allowed to sit by the window. She's not."

I've learned to read those binders the way other folks read novels. You find out who has been forgiven eleven times. You find out who gets an extra snack and that nobody's supposed to make a fuss about it. Once I found a page that only said: "If Marcus says he is fine, ask again." I asked again. I'm not going to tell you what he said. But I've thought about this teacher, whom I have never met, every day since.`,
  `Could not reproduce. Please provide:

1. The output of \`tool --version\`
2. Your operating system
3. A minimal project that shows the problem

Issues without a reproduction will be closed after 14 days. Don't take it personally, there are two of us and we both have kids.`,
  `Quarterly Report to Shareholders (excerpt)

Net sales for the third quarter were $48.2 million, an increase of 6% over the prior year period. Growth was driven by price increases of approximately 4% and by the opening of three locations. Comparable-store sales rose 1.1%. Gross margin declined 80 basis points to 31.4%, mainly as a result of higher freight costs and a change in product mix. Selling, general and administrative expenses were flat. We repurchased 210,000 shares at an average price of $22.61.

We are maintaining our full-year guidance. These statements are forward-looking; actual results may differ materially.

What would a skeptical analyst ask on the call? Formulate four questions, each referring to a specific number.`,
  `Just use CSS grid, you'll be done in 3 lines

.page { display: grid; grid-template-columns: 200px 1fr; min-height: 100vh; }

floats are for wrapping text around images, nothing else`,
  `The forgotten history of the drinking straw begins with rye grass. In the 1880s a bartender, the story goes, grew annoyed that the natural rye stalk used at the time turned to mush and gave the drink a grassy taste. He wound a strip of paper around a pencil, glued it, and slid the pencil out. Whether or not the story is true, paper straws were patented before the decade was over and remained the standard for seventy years, until plastic made them cheaper. Today, of course, we've come full circle, and people complain about mush again.

Write a similar paragraph about the history of another everyday object. Be sure to include an approximate date, a problem that was solved, and a twist at the end.`,
  `Step 1. Open the workflow file \`.github/workflows/deploy.yml\`.
Step 2. Add the following job below \`build\`:

\`\`\`yaml
  deploy:
    needs: build
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: ./scripts/deploy.sh
        env:
          DEPLOY_TOKEN: \${{ secrets.DEPLOY_TOKEN }}
\`\`\`

Step 3. Go to Settings > Secrets and create \`DEPLOY_TOKEN\`. Never paste the token in the YAML file.
Step 4. Commit and push. Watch the Actions tab. If the step fails with exit code 126, the script is not executable: run \`chmod +x scripts/deploy.sh\` and push again.`,
  'Hello everyone. I am Vikram from Pune, working as QA since 4 years. I am having one doubt. In my company they are asking us to do automation but manager is not giving the time. Daily stand up itself is taking 45 minutes. I told to him politely that without the time I can\'t do the needful, but he\'s telling that good engineer will find the time. Kindly suggest how to handle this kind of situation. Should I escalate to the skip level or should I start searching for the other job? Please do not say "just talk to him", already I talked three times. Thanks in advance.',
  `# Incident Report 2024-07

**Summary.** Between 09:12 and 10:03 UTC about 8% of the requests to the checkout failed.

**Impact.** 1,240 customers saw an error page. No data was lost.

**Root cause.** A configuration change raised the number of workers without raising the limit of database connections.

**Timeline**
| Time | Event |
|---|---|
| 09:05 | Change deployed |
| 09:12 | First alert, acknowledged at 09:20 |
| 09:31 | Wrong hypothesis: network |
| 09:58 | Change rolled back |
| 10:03 | Recovered |

**What went well.** Rollback took five minutes.
**What went badly.** The alert did not mention the database.

Suggest at least three action items which would have shortened this incident. Do not suggest "be more careful".`,
  `"What do you mean, the cake is in Tulsa?" I said.

"I mean," said my sister, "that there are two Rosewood Halls. One is here and one's in Tulsa. And the cake is in Tulsa."

We both looked through the door at a hundred and forty guests, and at my future husband, who was doing the thing with his ears for the flower girl.

"Is it a nice cake?" I asked.

"They sent a picture. It's next to a sign that says Happy Retirement, Bob."

I started laughing and couldn't stop. Somewhere in Oklahoma a man named Bob was going to cut into four tiers of lemon and elderflower with our initials on it. "Call them," I told her. "Tell Bob congratulations. And find out what he ordered, and where it is."

It was in our kitchen. It was shaped like a bass.`,
  `Is your small business ready for tax season? Use this checklist.

☐ Separate bank account for the business
☐ All 1099s received or requested
☐ Mileage log (and no, "I drove a lot" is not a log)
☐ Receipts for anything over $75
☐ Home office measured
☐ Payroll reports match the bank
☐ Last year's return within reach

Common mistakes: mixing personal and business expenses, forgetting estimated payments, waiting until April 14. Remember that an extension gives you more time to file, not to pay.

I run a one-woman pottery studio from my garage, with about $22k of sales and no employees. Which items don't apply to me? What is missing?`,
  `That's not a bug, floats can't represent 0.1 exactly. Use Decimal:

>>> from decimal import Decimal
>>> Decimal("0.1") + Decimal("0.2")
Decimal('0.3')

Or keep your money in cents as an int. Never use floats for money.`,
  `So here's my hot take on this team: they don't have a quarterback problem, they have a third-and-two problem. Go look at the tape. Sixteen times this year it's been third and two or less, and they've thrown the ball eleven times. Eleven! You've got a 240-pound back standing there like he's waiting on a bus. Give the man the football! I don't care about analytics. I've got analytics for you: he falls down, he falls forward, it's a first down. And then the coach gets up there at the podium and says, "We have to execute better." No, coach. You have to call better. We'll take your calls after the break.

Analyze the argument in this radio monologue. Which claims could be checked with data, and which data would you need?`,
  'Translation notes. In the Portuguese original the grandmother says "saudade" four times. I\'ve rendered it differently each time: "missing," "the ache," "what\'s gone," and, at the very end, I left it alone. Some readers of the draft objected that this breaks the echo. They\'re right. But English readers, I believe, would stumble on the second one and start looking it up. A translator is always betraying someone. I\'d rather betray the word than the old woman, who would never in her life have used a word that people had to look up.',
  `Dear hiring manager, I am writing for apply to the position of warehouse assistant which I saw in the internet. I have 6 year experience in the warehouse of food, I can drive the forklift (license valid), I know the scanner system and I'm always on time. In my last job I was responsible of the night team with 5 persons. I left because company moved to other city. I'm strong, honest, I don't smoke, and I can begin immediatly. My english is not perfect but I learn each day, I understand the instructions without problem. I hope you give me the opportunity for interview. With respect, Ibrahim T.

Correct the English but keep the voice of the writer. Do not make it sound like a lawyer wrote it. List the five most important corrections.`,
  `When you call \`useEffect\` with no second argument, it runs after every render. Since you set state inside, you get the infinite loop. Add the dependency array:

useEffect(() => {
  load(id).then(setItem)
}, [id])`,
  `Podcast transcript, episode 41

[00:00] You're listening to Second Shift, the show about people who work while you sleep. I'm Nadia.
[00:12] Tonight: the man who waters the hospital plants. There are nine hundred and six of them. He counted.
[00:25] "People think they're plastic. I've seen folks pinch the leaf. I say go ahead, he doesn't mind."
[00:41] His name is Curtis. He starts at eleven.
[01:03] "I don't talk to them. Everybody asks. No. I hum, though."
[01:15] There's one plant, on the fourth floor, outside the ICU, that he won't let anyone else touch.
[01:28] "That one's had a lot of people cry on it. It's doing great, by the way. Salt is supposed to be bad for them."

Write show notes for this episode: a teaser of two sentences and four timestamps with titles.`,
  `| Feature | Ours | Competitor A | Competitor B |
|---|---|---|---|
| Offline mode | yes | no | partial |
| Export to PDF | yes | yes | paid |
| Free seats | 3 | 1 | 5 |
| Languages | 12 | 30 | 4 |
| Support answer time | 4 h | 48 h | 24 h |

Turn this into two honest paragraphs for our website. Don't hide the rows in which we lose. Avoid the words "seamless," "powerful" and "solution."`,
  `There are three kinds of customers who say "I'll think about it." The first kind means it. The second kind means "it's too expensive and I'm too polite to say so." The third kind means "I don't trust you yet." Most salespeople treat all three the same: they push. They drop the price, they invent a deadline, they follow up six times in a week. And all three kinds walk away.

Try this. Say, "Of course. Just so I don't bug you for no reason, is it more the price, or is there something I haven't explained well?" Then shut up and listen. You'll be amazed. The first will say, "No, really, I need to ask my wife." The second will look relieved. And the third will finally tell you what happened with the last guy.`,
  `Getting a 403 here as well. Turns out the API wants the header in lower case (!!). This works:

curl -H "x-api-key: $KEY" https://api.parcelgrid.example/v1/rates

I opened a ticket with them.`,
  `Minutes after the tornado passed, Ruth Ann Sowell walked out of her storm cellar and saw that her house was exactly where she'd left it and that the street was not. "I thought, well, I've got to make coffee," she told me. She made four pots. By dark there were thirty people on her porch, some of them barefoot.

It's easy to write about disasters in the language of numbers: the wind speed, the dollars, the dead, of whom, by some grace, there were none. But what I saw in Pruett last week was a matter of extension cords. They ran from every house with a generator to every house without one, orange and green across the lawns, like something a child would draw to show what a neighborhood is.`,
  `Please answer the following question by choosing one of the options.

Sam's grandmother gave him a jar with 60 marbles. One third of the marbles are red, 15 are blue, and the rest are green. Sam gives away all of his red marbles and gets 5 more blue ones. How many marbles does he have now?

A) 40
B) 45
C) 50
D) 65

Explain your reasoning step by step and write the letter of the correct option on the last line.`,
  `Warranty card. Thank you for choosing a Hartwell space heater. Hartwell warrants this product against defects in material and workmanship for a period of two (2) years from the date of the original purchase. This warranty doesn't cover damage caused by misuse, by accident, by use of an extension cord, or by repairs that were made by anyone other than an authorized service center. To obtain service, call the number below. You must present proof of purchase. Do not ship your heater without an authorization number; packages without a number will be refused. This warranty gives you specific legal rights, and you may also have other rights which vary from state to state.

My heater broke after 20 months, I used it on an extension cord twice last winter. Am I covered? What should I say when I call?`,
  `Did a quick benchmark because I was curious:

| method | 1k rows | 100k rows |
|---|---|---|
| iterrows | 41 ms | 4.2 s |
| apply | 9 ms | 870 ms |
| vectorized | 0.3 ms | 6 ms |

So don't loop. \`df["total"] = df["price"] * df["qty"]\` is all you need.`,
  `Introduction to Watercolor, Lesson 2: Let the Water Do the Work

The biggest mistake beginners make is fussing. You put down a wash, it looks a bit uneven, and you go back in with the brush. Stop! Put your hands in your lap. Wet paint moves for a full minute after you leave it alone, and it knows what it's doing.

Tape down your paper. Wet the entire sheet with clean water. Load a big round brush with blue, and touch it to the top edge. Tilt the board. Watch. Now add a little more pigment at the top and none at the bottom. You've just painted a sky. Do ten of those today, small ones, and don't paint any birds. I can see you wanting to paint birds.`,
  'Ok so update on the roommate situation!! I took your advice and I wrote the chore chart and I put it on the fridge. She said it was "passive aggressive." I said it\'s a chart. Then her boyfriend (who doesn\'t live here supposedly) added his own name with a smiley face under "eats." I laughed so hard I couldn\'t stay mad. Anyway we sat down and talked like adults and now she does floors and trash, I do bathroom and dishes, and he brings groceries on Sundays. Thank you everyone who told me to use my words, and to the one guy who told me to move out in the night: I considered it.',
  `According to legend the first bell of Saint Osyth cracked because the founder's daughter had thrown her silver ring into the metal. The second cracked for no reason at all. The third, which hangs there now, has a rim so thick that it can hardly be said to ring; it clanks. Visitors ask if it's broken. "No, madam," the sexton replies. "It's cautious."

Identify the tone of this paragraph and name two devices that create it. Then write the next three sentences in the same tone.`,
  `Sure, here's a minimal Dockerfile:

FROM node:22-slim
WORKDIR /app
COPY package*.json ./
RUN npm ci --omit=dev
COPY . .
USER node
CMD ["node", "server.js"]

Copy package.json before the rest so that the install layer is cached. And don't run as root, that's what the USER line is for.`,
  `Payment reminder: your student loan

Hi Gwendolyn, your payment of $212.40 is due on the 15th. You're enrolled in autopay, so you don't have to do anything. We will withdraw the amount from the account ending in 6604. Make sure that there's enough money in it; returned payments cost $20.

Having trouble? You have options. An income-driven plan could lower your payment to as little as $0. Don't ignore the problem, and do not pay anyone who promises to "erase" your debt for a fee. Applying is always free.

Sign in to see your account. Please do not send personal information by email.`,
  "The average American kitchen has eleven wooden spoons, of which two get used. I made that up, but you went and looked at your drawer, didn't you? That's the power of a specific number. Copywriters know it, politicians know it, and your uncle with his 73 percent knows it as well. This week I want to talk about how to notice when a number is doing the work which an argument should be doing. First, ask where it's from. Second, ask what it was divided by. Third, ask what would happen if it was twice as large or half as large. If the answer's \"nothing,\" then the number was a spoon.",
  `Stop Asking Your Customers What They Want

It sounds like heresy, I know. Every business book on your shelf tells you to listen to the customer. And you should listen. You just shouldn't ask. When you ask people what they want they will tell you what a reasonable person would want. They'll say they want healthier snacks in the break room. Then they'll eat all of the cookies and leave the celery.

When I opened my second bike shop I sent out a survey. Four hundred people answered. They wanted longer hours, a coffee bar and a bigger selection of road bikes. I gave them all three and nearly went under. Nobody came after six. The coffee machine broke twice. The road bikes gathered dust.

So I started to watch instead. I stood by the door for two weeks with a clicker. Here's what I saw: people came in with a flat, looked at the price of a tube, and went pale when they heard that the wait was five days. That was it. That was the entire business. I hired one more mechanic, I promised flats in twenty minutes while you wait, and I put the helmets next to the waiting bench.

You don't need to have a bike shop to do this. Stand where your customers stand. Call your own phone number. Fill out your own form on an old phone with a cracked screen. Buy your own product and try to return it. You must feel the thing in your hands.

Then fix one thing. Only one. Do not write a strategy. Do not hold an offsite. Fix the wait, fix the form, fix the smell in the hallway. And after that go back to your spot by the door. Your customers are going to tell you the rest without opening their mouths.`,
  `You can use \`Object.entries\`:

for (const [key, value] of Object.entries(obj)) {
  console.log(key, value)
}`,
  `Subject: Action required: verify your email address

Hi Marisol,

Thanks for signing up for Trailhead Tutors. Please confirm your email address by entering this code in the app:

418 207

The code is valid for 15 minutes. If you did not create an account, you can safely ignore this email; nobody can use your address without the code. Never forward this message to anyone, including people who say they work for us.

See you in class,
The Trailhead team`,
  `Add the plugin to your project

1. Install it: \`pip install mkshelf\`
2. Open \`shelf.toml\` and add the following lines:

\`\`\`toml
[plugins]
enabled = ["mkshelf"]

[plugins.mkshelf]
theme = "plain"
\`\`\`

3. Run \`shelf build\`. You should see \`mkshelf: 14 pages\` in the output.
4. If you see \`unknown plugin\`, delete the folder \`.shelf-cache\` and try again.

You can override any template by placing a file with the same name in \`templates/\`. Do not edit the files inside of the package, they'll be overwritten by the next update.`,
  `The committee's report runs to 212 pages and can be summed up in a sentence: somebody should have asked. Somebody should have asked why the sensor had been replaced three times in one year. Somebody should've asked why the night shift logged the same temperature, to the decimal, for nineteen nights. No one lied, exactly. A form had a box, and the box got filled.

I've spent a good part of my career reading reports such as this one, and what strikes me is how rarely the villain turns up. You keep turning the pages waiting for him. Instead you meet a dozen decent people, each of whom assumed that the question belonged to someone else.

In your opinion, what's the thesis of this column? Choose the sentence that expresses it best and explain your choice.`,
  'Just wrap it in quotes: `grep "foo bar" file.txt`. The shell splits on spaces otherwise so grep thinks bar is a file.',
  `Hello Team,

Kindly find attached the revised sheet. Please ignore the earlier version which I have shared on Friday as the totals were not matching. In column F, I have updated the rates as per discussion with Mr. Pillai. Request you to please review and revert by EOD tomorrow so that we can release the PO on time. If any changes are there, please highlight in yellow and don't overwrite the formulas.

Also a gentle reminder that the access cards have to be renewed before month end. Kindly do the needful.

Thanks & Regards,
Shalini R.`,
  `"Tell me about the dog," said the lawyer.

"Which time?"

"There's been more than one time?"

Mr. Pickett folded his hands. He'd put on a tie for this, brown, wide as a trout. "Well, there's the time with the wedding, and there's the time with the pie, and the time with the other lawyer."

The lawyer set down her pen. "What happened with the other lawyer?"

"He's fine. He's got a limp but it was there before, mostly." He leaned in. "You want to know what kind of a dog he is? He's the kind that remembers."

From the hall came a long, thoughtful growl, and then the click of toenails on tile, coming closer, not in a hurry.

What can you infer about the dog? Support your inference with two details from the text.`,
  `| Item | Qty | Unit price | Total |
|---|--:|--:|--:|
| Drywall 4x8 | 22 | 14.50 | 319.00 |
| Joint compound | 3 | 17.25 | 51.75 |
| Screws, box | 4 | 8.99 | 35.96 |
| Labor, hours | 26 | 48.00 | 1,248.00 |
| Disposal | 1 | 120.00 | 120.00 |
| **Total** | | | **1,774.71** |

Please check the arithmetic of this quote and tell me if there's a mistake. Then write a short text to the contractor that asks for 10% off the labor, without being pushy.`,
  `How to set up a reverse proxy with Caddy

Run the following commands as root:

\`\`\`
apt install caddy
systemctl enable --now caddy
\`\`\`

Replace the contents of \`/etc/caddy/Caddyfile\` with this:

\`\`\`
blog.example.net {
  reverse_proxy localhost:8080
}
\`\`\`

Then reload with \`systemctl reload caddy\`. Certificates are requested automatically. You don't have to do anything else, but make sure that ports 80 and 443 are open. If it doesn't work, look at \`journalctl -u caddy\`, and read the last line first. Nine times out of ten it's the DNS.`,
  `I'm 67 and I just took my first pottery class. Everyone else was young enough to be my grandchild. The instructor, who had a ring in her eyebrow, told us to "center" the clay. Mine went everywhere but the center. It hit the boy next to me. He said, "No worries, ma'am."

By week three I'd made something. I told my husband that it was a bowl. He looked at it for a while, he's a kind man, and he asked, "What goes in it?" And I said, "Keys." You can make anything a key bowl. That's my advice to anybody who is afraid to start something late in life: aim for a bowl, settle for keys.`,
  `The problem is your \`.gitignore\`. Files which are already tracked aren't ignored. Remove it from the index first:

git rm --cached config.json
git commit -m "Stop tracking config.json"

The file stays on your disk. And change the password in there, it's still in the history.`,
  `NOTICE OF DATA INCIDENT

Dear Mr. Underhill,

We're writing to let you know about an incident that may have involved some of your personal information. On August 9 we discovered that an unauthorized person had access to an employee's mailbox for about two days. The mailbox contained your name, address and policy number. It did not contain your Social Security number or any bank information.

What we're doing. We reset the passwords, notified law enforcement, and have added a second step to every employee login.

What you can do. We recommend that you review your statements and be careful with unexpected calls. We are offering you a year of credit monitoring at no cost. To enroll, go to the site printed on the enclosed card and enter your activation code by December 31.

We sincerely regret any concern that this may cause you.`,
  `Why the second Thursday novel fails where the first one soared is a question of secrets. In the first book we knew less than Hester did, and we read to catch up. In the second the author hands us everything by page thirty: who wrote the letters, where the money went, what's under the chapel. We are then asked to watch for three hundred pages as Hester finds out what we know already. It's like being told the punch line and then made to sit through a very long joke by a gifted, sweating comedian.

There are pleasures all the same. The scene in the ice house is as good as anything in the series, and the aunt, once again, steals each chapter she walks into. One only wishes that she'd steal the plot.`,
  `Try this:

\`\`\`css
img { max-width: 100%; height: auto; }
\`\`\`

You also have width="1200" in the HTML which forces it. Delete that.`,
  `Transcript of the town hall, part 2

RESIDENT: My question is simple. Who decided to cut down the oaks?
DIRECTOR: So the, uh, the decision was made by the department in consultation with the arborist.
RESIDENT: Did the arborist say that they were sick?
DIRECTOR: He said that they were at risk.
RESIDENT: At risk of what?
DIRECTOR: Of, well, of falling.
RESIDENT: Sir, I'm seventy-four. I'm at risk of falling. (laughter)
DIRECTOR: I understand the frustration.
RESIDENT: Will you publish the report?
DIRECTOR: I'll have to check with legal on that.

Write a neutral summary in two sentences, then list every question that wasn't answered.`,
  `Import the package and put your key in the environment:

\`\`\`python
import os
from lumen import Client

client = Client(api_key=os.environ["LUMEN_KEY"])
reply = client.chat(
    system="You answer questions about plants.",
    message="Why are my basil leaves turning yellow?",
)
print(reply.text)
\`\`\`

The parameter \`system\` sets the behavior of the model for the whole conversation. Keep it short. You can override it per request with \`client.chat(system=...)\`. Anything the user types belongs in \`message\`; never paste it into \`system\`. If the model ignores your format, add one example. For streaming, pass \`stream=True\` and loop over the chunks.`,
  `Weather Blog: That Wasn't A Bust, You Just Live In The Wrong Place

I got the emails. "You said 8 to 12 and I got nothing." Look. If you were north of Route 30 you got eleven inches. If you were south of it you got cold rain and a grudge. That's how these things go when the rain-snow line sits right on top of three million people. We said on Tuesday that the line could move 20 miles. It moved 15. I'll take it.

Next system: Sunday into Monday. Models disagree. One has it out to sea, one has a foot, one, and I'm not kidding, has 66 degrees and thunder. I'm going to tell you what I know, which is that you should buy milk because you're going to anyway.`,
  `Hi Dr. Feldman,

Your appointment at Clearwater Dental is confirmed for Wed, Feb 12 at 10:40 a.m. with Yesenia. Please arrive ten minutes early and bring your insurance card.

Reply C to confirm, R to reschedule. If you have to cancel please let us know 24 hours ahead, or a fee of $40 will apply. Don't eat or drink anything but water for two hours before your visit. If you've had a change in medication, tell us at the desk.

Clearwater Dental, 2nd floor, the elevator's slow`,
  `What separates a good manager from a great one isn't charisma. I've worked for charismatic people. I've hidden in the bathroom from charismatic people. It's memory. A great manager remembers that your kid had a recital. She remembers that you said in March that you wanted to learn pricing, and in September, when a pricing project comes up, she walks over to your desk.

You can train this. Keep a page for every person on your team. After each one-on-one write down two things: something they care about and something that they're stuck on. Before the next one, read the page. It takes ninety seconds. People will think you're a genius. You're not. You just wrote it down.

Based on this post, write five journal prompts for new managers. Each one should begin with "When".`,
  "ok so heres how i got my sourdough to stop being a frisbee. 1. my starter was dead. like legally dead. fed it twice a day for a week, rye flour, warm spot on top of the router lol. 2. i was following the clock and not the dough. the recipe said 4 hrs but my kitchen's 62 degrees. now i wait till its jiggly. 3. hot dutch oven. HOT. 500 for 45 min before. 4. dont cut into it right away!!! i know it smells amazing. wait an hour. if u cut it hot its gummy and u will blame the starter and the starter did nothing wrong",
  'In short: `docker compose down -v` deletes the volumes too. Leave out the `-v` and your database will still be there.',
  `The Fed held rates steady on Wednesday, and investors reacted in the way that investors do, which is to say all at once and then in reverse. Stocks rose within minutes of the announcement, gave it all back by 3 p.m., and closed about where they'd started. Bond yields slipped. The dollar did nothing.

"People hear what they bought," said Constance Mbeki, a strategist at Larkin Fields, a small firm in Boston. She pointed to one sentence in the statement which was changed from "some further progress" to "further progress." "Somebody had a two-hour meeting about the word 'some,'" she said. "I find this comforting."

Explain to someone with a mortgage application pending what this article means for them. No more than 80 words. Don't give a recommendation.`,
  `Please, people. If you email a professor do these four things. One, say which class you're in, I teach three. Two, look at the syllabus before you ask me when the midterm is; it's on page one in bold, I put it in bold for you. Three, do not write "Hey." I am not hurt, but I do picture you leaning against a locker. Four, ask the thing. You'd be surprised how many messages I get that explain a cold in detail and then stop.

I answer within one day. I don't answer at 2 a.m., although I'm awake. I like you all more than you think. Go to bed.`,
  `The first time I fired someone I threw up in a potted plant. I'm telling you this because nobody told me. They tell you to bring a witness, to keep it under ten minutes, to say "we've made the decision" and not "I'm sorry." All of that is right. But nobody says that your hands will shake, and that they should. If the day ever comes when your hands don't shake, get out of management.

Here's what I've learned since. Never do it on a Friday; people need a weekday to call somebody. Don't say "this is hard for me." It's not about you. Have the paperwork done. Know the date of the last paycheck, because that's the first question. Walk them out if they want to be walked and let them be if they don't. Then go back and tell the team the truth, as much of it as you're allowed to.

And eat something. You'll forget to eat.`,
  'Use `COALESCE(discount, 0)`. Anything plus NULL is NULL, so your sum disappears.',
  `Dear Ms. Trujillo,

Thank you for your application for the position of Circulation Clerk. We received 118 applications, and I'm sorry to tell you that we have moved forward with other candidates. That is a dull sentence, and I know you put time into your letter. We noticed the part about the bookmobile.

A part-time position will be posted in March. You do not have to send everything again; just reply to this email with "please consider me" and we'll pull your file.

With best wishes,
Anneke Stroud
Branch Manager`,
  `### Adding a custom prompt

By default the assistant in your workspace uses our standard instructions. To replace them, create a file named \`assistant.md\` in the root of the repository and add text such as this:

\`\`\`md
You are a helpful reviewer. Answer in English.
Only comment on files in \`src/\`.
Do not suggest renaming public functions.
\`\`\`

The content of this file overrides the default. Instructions in a folder's own \`assistant.md\` are added after those of the root. To go back to the default, delete the file. The assistant can't read files listed in \`.assistantignore\`, which is where you should put anything that contains keys.`,
  `And so, my friends, I say to you tonight: don't let them tell you that a town of four thousand people is too small to matter. Four thousand people built that levee in eleven days. Four thousand people fed each other for a month out of the gym of an elementary school. I have stood in the halls of the capitol with people who couldn't organize a potluck!

I'm not running to be anybody's boss. I am running since the state owes us a bridge, and I know how to be annoying on the telephone. If you send me up there, I will be on that phone. I will call them at supper. I'll learn the names of their dogs. And when they've finally had enough they'll build our bridge just to get me to hang up.

Which persuasive techniques does the speaker use? Name three and quote the text for each of them.`,
  `Works for me after changing the import:

- import { render } from 'old-dom'
+ import { createRoot } from 'old-dom/client'

createRoot(document.getElementById('app')).render(<App />)

They mention it in the migration guide but it's kinda hidden at the bottom.`,
  `Your statement is ready

Hi Dorothea,

Your July statement for the card ending in 3058 is now available.

Statement balance: $614.27
Minimum payment due: $35.00
Payment due date: August 21

If you pay only the minimum it'll take about 26 months to pay off this balance. If you'd like to pay it all, sign in and select "Pay statement balance." Payments made after 8 p.m. Eastern post on the next business day.

See something that you don't recognize? Lock your card in the app and let us know. We'll never call you and ask for your passcode.

Privacy | Unsubscribe from marketing | Contact us`,
  `| Student | Quiz 1 | Quiz 2 | Project | Final |
|---|---|---|---|---|
| A. Mendes | 8 | 9 | 42 | 88 |
| B. Farrow | 6 | 7 | 45 | 79 |
| C. Iwu | 10 | – | 39 | 91 |
| D. Strand | 5 | 8 | 50 | 84 |

Quizzes count 10% each (out of 10), the project 30% (out of 50), and the final 50% (out of 100). A dash means excused; give the weight to the other quiz. Compute everyone's grade and round to a whole number.`,
  "Let me tell you about the worst flight of my life, and why I'd do it again. We sat on the runway in Charlotte for three hours. There was a bachelorette party in the back and a man in front of me with a cello. By hour two the bachelorettes had run out of things to sing. One of them leaned over and asked the man if he'd play. He said the case was packed in such a way that he couldn't open it. And then, very politely, he sang the Bach. He just hummed it, the first suite, the whole thing, with his eyes closed and his hand going on the armrest. You could've heard a seat belt drop. When we finally took off nobody clapped. It would've been wrong.",
  `The battery management firmware exposes four registers over I2C at address 0x36. Register 0x00 returns the state of charge in units of 0.5 percent. Register 0x01 returns the temperature as a signed byte in degrees Celsius. Writing 0xA5 to register 0x0F resets the fault latch; any other value is ignored. Do not write to 0x0E, which is reserved for the factory. After a reset wait for at least 20 ms before the next read, otherwise the bus returns 0xFF.

Write a C header for this device with named constants and a comment for each register. Do not invent registers.`,
  `What I Tell My Clients About Clutter

You don't have a storage problem, you have a decision problem. Each object in that pile is a decision that you put off. That's why the pile makes you tired. So don't buy bins. I beg you. Bins are how we put off a decision in a nicer color.

Take out one drawer. Dump it on the bed, so that you've got to finish before you sleep. Pick up each thing and ask: would I buy this again today for five dollars? If yes, it stays. If no, it goes in the bag. If you start telling a story about it, take a picture and let it go. You aren't throwing out your aunt. You're throwing out a gravy boat.`,
  `New here so sorry if this is the wrong place. I bought a house in april (1962 ranch) and there's a switch in the hallway which does nothing. I've flipped it with someone in every room. I've checked the outlets with a lamp. My dad said "leave it". My neighbor Bill said that it used to do something in HIS garage but he wouldn't say what. It's not hot, it doesn't buzz. Do I open it up? I turned the breaker off and it's 14/2 with the red taped over. Pics in the comments. Please do not just say "call an electrician", I know, I've got one coming on the 9th. I just want to KNOW.

Give three plausible explanations, from the most to the least likely.`,
  `Book club notes: "Salt for the Widow"

Everyone finished it except for Greta, who's been to Tampa. Marcy loved the sister. Pam didn't believe in the boat. Long discussion on whether the letter in chapter nine is real or whether Josephine wrote it to herself. Ellen read the passage aloud, twice, and the second time we all heard it differently. Then somebody's phone rang and it was Greta, from Tampa, who had finished it at the airport and wanted to say that the letter is real, of course it's real, look at the spelling.

Next time at Pam's. She has a new cat; take something for your allergy.`,
  `You must override \`equals\` and \`hashCode\` together, or the HashSet will treat the two as different objects. Easiest is to make it a record:

public record Point(int x, int y) {}

Then both are generated and you can throw away the rest of that class.`,
  `Shipping update: there's a delay

Hi Bartholomew,

We hoped to tell you that your order 30-7781 (1 x folding kayak, green) was on its way. It isn't. The factory in Duluth had a flood, which we realize is funny for a kayak company, but it isn't funny for them. The new ship date is June 20.

You can wait (we'll throw in a dry bag), switch to blue (ships today) or cancel for a full refund. Just answer with WAIT, BLUE or CANCEL. If we don't hear from you by Friday we'll assume that you're going to wait. Please disregard the automatic email which said that it was delivered. It was not. We don't know what that was about.

Draft a reply: I'd take the blue one, but only if it arrives before the 12th.`,
  `In many households the argument over the thermostat isn't about temperature at all. Couples whom I see tend to fight over it at the times when they have stopped talking about something larger: money, a parent, a move. The dial is simply the last thing in the house which both of them can touch. I once asked a husband and a wife to leave the thing alone for a week, and at the same hour each night to say one sentence that started with "I'm worried about." They were furious with me for three days. On the fourth they forgot about the thermostat. On the sixth the furnace broke and they laughed about it in my waiting room so loudly that my next patient asked what I'd given them.

Decide for each statement whether the author would agree or disagree. 1. Couples should install a smart thermostat. 2. Small fights can stand in for bigger ones. 3. Laughter is a sign of avoidance.`,
  `The Myth of the Overnight Success

Everyone loves the story of the overnight success. You know how it goes: a nobody has an idea in the shower, quits the job, and eighteen months later rings the bell at the stock exchange. I've met a few of these people, and I asked each of them how long it really took. The shortest answer was seven years. The longest was twenty-two.

What happens in the missing years? Boring things. They learn how to read a contract. They lose a partner. They get a reputation for answering the phone. They become, little by little, the kind of person to whom a lucky thing can happen. Luck is a visitor who doesn't ring twice, and you have to be home.

So what should you do while you wait? I would suggest three things. First, pick a boring skill and get so good at it that people mention you when you aren't in the room. Second, keep your costs low. Nothing kills a good idea like a car payment. Third, help people who can't help you back. I'm not saying this because it's nice. I'm saying it because in every single one of those interviews there was a moment when somebody turned up out of the past and said, "You won't remember me."

Don't quit your job tomorrow. Don't put it on a vision board. Pick up the phone on the second ring, do what you said you'd do, and check back with me in seven years.`,
  `Open the Terminal and enter the following:

\`\`\`
defaults write com.apple.dock autohide-delay -float 0
killall Dock
\`\`\`

The Dock will vanish for a second and then come back. From now on it opens without delay when you move the pointer to the edge. If you don't like it, run \`defaults delete com.apple.dock autohide-delay\` and restart the Dock in the same way. You don't need admin rights for this. It works on older versions too, I tested it on three.`,
  `Here you go, this strips all tags:

\`\`\`python
from bs4 import BeautifulSoup
text = BeautifulSoup(html, "html.parser").get_text(" ", strip=True)
\`\`\`

Do NOT use regex for that, you'll regret it at the first comment with a > inside.`,
  `To all staff: starting on the first of the month, badges must be worn above the waist and be visible at all times. If you forget yours, get a day badge at the desk; you will have to leave your driver's license. Do not hold the door open for anyone, even if you know them, even if they're carrying a cake. (We heard about the cake.) Visitors have to be escorted. Lost badges are to be reported within an hour so they can be turned off. Instructions for the new doors are attached. If the light's red and it beeps twice, you're at the wrong door. If it beeps without stopping, call Security and step away.

Rewrite this memo so that people will want to follow it. Keep every rule.`,
  `## Contributing

Thanks for thinking about it! Before you open a pull request:

1. Open an issue first unless it's a typo.
2. Fork, branch from \`main\`, name it \`fix/…\` or \`feat/…\`.
3. Run \`make check\`. All of it has to pass.
4. Add a line to \`CHANGELOG.md\` under *Unreleased*.
5. Don't bump the version. We do that.

If you use an AI assistant, say so in the description and make sure that you understand each line. We'll ask. Pull requests in which the author can't explain the change get closed.

Be kind. We don't have many rules, but that's the first one and it overrides all of the others.`,
  `Q: Why does bread go stale faster in the refrigerator?

A: Because staling isn't drying. When bread is baked its starch soaks up water and becomes soft and disordered. As it cools, the starch molecules slowly line up again and push water out, and the crumb turns firm. This happens fastest at temperatures just above freezing, which is exactly where your refrigerator is. In the freezer the water's locked up, and the process nearly stops. So keep the bread on the counter for two days or in the freezer for two months, but not in between.

Rewrite the answer for a sign in a bakery. Thirty words at most, and a little bit of wit.`,
  'My review of the "Easy Assemble" crib: I have a degree in mechanical engineering and it took me four hours and a marriage counselor. Step 6 tells you to attach panel C to panel D. There\'s no panel D. There are two panel Cs, one of which is panel D if you hold it to the light. The bolts come in a bag marked "bolts". There are 31. You need 32. That said, once it\'s together it\'s like a rock, no wobble, the baby looks great in it, and the customer service lady sent me a bolt overnight with a note that read "hang in there daddy." Four stars.',
  `The Bears were down nine with four minutes to go when Alicia Drummond decided that she'd had enough. She hit a three from the corner. She stole the inbounds pass and hit another. She took a charge from a girl who had five inches on her and got up talking.

"I don't remember what I said," Drummond told reporters, "and my mom reads this paper."

Lakeview scored just two points in the last four minutes and lost, 61-58. Drummond finished with 27. The Bears (19-2) will face Saint Brendan in the regional final on Saturday at the Civic Center.

Which details show that Drummond plays with emotion? List two. Then write a photo caption of one sentence.`,
  `\`useMemo\` isn't a guarantee, React may throw the cache away. Don't put side effects in there. Use an effect, or simply call it in the click handler:

const onSave = () => {
  save(form)
  track('saved')
}`,
  `Account alert: new sign-in

We noticed a new sign-in to your Meadowbrook account from a Windows computer near Fresno, CA on September 6 at 7:14 PM.

Was this you? Then there's nothing to do.

If it wasn't, change your password right away and sign out of all devices under Settings > Security. We also recommend turning on two-step verification. We won't ask for your password by email, and you should ignore any message that does.

You can't unsubscribe from security alerts.`,
  `He kept bees the way other men keep grudges: quietly, in a box, in the back. My mother called it his church. On Sundays, when we came home in our stiff shoes, he'd be standing out there with his bare arms, listening.

"What do they say?" I asked him once.

"They say it's about to rain, and that your cousin's a liar."

It rained that night. About my cousin I did not find out for years, and when I did I went out back in the dark, to the boxes, which were empty by then, and I told them they'd been right. It seemed to me only fair that somebody should.

Analyze the first sentence of this passage. What does the comparison do? What would be lost if it said "He was a quiet beekeeper"? Use about 120 words.`,
  `| Command | What it does | Undo? |
|---|---|---|
| \`stash list\` | shows saved work | n/a |
| \`drop\` | deletes one entry | no |
| \`clear\` | deletes all entries | no |
| \`restore FILE\` | throws away changes in FILE | no |
| \`revert SHA\` | new commit that reverses SHA | yes |

Memorize the third column. Everything with a "no" deserves a deep breath and a copy of the folder. If you're not sure, run the command with \`--dry-run\` first, where it exists.`,
  `Parenting columnists love to tell you to pick your battles. Fine. But nobody says which. After four kids, here's my list. Battles worth picking: seat belts, please and thank you, hitting, and whether we make fun of people who aren't in the room. Battles not worth picking: hair, socks, the last four peas, and what a seven-year-old wears to church, so long as it's clean and is not the shark costume two weeks in a row.

You will get it wrong. I once fought for forty minutes over a mitten. I won, too. He's twenty-six now and brings it up at Thanksgiving, and each time he tells it the mitten gets smaller and I get bigger.`,
  `Quick start

Paste this into your page where you'd like the comments to appear:

\`\`\`html
<div id="chatter" data-thread="my-first-post"></div>
<script src="/chatter.js" defer></script>
\`\`\`

Then log in to the admin panel with the password that you chose during setup. Under *Moderation* you may add words that will hold a comment for review. Comments that include links are held by default. If you'd rather let everything through, turn this off, but don't say we didn't warn you. To delete all comments of one user, click on the name and choose *Forget*.`,
  `Hi there, so I bought the course and I must to say I'm a little disappointed. The teacher is speaking very fast and he's always saying "as you know" but I don't know. Lesson 4 use a program which we didn't install. I asked in the forum, nobody answer since nine days. The good: the exercises are nice and the PDF is clear. If you're already at medium level, buy. If you are beginner like me, better you find another one, or write to them that they make it slower. I'd like to have the half of the money back, is it possible?

Answer this customer as the course provider. Simple English, short sentences, friendly. Offer a voucher for the slower course. No refund after 30 days (he bought it 41 days ago).`,
  `The trouble with most advice on public speaking is that it's about you. Stand like this, breathe like that, picture them in their underwear. Please don't. They can tell. Think of the last time you listened to someone with real pleasure. Were they standing properly? You've no idea. You remember that they seemed to be telling you something you could use.

So before your next talk, do this. Find out who's coming. Pick one of them, a real one, and write down what she's worried about on a Tuesday. Now cut all the slides which don't help her. You'll be left with four. Good. Give your talk to her. You can look at the others now and then so that they don't feel left out.`,
  `It says "address already in use" because the old process is still there:

lsof -i :8000
kill <pid>

then start it again.`,
]
