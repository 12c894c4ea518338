"""Common first names whose bearers are nearly always of one gender, for judging pronouns."""

from __future__ import annotations

from perturb.rules.checks.texts import word_set

MALE_NAMES = word_set(
    """
    john james robert michael william david richard joseph thomas charles christopher daniel matthew
    anthony mark donald steven paul andrew joshua kenneth kevin brian george edward ronald timothy jason
    jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott brandon benjamin samuel
    gregory frank alexander raymond patrick jack dennis jerry tyler aaron jose adam henry nathan douglas
    zachary peter kyle walter ethan jeremy harold keith christian roger noah gerald carl arthur lawrence
    albert joe willie billy bruce bobby eugene louis ralph roy russell philip harry vincent bradley johnny
    ernest martin stanley leonard simon hugh oliver oscar leo max felix theodore franklin woodrow dwight
    lyndon barack bill steve mike tom jim bob dave dan ben sam tony nick ed fred ted alan allan ian neil
    graham colin derek geoffrey trevor nigel clive rupert sebastian marcus julius augustus mahatma
    jawaharlal rajesh amit sanjay vijay ravi arjun carlos juan luis miguel pedro antonio fernando diego
    pablo javier ivan igor vladimir sergei boris dmitri hans karl heinrich otto friedrich wolfgang johann
    ludwig giovanni marco luigi giuseppe pierre jean-paul francois jacques henri antoine mohammed ahmed
    ali hassan omar ibrahim kenji hiroshi takashi kanye elvis ringo
    """
)

FEMALE_NAMES = word_set(
    """
    mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty margaret
    sandra ashley kimberly emily donna michelle carol amanda dorothy melissa deborah stephanie rebecca
    sharon laura cynthia kathleen amy angela shirley anna brenda pamela emma nicole helen samantha
    katherine christine debra rachel carolyn janet catherine maria heather diane ruth julie olivia joyce
    virginia victoria lauren christina joan evelyn judith megan andrea cheryl hannah jacqueline martha
    gloria teresa ann anne sara madison frances kathryn janice jean abigail alice julia judy sophia grace
    denise amber doris marilyn danielle beverly isabella theresa diana natalie brittany charlotte marie
    kayla alexis lori jane kate lucy ella ellen eleanor florence edith ethel agnes clara rose lily ivy
    violet daisy hazel irene josephine louise lillian mabel nora pauline rita rosa sally sylvia vera wanda
    yvonne zoe chloe fiona gemma imogen indira priya lakshmi sunita anita aisha fatima yoko keiko akiko
    ingrid greta astrid sofia elena natasha olga svetlana tatiana carmen lucia isabel dolores beatrice
    giulia francesca camille celine adele beyonce madonna britney whitney mariah aretha dolly reba oprah
    hillary
    """
)

FIRST_NAMES = MALE_NAMES | FEMALE_NAMES
